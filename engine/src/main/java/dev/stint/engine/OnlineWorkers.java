package dev.stint.engine;

import java.util.concurrent.TimeUnit;

/** How many workers are there, asked of the store once a second at most. */
final class OnlineWorkers {
  private static final int LIMIT = 1_000_000;
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private long count;
  private long askedAt = System.nanoTime() - MAX_AGE_NANOS - 1;

  OnlineWorkers(Store store) {
    this.store = store;
  }

  synchronized long count() {
    if (System.nanoTime() - askedAt > MAX_AGE_NANOS) {
      count = store.onlineWorkers(LIMIT);
      askedAt = System.nanoTime();
    }
    return count;
  }
}
