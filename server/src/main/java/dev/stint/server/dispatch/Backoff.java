package dev.stint.server.dispatch;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait before trying again. */
final class Backoff {
  private static final long FIRST_MS = 1_000;
  private static final int MAX_DOUBLINGS = 20;

  private Backoff() {}

  /**
   * One second after the first failure, doubling up to {@code capMs}, and by chance between half
   * and all of that, so that what failed together does not come back together.
   */
  static long ms(long failures, long capMs) {
    long doublings = Math.clamp(failures - 1, 0, MAX_DOUBLINGS);
    long full = Math.min(FIRST_MS << doublings, capMs);
    return ThreadLocalRandom.current().nextLong(full / 2, full + 1);
  }
}
