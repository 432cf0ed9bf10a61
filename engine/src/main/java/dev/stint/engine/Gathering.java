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
  private static final int SHARE = 10;
  private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  /** How many nanoseconds to wait with so many there: none if half of all are back. */
  long pause(int waiting) {
    return underWay < MANY || 2 * waiting >= underWay ? 0 : Math.min(nanos / SHARE, LONGEST_NANOS);
  }
}
