package dev.stint.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many jobs a sweep takes that only wait to be removed. While there is other work it is a few
 * more than come, so that those who work keep most of the time; what is left over goes when there
 * is a lull.
 */
final class FadingPace {
  /** Little beside what a writer can do, and millions of jobs an hour all the same. */
  private static final int AT_LEAST = 50;

  private static final long LULL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongSupplier nanoTime;
  private int come;
  private long workedAt;

  FadingPace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    workedAt = nanoTime.getAsLong() - LULL_NANOS;
  }

  /** Other commands than sweeps are carried out, and so many jobs come with them. */
  synchronized void worked(int arrivals) {
    come += arrivals;
    workedAt = nanoTime.getAsLong();
  }

  /** How many the next sweep takes. */
  synchronized int next(int atMost) {
    boolean isLull = nanoTime.getAsLong() - workedAt >= LULL_NANOS;
    int beside = Math.max(AT_LEAST, come + come / 8);
    come = 0;
    return isLull ? atMost : Math.min(atMost, beside);
  }
}
