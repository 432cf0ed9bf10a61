package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job while one decision is made about it: a working copy, and the events that the decision
 * causes. Every move goes through {@link #move}, which knows the table of legal ones.
 */
final class Revision {
  private final Job before;
  private final long now;
  private final List<Event> events = new ArrayList<>(2);
  private JobState state;
  private boolean claimable;
  private @Nullable Attempt settled;
  private @Nullable Lease lease;

  long readyAt;
  int attempts;
  int failures;
  int losses;
  int enqueues;
  int returned;
  int lateReports;
  long fence;
  @Nullable Cancel cancel;
  Progress progress;
  @Nullable String reason;

  Revision(Job before, long now) {
    this.before = before;
    this.now = now;
    state = before.state();
    claimable = before.claimable();
    readyAt = before.readyAt();
    attempts = before.attempts();
    failures = before.failures();
    losses = before.losses();
    enqueues = before.enqueues();
    returned = before.returned();
    lateReports = before.lateReports();
    fence = before.fence();
    lease = before.lease();
    cancel = before.cancel();
    progress = before.progress();
    reason = before.reason();
  }

  JobState state() {
    return state;
  }

  /** Whether it goes to a place of its own, and not to a worker that asks for it. */
  boolean isDelivered() {
    return before.spec().needs().target() != null;
  }

  @Nullable Lease lease() {
    return lease;
  }

  void lease(@Nullable Lease newLease) {
    lease = newLease;
  }

  /** Goes to another state. What has a lease keeps it only into another held state. */
  Revision move(EventType why, JobState to, @Nullable String data) {
    if (!new Transition(why, state, to).isLegal()) {
      throw new IllegalStateException(why + " may not take a job from " + state + " to " + to);
    }
    JobState from = state;
    state = to;
    claimable = to == JobState.PENDING && readyAt <= now;
    record(why, from, reason, data);
    if (!to.isHeld()) {
      lease = null;
    }
    return this;
  }

  /** Records something that is not a move. */
  Revision note(EventType what, @Nullable String why, @Nullable String data) {
    record(what, state, why, data);
    return this;
  }

  /** A late report of a former attempt. */
  void noteLate(Attempt of, String word, @Nullable String said) {
    events.add(
        new Event(
            0,
            before.id(),
            now,
            EventType.LATE_RESULT,
            state,
            state,
            of.fence(),
            of.workerId(),
            word,
            said,
            null));
  }

  /** A report by somebody who never held the job. */
  void noteRefused(@Nullable String workerId, String word) {
    events.add(
        new Event(
            0,
            before.id(),
            now,
            EventType.REPORT_REFUSED,
            state,
            state,
            before.fence(),
            workerId,
            word,
            null,
            null));
  }

  /** Counts one attempt more, which is about to be given a lease. */
  void beginAttempt() {
    attempts = failures + losses + 1;
    fence++;
    progress = progress.ofNextAttempt();
    reason = null;
  }

  void becomeClaimable() {
    claimable = true;
    note(EventType.DUE, null, null);
  }

  /** Goes back into the queue, to be claimable at once. */
  Revision requeue(EventType why) {
    return requeue(why, now);
  }

  /** Goes back into the queue, to be claimable from {@code newReadyAt} on. */
  Revision requeue(EventType why, long newReadyAt) {
    readyAt = newReadyAt;
    attempts = failures + losses;
    enqueues++;
    return move(why, JobState.PENDING, null);
  }

  /** Ends the attempt under way, before the move that it causes. */
  void settle(Attempt.End end, JobState next, Lease.Report report) {
    if (lease == null) {
      throw new IllegalStateException("no attempt is under way in " + state);
    }
    settled = lease.settled(before.id(), now, end, next, report);
    returned += next == JobState.PENDING ? 1 : 0;
  }

  private void record(
      EventType type, @Nullable JobState from, @Nullable String why, @Nullable String data) {
    String worker = lease == null ? null : lease.workerId();
    long itsFence = lease == null ? 0 : lease.fence();
    events.add(
        new Event(0, before.id(), now, type, from, state, itsFence, worker, why, data, null));
  }

  /** The job as it is now, due when {@code retentionMs} and its own times say. */
  Job job(long retentionMs) {
    Job undated = changedAt(now, Times.NEVER);
    return changedAt(now, Due.of(undated, retentionMs));
  }

  /**
   * The job as it is now, due no later than before: a heartbeat moves the end of a lease without
   * touching the index of due times. When the old time comes, the sweep finds nothing to do and
   * looks up the new one.
   */
  Job jobDueAsBefore() {
    return changedAt(now, before.dueAt());
  }

  /** The job with what was noted of it, which is no change: it is as old as before. */
  Job jobOnlyNoted() {
    return changedAt(before.updatedAt(), before.dueAt());
  }

  private Job changedAt(long updatedAt, long dueAt) {
    return new Job(
        before.id(),
        before.spec(),
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
        dueAt);
  }

  List<Event> events() {
    return List.copyOf(events);
  }

  @Nullable Attempt settled() {
    return settled;
  }
}
