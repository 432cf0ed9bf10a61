package dev.stint.engine;

import static dev.stint.engine.Rules.decide;

import dev.stint.engine.Attempt.End;
import dev.stint.engine.Lease.Report;

/** What happens when a worker got a job past the claims, by a message. */
final class NativeRules {
  /**
   * So long a claim may make way for a worker that had the job before. After that it counts as told
   * to whoever claimed, so that all know by the clock alone whose the job is.
   */
  static final long CLAIM_SETTLES_MS = 5_000;

  private final long retentionMs;
  private final TimeRules time;

  NativeRules(long retentionMs, TimeRules time) {
    this.retentionMs = retentionMs;
    this.time = time;
  }

  /**
   * Its worker holds the job from now on, if it waits in the very stay in the queue that the
   * message stands for, or is held by a claim that nobody was told of yet.
   */
  Decision<Outcome.OfDelivery> deliver(
      Job job, Command.Deliver deliver, Rules.Grant grant, long now) {
    Lease lease = job.lease();
    if (lease != null && deliver.messageId().equals(lease.nativeMessage())) {
      return again(job, lease, deliver, now);
    }
    boolean mayMakeWay =
        lease != null
            && lease.nativeMessage() == null
            && job.enqueueId().equals(deliver.enqueueId())
            && now - lease.claimedAt() < CLAIM_SETTLES_MS;
    boolean makesWay = mayMakeWay && job.fence() == deliver.unansweredFence();
    if ((job.state() != JobState.PENDING && !makesWay)
        || !job.enqueueId().equals(deliver.enqueueId())
        || time.forbidsClaim(job, now)) {
      return Decision.unchanged(new Outcome.NotDeliverable(job, mayMakeWay), job);
    }
    Revision next = new Revision(job, now);
    if (makesWay) {
      next.reason = Reasons.DELIVERED_BEFORE;
      next.settle(End.RELEASED, JobState.PENDING, Report.NONE);
      next.move(EventType.RELEASED, JobState.PENDING, null);
    }
    next.beginAttempt();
    Lease taken =
        new Lease(
            grant.attemptId(),
            NativeToken.of(deliver.messageId(), grant.token()),
            deliver.workerId(),
            next.attempts,
            next.fence,
            now,
            now,
            deliver.leaseTtlMs(),
            deliver.leaseTtlMs() / 3,
            Times.after(now, deliver.leaseTtlMs()));
    next.lease(taken);
    next.move(EventType.CLAIMED, JobState.RUNNING, null);
    Job after = next.job(retentionMs);
    return decide(new Outcome.Delivered(taken, false), after, next);
  }

  /** Told twice; or another worker of the group took the message over from the first. */
  private static Decision<Outcome.OfDelivery> again(
      Job job, Lease lease, Command.Deliver deliver, long now) {
    if (lease.workerId().equals(deliver.workerId())) {
      return Decision.unchanged(new Outcome.Delivered(lease, true), job);
    }
    Revision next = new Revision(job, now);
    Lease passedOn = lease.heldBy(deliver.workerId()).extendedFrom(now);
    next.lease(passedOn);
    next.note(EventType.CLAIMED, null, null);
    Job after = next.jobDueAsBefore();
    return decide(new Outcome.Delivered(passedOn, true), after, next);
  }
}
