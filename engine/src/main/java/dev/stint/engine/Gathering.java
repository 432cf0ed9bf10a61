package dev.stint.engine;

import java.util.concurrent.TimeUnit;

/**
 * How long a writer waits for more commands before its next commit. Where many come at a time, most
 * of those that were just answered are back within moments, and a commit for them too costs hardly
 * more: it is well worth a tenth of the time that a commit takes. Where few come, nobody waits.
 *
 * @param underWay how many were answered by the last commit or waited when it was over
 * @param nanos how long that commit took
 */
record Gathering(int underWay, long nanos) {
  static final Gathering NONE = new Gathering(0, 0);

  private static final int MANY = 16;
  private static final int ENOUGH = 64;
  private static final int SHARE = 10;
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long SHORTEST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
  private static final long LONGEST_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  /** Whether so many come at a time that it is worth waiting for a larger commit. */
  boolean areMany() {
    return underWay >= MANY;
  }

  /** Whether a commit of so many would hardly cost less as a part of a larger one. */
  static boolean areEnough(int waiting) {
    return waiting >= ENOUGH;
  }

  /** How many nanoseconds another commit may take before it counts as one that hangs. */
  long patienceNanos() {
    return Math.clamp(4 * nanos, SHORTEST_PATIENCE_NANOS, LONGEST_PATIENCE_NANOS);
  }

  /** How many nanoseconds to wait with so many there: none if half of all are back. */
  long pause(int waiting) {
    return !areMany() || 2 * waiting >= underWay ? 0 : Math.min(nanos / SHARE, LONGEST_NANOS);
  }
}
