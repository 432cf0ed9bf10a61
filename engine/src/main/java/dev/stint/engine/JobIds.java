package dev.stint.engine;

import java.security.SecureRandom;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Makes ids for jobs and attempts: UUIDs of version 7, which sort by the time they were made, and
 * within a millisecond by the order in which this process made them.
 */
public final class JobIds {
  private static final int COUNTER_BITS = 12;
  private static final SecureRandom RANDOM = new SecureRandom();

  /** The millisecond and the counter of the last id. */
  private static final AtomicLong LAST = new AtomicLong();

  private JobIds() {}

  /** Not greater than any id that is made at {@code millis} or later. */
  public static UUID firstAt(long millis) {
    return new UUID(Math.clamp(millis, 0, (1L << 48) - 1) << 16, 0);
  }

  public static UUID next() {
    long place = LAST.updateAndGet(last -> following(last, System.currentTimeMillis()));
    long most = (place >>> COUNTER_BITS << 16) | 0x7000 | (place & ((1 << COUNTER_BITS) - 1));
    long least = (RANDOM.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
    return new UUID(most, least);
  }

  /** Counts within a millisecond, and goes where the clock goes, also back. */
  static long following(long last, long millis) {
    return last >>> COUNTER_BITS == millis ? last + 1 : millis << COUNTER_BITS;
  }
}
