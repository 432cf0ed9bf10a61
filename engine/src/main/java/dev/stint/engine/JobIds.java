package dev.stint.engine;

import java.security.SecureRandom;
import java.util.UUID;

/** Makes ids for jobs and attempts: UUIDs of version 7, which sort by the time they were made. */
public final class JobIds {
  private static final SecureRandom RANDOM = new SecureRandom();

  private JobIds() {}

  /** Not greater than any id that is made at {@code millis} or later. */
  public static UUID firstAt(long millis) {
    return new UUID(Math.clamp(millis, 0, (1L << 48) - 1) << 16, 0);
  }

  public static UUID next() {
    long random = RANDOM.nextLong();
    long most = (System.currentTimeMillis() << 16) | 0x7000 | (random & 0x0fff);
    long least = (RANDOM.nextLong() & 0x3fffffffffffffffL) | 0x8000000000000000L;
    return new UUID(most, least);
  }
}
