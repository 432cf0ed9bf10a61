package dev.stint.storage;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Time that never goes back and never stands still for long, whatever the clock that it is read
 * from does. When that one is set back, time goes on from where it was, ahead of the clock; while
 * it is ahead it runs a little slower, until the clock has caught up.
 */
final class ForwardClock {
  private static final Logger log = LoggerFactory.getLogger(ForwardClock.class);

  /** Readings come in late and out of order by less than this: that is no clock set back. */
  private static final long JITTER_MS = 5_000;

  /** While ahead, one of so many milliseconds is left out. */
  private static final long CATCH_UP = 16;

  private long reading;
  private long setBackTo;
  private long aheadThen;
  private long latest;

  /** The time at which the clock was read. */
  synchronized long at(long newReading) {
    if (newReading < reading - JITTER_MS) {
      long back = reading - newReading;
      aheadThen = ahead() + back;
      setBackTo = newReading;
      reading = newReading;
      log.warn(
          "the clock was set back by {} s; time goes on {} s ahead of it, and slower until the clock"
              + " has caught up",
          back / 1_000,
          aheadThen / 1_000);
    }
    reading = Math.max(reading, newReading);
    latest = Math.max(latest, reading + ahead());
    return latest;
  }

  private long ahead() {
    return Math.max(0, aheadThen - (reading - setBackTo) / CATCH_UP);
  }

  /** The latest time that was told, 0 before the first. */
  synchronized long latest() {
    return latest;
  }
}
