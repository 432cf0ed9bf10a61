package dev.stint.engine;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A job as the rules see it: a snapshot that they read and replace, never change.
 *
 * @param claimable PENDING and its time has come: claims find it
 * @param readyAt PENDING: when it becomes claimable; LOST, RETRYING: when it goes on
 * @param attempts the number of the attempt under way or, without one, of the last that counted
 * @param failures attempts that ended in a failure
 * @param losses attempts that ended with a lost worker
 * @param fence of the newest claim, 0 before the first
 * @param enqueues how often it was put into its queue
 * @param returned how often it came back into its queue without having used up an attempt, since it
 *     was new or replayed
 * @param lease of the attempt under way, present exactly while the state is held
 * @param reason why it is where it is, e.g. {@code HEARTBEAT_TIMEOUT}
 * @param lateReports how many reports of former attempts were kept as events
 * @param dueAt the next moment at which time alone may change it; never later than that, and
 *     sometimes earlier, since a heartbeat extends a lease without touching this
 */
public record Job(
    UUID id,
    JobSpec spec,
    JobState state,
    boolean claimable,
    long readyAt,
    int attempts,
    int failures,
    int losses,
    long fence,
    int enqueues,
    int returned,
    @Nullable Lease lease,
    @Nullable Cancel cancel,
    Progress progress,
    @Nullable String reason,
    int lateReports,
    long updatedAt,
    long dueAt) {

  /** The id of its newest stay in its queue: another one each time it is queued again. */
  public String enqueueId() {
    return id + ":" + enqueues;
  }

  /** From when its time to live counts: its last change, or the moment that it waits for. */
  public long livesFrom() {
    return switch (state) {
      case PENDING -> claimable ? updatedAt : Math.max(updatedAt, readyAt);
      case LOST, RETRYING -> Math.max(updatedAt, readyAt);
      case ASSIGNED, RUNNING, COMPLETED, FAILED, ABORTED -> updatedAt;
    };
  }

  /** Whether its time to live is over at {@code now}, so that no view shows it any more. */
  public boolean isExpired(long now) {
    return spec.ttlMs() > 0 && Times.after(livesFrom(), spec.ttlMs()) <= now;
  }

  /**
   * Whether it is on its way to where it is delivered. Whoever takes it there is no worker: until
   * its receiver begins, no worker holds it, whatever that worker calls itself.
   */
  boolean isUnderDelivery() {
    return state == JobState.ASSIGNED && spec.needs().target() != null;
  }

  boolean isHeldBy(@Nullable String workerId) {
    return lease != null && !isUnderDelivery() && lease.workerId().equals(workerId);
  }

  /** This job, to be looked at by the sweep at another time. */
  Job dueAt(long newDueAt) {
    return new Job(
        id,
        spec,
        state,
        claimable,
        readyAt,
        attempts,
        failures,
        losses,
        fence,
        enqueues,
        returned,
        lease,
        cancel,
        progress,
        reason,
        lateReports,
        updatedAt,
        newDueAt);
  }
}
