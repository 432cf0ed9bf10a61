package dev.stint.engine;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * How many jobs a sweep takes that only wait to be removed. While there is other work it is a few
 * more than come, so that those who work keep most of the time; what is left over goes when there
 * is a lull.
 */
final class FadingPace {
  private static final int AT_LEAST = 10;
  private static final long LULL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LongSupplier nanoTime;
  private int sinceSweep;
  private long workedAt;

  FadingPace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    workedAt = nanoTime.getAsLong() - LULL_NANOS;
  }

  /** These are carried out. */
  synchronized void count(List<? extends Entry<?>> entries) {
    int work = 0;
    for (Entry<?> entry : entries) {
      work += entry.command() instanceof Command.Sweep ? 0 : 1;
    }
    if (work > 0) {
      sinceSweep += work;
      workedAt = nanoTime.getAsLong();
    }
  }

  /** A job takes two commands or more from its submission to its end, so so many have come. */
  synchronized int next(int atMost) {
    boolean isLull = sinceSweep == 0 && nanoTime.getAsLong() - workedAt >= LULL_NANOS;
    int beside = Math.max(AT_LEAST, sinceSweep / 16 * 9);
    sinceSweep = 0;
    return isLull ? atMost : Math.min(atMost, beside);
  }
}
