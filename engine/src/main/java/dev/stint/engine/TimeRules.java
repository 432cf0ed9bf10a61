package dev.stint.engine;

import static dev.stint.engine.Rules.decide;

import dev.stint.engine.Attempt.End;
import dev.stint.engine.Lease.Report;
import java.util.List;

/** What time does to a job: at most one move each time it is looked at. */
final class TimeRules {
  /** When a job is looked at again that time has passed by and nothing may be done about. */
  private static final long LOOK_AGAIN_MS = 1_000;

  private final long retentionMs;
  private final NativeWatch watch;

  TimeRules(long retentionMs, NativeWatch watch) {
    this.retentionMs = retentionMs;
    this.watch = watch;
  }

  /** Whether a claimable job may still be given out, or time has a word to say first. */
  boolean forbidsClaim(Job job, long now) {
    return job.spec().deadlineAt() <= now || job.isExpired(now);
  }

  /** Whether nothing of the job is kept any longer. */
  boolean isGone(Store.Fading job, long now) {
    return Due.goneAt(job.state(), job.ttlMs(), job.updatedAt(), retentionMs) <= now;
  }

  /** The outcome says whether anything but the next due time changed. */
  Decision<Boolean> tick(Job job, long now) {
    if (Due.goneAt(job, retentionMs) <= now) {
      return new Decision<>(true, null, List.of(), null);
    }
    Revision next = new Revision(job, now);
    if (!job.state().isTerminal() && job.spec().deadlineAt() <= now) {
      return end(next, EventType.DEADLINE_EXCEEDED, Reasons.TIMEOUT);
    }
    Lease lease = job.lease();
    boolean leaseIsOver = lease != null && lease.until() <= now && watch.hasSeen(lease);
    boolean waitIsOver = job.readyAt() <= now;
    return switch (job.state()) {
      case PENDING -> {
        if (job.claimable() || !waitIsOver) {
          yield later(job, now);
        }
        next.becomeClaimable();
        yield moved(next);
      }
      case ASSIGNED -> leaseIsOver ? expire(next) : later(job, now);
      case RUNNING -> {
        if (job.cancel() != null && job.cancel().graceUntil() <= now) {
          yield end(next, EventType.CANCEL_TIMED_OUT, Reasons.CANCEL_TIMEOUT);
        }
        yield leaseIsOver ? lose(job, next, Reasons.HEARTBEAT_TIMEOUT, now) : later(job, now);
      }
      case LOST -> waitIsOver ? recover(job, next, now) : later(job, now);
      case RETRYING -> waitIsOver ? goOn(job, next) : later(job, now);
      case COMPLETED, FAILED, ABORTED -> later(job, now);
    };
  }

  /** An assignment that nobody acknowledged was no attempt. */
  private Decision<Boolean> expire(Revision next) {
    next.settle(End.EXPIRED, JobState.PENDING, Report.NONE);
    next.requeue(EventType.ASSIGNMENT_EXPIRED);
    return moved(next);
  }

  /** It is known that its worker no longer has it, so there is nothing to wait for. */
  Decision<Boolean> abandon(Job job, String reason, long now) {
    Revision next = new Revision(job, now);
    return switch (job.state()) {
      case ASSIGNED -> expire(next);
      case RUNNING -> lose(job, next, reason, now);
      case PENDING, LOST, RETRYING, COMPLETED, FAILED, ABORTED -> Decision.unchanged(false, job);
    };
  }

  private Decision<Boolean> lose(Job job, Revision next, String reason, long now) {
    next.losses++;
    next.reason = reason;
    next.readyAt = Times.after(now, job.spec().lease().lostWaitMs());
    next.settle(End.LOST, JobState.LOST, Report.NONE);
    next.move(EventType.LOST, JobState.LOST, null);
    return moved(next);
  }

  private Decision<Boolean> recover(Job job, Revision next, long now) {
    if (job.cancel() != null) {
      next.reason = job.cancel().reason();
      next.move(EventType.CANCELLED, JobState.ABORTED, null);
    } else {
      next.readyAt = now;
      next.move(EventType.RECOVERED, JobState.RETRYING, null);
    }
    return moved(next);
  }

  private Decision<Boolean> goOn(Job job, Revision next) {
    if (job.spec().retry().allowsAnother(job.failures(), job.losses())) {
      next.requeue(EventType.REQUEUED);
    } else {
      next.move(EventType.EXHAUSTED, JobState.FAILED, null);
    }
    return moved(next);
  }

  private Decision<Boolean> end(Revision next, EventType why, String reason) {
    next.reason = reason;
    if (next.lease() != null) {
      next.settle(End.REVOKED, JobState.FAILED, Report.NONE);
    }
    next.move(why, JobState.FAILED, null);
    return moved(next);
  }

  private Decision<Boolean> moved(Revision next) {
    return decide(true, next.job(retentionMs), next);
  }

  /** Nothing to do yet: the due time was left behind by a heartbeat or a change of settings. */
  private Decision<Boolean> later(Job job, long now) {
    long due = Due.of(job, retentionMs);
    return Decision.unchanged(false, job.dueAt(due > now ? due : Times.after(now, LOOK_AGAIN_MS)));
  }
}
