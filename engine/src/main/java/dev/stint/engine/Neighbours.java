package dev.stint.engine;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps this control plane in step with others on the same store: takes in what they announce, and
 * looks from time to time itself, since an announcement can get lost.
 */
final class Neighbours implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Neighbours.class);
  private static final long INTERVAL_MS = 2_000;
  private static final int LOOK_LIMIT = 100;

  /** What says that something was shut or opened: no job became claimable. */
  static final Store.Ready SHUT_OR_OPENED = new Store.Ready("", Needs.NOTHING, 0);

  private final Store store;
  private final WaitingRoom room;
  private final Tally tally;
  private final Closures closures;
  private final Feed feed;
  private @Nullable Thread thread;
  private volatile boolean isClosed;

  Neighbours(Store store, WaitingRoom room, Tally tally, Closures closures, Feed feed) {
    this.store = store;
    this.room = room;
    this.tally = tally;
    this.closures = closures;
    this.feed = feed;
  }

  void start() {
    if (store.isShared()) {
      store.onAnnouncement(this::hear);
      store.onNews(feed::lookUp);
      thread = Thread.ofPlatform().name("stint-neighbours").daemon().start(this::loop);
    }
  }

  private void hear(List<Store.Ready> ready) {
    boolean isNews =
        ready.stream().anyMatch(kind -> kind.count() == 0 || closures.isPaused(kind.queue()));
    if (isNews) {
      readShut();
    }
    room.wake(closures.open(ready));
  }

  void runOnce() {
    tally.replace(store.tally());
    readShut();
    List<String> awaited = room.isWatched() ? tally.queuesWithPending() : room.queues();
    List<String> queues = awaited.stream().filter(queue -> !closures.isPaused(queue)).toList();
    if (!queues.isEmpty()) {
      room.wake(store.claimable(queues, LOOK_LIMIT));
    }
    if (feed.isFollowed()) {
      store.announceInterest();
      feed.lookAround();
    }
  }

  /** Learns what is shut, from the store. */
  void readShut() {
    long version = closures.version();
    heed(closures.replace(store.shut(), version));
  }

  /** Sends home the claims of workers that get nothing more, and wakes those that a queue kept. */
  void heed(Closures.Change change) {
    change.shutOutWorkers().forEach(room::dismiss);
    if (!change.resumedQueues().isEmpty()) {
      Thread.ofPlatform()
          .name("stint-resumed")
          .daemon()
          .start(() -> wakeAll(change.resumedQueues()));
    }
  }

  /** Not by who commits, since it reads; and on SQLite nobody else would look again. */
  private void wakeAll(Collection<String> queues) {
    while (!isClosed) {
      try {
        room.wake(store.claimable(queues, WaitingRoom.MAX_WAITERS));
        return;
      } catch (StoreUnavailableException e) {
        log.debug("cannot look at queues that were resumed now: {}", e.getMessage());
      } catch (RuntimeException | Error e) {
        Mishap.log(log, "cannot look at queues that were resumed, will go on trying", e);
      }
      try {
        TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void loop() {
    while (true) {
      try {
        TimeUnit.MILLISECONDS.sleep(INTERVAL_MS);
        runOnce();
      } catch (InterruptedException e) {
        return;
      } catch (StoreUnavailableException e) {
        log.debug("cannot look at the store now: {}", e.getMessage());
      } catch (RuntimeException | Error e) {
        Mishap.log(log, "cannot look at the store, will go on trying", e);
      }
    }
  }

  @Override
  public void close() {
    isClosed = true;
    if (thread != null) {
      thread.interrupt();
    }
  }
}
