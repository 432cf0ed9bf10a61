package dev.stint.engine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
  private final Consumer<List<Store.Ready>> wake;
  private final Supplier<List<String>> queues;
  private final Tally tally;
  private final Feed feed;
  private @Nullable Thread thread;

  /**
   * Nothing yet: see {@link #start}.
   *
   * @param wake is told what others made claimable
   * @param queues that somebody waits for
   */
  Neighbours(
      Store store,
      Consumer<List<Store.Ready>> wake,
      Supplier<List<String>> queues,
      Tally tally,
      Feed feed) {
    this.store = store;
    this.wake = wake;
    this.queues = queues;
    this.tally = tally;
    this.feed = feed;
  }

  void start() {
    if (store.isShared()) {
      store.onAnnouncement(wake);
      store.onNews(feed::lookUp);
      thread = Thread.ofPlatform().name("stint-neighbours").daemon().start(this::loop);
    }
  }

  void runOnce() {
    tally.replace(store.tally());
    List<String> awaited = queues.get();
    if (!awaited.isEmpty()) {
      wake.accept(store.claimable(awaited, LOOK_LIMIT));
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
