package dev.stint.engine;

/** Where a job is in its life. The legal moves between these are {@link Transition#TABLE}. */
public enum JobState {
  /** Waits to be claimed; its time may still be to come. */
  PENDING,
  /** Claimed in two phases, not yet acknowledged by its worker. */
  ASSIGNED,
  /** A worker holds it. */
  RUNNING,
  /** Its lease ran out. */
  LOST,
  /** Waits for its next attempt. */
  RETRYING,
  COMPLETED,
  /** Ended without success; all FAILED jobs together are the dead-letter queue. */
  FAILED,
  ABORTED;

  /** Nothing moves a terminal job any more, but that somebody has it tried again. */
  public boolean isTerminal() {
    return this == COMPLETED || this == FAILED || this == ABORTED;
  }

  /** A worker has it in its hands, so it has a lease. */
  public boolean isHeld() {
    return this == ASSIGNED || this == RUNNING;
  }
}
