package dev.stint.engine;

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

  private final Store store;
  private final WaitingRoom room;
  private final Tally tally;
  private final Feed feed;
  private @Nullable Thread thread;

  Neighbours(Store store, WaitingRoom room, Tally tally, Feed feed) {
    this.store = store;
    this.room = room;
    this.tally = tally;
    this.feed = feed;
  }

  void start() {
    if (store.isShared()) {
      store.onAnnouncement(room::wake);
      store.onNews(feed::lookUp);
      thread = Thread.ofPlatform().name("stint-neighbours").daemon().start(this::loop);
    }
  }

  void runOnce() {
    tally.replace(store.tally());
    List<String> queues = room.queues();
    if (!queues.isEmpty()) {
      room.wake(store.claimable(queues, LOOK_LIMIT));
    }
    if (feed.isFollowed()) {
      store.announceInterest();
      feed.lookAround();
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
      } catch (RuntimeException e) {
        log.error("cannot look at the store, will go on trying", e);
      }
    }
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.interrupt();
    }
  }
}
