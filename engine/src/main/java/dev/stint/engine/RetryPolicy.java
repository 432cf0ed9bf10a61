package dev.stint.engine;

/**
 * How often a job is tried.
 *
 * @param maxAttempts how many attempts may fail before the job is FAILED; at least 1
 * @param maxLosses how many lost workers it survives besides, or {@link #LOSSES_COUNT_AS_ATTEMPTS}
 * @param backoffInitialMs the wait after the first failure; doubles with each further one
 * @param backoffCapMs the longest wait
 */
public record RetryPolicy(
    int maxAttempts, int maxLosses, long backoffInitialMs, long backoffCapMs) {

  public static final int LOSSES_COUNT_AS_ATTEMPTS = -1;

  public RetryPolicy {
    if (maxAttempts < 1 || maxLosses < LOSSES_COUNT_AS_ATTEMPTS) {
      throw new IllegalArgumentException("maxAttempts " + maxAttempts + ", maxLosses " + maxLosses);
    }
    if (backoffInitialMs < 0 || backoffCapMs < backoffInitialMs) {
      throw new IllegalArgumentException("backoff " + backoffInitialMs + " to " + backoffCapMs);
    }
  }

  /** Up to {@code maxAttempts}, waiting 1 s, 2 s, 4 s, … and at most 60 s in between. */
  public static RetryPolicy attempts(int maxAttempts) {
    return new RetryPolicy(maxAttempts, LOSSES_COUNT_AS_ATTEMPTS, 1_000, 60_000);
  }

  /** Up to {@code maxAttempts}, without a wait in between. */
  public static RetryPolicy atOnce(int maxAttempts) {
    return new RetryPolicy(maxAttempts, LOSSES_COUNT_AS_ATTEMPTS, 0, 0);
  }

  boolean allowsAnother(int failures, int losses) {
    boolean lossesAreLeft = maxLosses == LOSSES_COUNT_AS_ATTEMPTS || losses <= maxLosses;
    return lossesAreLeft && counted(failures, losses) < maxAttempts;
  }

  /** How many of {@code maxAttempts} are used up. */
  int counted(int failures, int losses) {
    return maxLosses == LOSSES_COUNT_AS_ATTEMPTS ? failures + losses : failures;
  }

  /**
   * The wait before the next attempt: doubling, capped, and between half and all of that so that
   * jobs which failed together do not come back together. The jitter is taken from {@code seed}, so
   * that the same decision can be made again.
   */
  public long backoffMs(int failures, long seed) {
    long doubled = backoffInitialMs << Math.min(failures - 1, 30);
    long full = doubled < backoffInitialMs ? backoffCapMs : Math.min(doubled, backoffCapMs);
    long half = full / 2;
    return half + Math.floorMod(mix(seed), full - half + 1);
  }

  private static long mix(long seed) {
    long z = (seed ^ (seed >>> 33)) * 0xff51afd7ed558ccdL;
    z = (z ^ (z >>> 33)) * 0xc4ceb9fe1a85ec53L;
    return z ^ (z >>> 33);
  }
}
