package dev.stint.engine;

import dev.stint.engine.Attempt.End;
import dev.stint.engine.Lease.Report;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What may happen to a job. Pure: each method takes a snapshot, a command and the time, and returns
 * what follows; only whether a native lease has run out depends on what {@link NativeWatch} knows.
 * What workers may do is {@link ReportRules}, what time does is {@link TimeRules}.
 */
final class Rules {
  private final long retentionMs;
  final ReportRules reports;
  final TimeRules time;
  final WorkerRules workers;
  final OutputRules outputs;
  final NativeRules natives;

  Rules(long retentionMs, NativeWatch watch) {
    this.retentionMs = retentionMs;
    this.time = new TimeRules(retentionMs, watch);
    this.reports = new ReportRules(retentionMs, time);
    this.workers = new WorkerRules(retentionMs);
    this.outputs = new OutputRules(retentionMs, reports);
    this.natives = new NativeRules(retentionMs, time);
  }

  Decision<Outcome.OfSubmit> submit(Command.Submit submit, long now) {
    Command.Submit.Draft draft = submit.draft();
    JobSpec spec =
        new JobSpec(
            draft.queue(),
            draft.needs(),
            draft.priority(),
            now,
            draft.notBefore(),
            draft.deadlineAt(),
            draft.ttlMs(),
            draft.retry(),
            draft.lease());
    boolean claimable = draft.notBefore() <= now;
    Job undated =
        new Job(
            submit.jobId(),
            spec,
            JobState.PENDING,
            claimable,
            draft.notBefore(),
            0,
            0,
            0,
            0,
            1,
            0,
            null,
            null,
            Progress.NONE,
            null,
            0,
            now,
            Times.NEVER);
    Job job = new Revision(undated, now).job(retentionMs);
    Event event =
        new Event(
            0,
            job.id(),
            now,
            EventType.SUBMITTED,
            null,
            JobState.PENDING,
            0,
            null,
            null,
            null,
            null);
    return new Decision<>(new Outcome.Submitted(job, submit.content()), job, List.of(event), null);
  }

  /** The id and the secret that a new attempt gets. */
  record Grant(UUID attemptId, String token) {}

  Decision<Outcome.OfClaim> claim(Store.Work work, Command.Claim claim, Grant grant, long now) {
    Job job = work.job();
    LeasePolicy own = job.spec().lease();
    Command.Claim.Terms terms = claim.terms();
    long ttlMs = terms.against(own.leaseTtlMs(), terms.leaseTtlMs());
    long beatMs = terms.against(own.heartbeatIntervalMs(), terms.heartbeatIntervalMs());
    if (job.spec().ttlMs() > 0) {
      // A job is gone when nothing was heard of it for its TTL, so who beats as told must be
      // sooner.
      beatMs = Math.min(beatMs, Math.max(1, job.spec().ttlMs() / 3));
    }
    Revision next = new Revision(job, now);
    next.beginAttempt();
    long untilMs = claim.twoPhase() ? terms.assignmentTtlMs() : ttlMs;
    Lease lease =
        new Lease(
            grant.attemptId(),
            grant.token(),
            claim.workerId(),
            next.attempts,
            next.fence,
            now,
            claim.twoPhase() ? 0 : now,
            ttlMs,
            beatMs,
            Times.after(now, untilMs));
    next.lease(lease);
    if (claim.twoPhase()) {
      next.move(EventType.ASSIGNED, JobState.ASSIGNED, null);
    } else {
      next.move(EventType.CLAIMED, JobState.RUNNING, null);
    }
    Job after = next.job(retentionMs);
    return decide(new Outcome.Claimed(after, lease, work.content()), after, next);
  }

  Decision<Outcome.OfCancel> requestCancel(Job job, Command.RequestCancel request, long now) {
    return switch (job.state()) {
      case COMPLETED, FAILED, ABORTED -> Decision.unchanged(new Outcome.AlreadyTerminal(job), job);
      case RUNNING -> {
        if (job.cancel() != null) {
          yield Decision.unchanged(new Outcome.CancelAsked(job), job);
        }
        Revision next = new Revision(job, now);
        long ownMs = job.spec().lease().cancelGraceMs();
        long graceMs = ownMs > 0 ? ownMs : request.graceMs();
        next.cancel = new Cancel(request.reason(), now, Times.after(now, graceMs));
        next.note(EventType.CANCEL_REQUESTED, request.reason(), null);
        Job after = next.job(retentionMs);
        yield decide(new Outcome.CancelAsked(after), after, next);
      }
      case PENDING, ASSIGNED, LOST, RETRYING ->
          end(job, EventType.CANCELLED, request.reason(), now);
    };
  }

  Decision<Outcome.OfAbort> abort(Job job, Command.Abort abort, long now) {
    if (job.state().isTerminal()) {
      return Decision.unchanged(new Outcome.AlreadyTerminal(job), job);
    }
    return abort.heldBy() == null || job.isHeldBy(abort.heldBy())
        ? end(job, EventType.ABORTED, abort.reason(), now)
        : Decision.unchanged(new Outcome.NotHeld(), job);
  }

  /** The fence goes on growing, so that reports of the former life stay too late. */
  Decision<Outcome.OfReplay> replay(Job job, Command.Replay replay, long now) {
    boolean isOver = job.state() == JobState.FAILED || job.state() == JobState.ABORTED;
    if (!isOver || job.spec().deadlineAt() <= now) {
      return Decision.unchanged(new Outcome.NotRevivable(job), job);
    }
    Revision next = new Revision(job, now);
    next.readyAt = Times.after(now, replay.delayMs());
    next.attempts = 0;
    next.failures = 0;
    next.losses = 0;
    next.returned = 0;
    next.enqueues++;
    next.cancel = null;
    next.progress = next.progress.ofNextAttempt();
    next.reason = null;
    next.move(EventType.REPLAYED, JobState.PENDING, null);
    Job after = next.job(retentionMs);
    return decide(new Outcome.Revived(after), after, next);
  }

  @SuppressWarnings("unchecked") // to have been ended is an outcome of either command
  private <O extends Outcome> Decision<O> end(Job job, EventType why, String reason, long now) {
    Revision next = new Revision(job, now);
    next.reason = reason;
    if (job.lease() != null) {
      next.settle(End.REVOKED, JobState.ABORTED, Report.NONE);
    }
    next.move(why, JobState.ABORTED, null);
    Job after = next.job(retentionMs);
    return decide((O) new Outcome.Ended(after), after, next);
  }

  static <O> Decision<O> decide(O outcome, @Nullable Job after, Revision revision) {
    return new Decision<>(outcome, after, revision.events(), revision.settled());
  }
}
