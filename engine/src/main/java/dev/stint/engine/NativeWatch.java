package dev.stint.engine;

/**
 * Whether anybody sees what workers do that got their jobs by a transport. While nobody can,
 * because the transport is away or the control plane was, such a worker cannot give a sign of life:
 * its lease runs out only when it was silent for all of it and somebody looked all that time.
 */
final class NativeWatch {
  /** With a longer pause between two looks it is not known what happened in between. */
  private static final long LONGEST_PAUSE_MS = 3_000;

  private final boolean isNeeded;
  private volatile Looks looks = new Looks(Times.NEVER, 0);

  /** From the end of the first look to the begin of the last, none of them long apart. */
  private record Looks(long first, long last) {}

  /**
   * Nobody has looked yet.
   *
   * @param isNeeded whether anybody is going to
   */
  NativeWatch(boolean isNeeded) {
    this.isNeeded = isNeeded;
  }

  /** All that had happened when this look began was seen. */
  void looked(long begun, long ended) {
    Looks before = looks;
    boolean goesOn = before.first() != Times.NEVER && ended - before.last() <= LONGEST_PAUSE_MS;
    looks = new Looks(goesOn ? before.first() : ended, begun);
  }

  /** Whether a lease that has run out was watched. */
  boolean hasSeen(Lease lease) {
    Looks seen = looks;
    return !isNeeded
        || lease.nativeMessage() == null
        || (lease.until() <= seen.last()
            && Times.after(seen.first(), lease.ttlMs()) <= seen.last());
  }
}
