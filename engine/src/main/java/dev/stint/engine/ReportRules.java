package dev.stint.engine;

import static dev.stint.engine.Rules.decide;

import dev.stint.engine.Attempt.End;
import dev.stint.engine.Lease.Report;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a worker's report does. It counts only if its proof fits the attempt under way. If it fits
 * one that is over, it is either the very report that ended that attempt, told again, and is
 * answered as the first time; or it comes too late, changes nothing, and is kept as an event.
 */
final class ReportRules {
  /** A stale worker that never stops reporting must not fill the store. */
  static final int MAX_LATE_REPORTS = 100;

  /** After so many, each time that a job is given back it rests longer. */
  static final int FREE_RELEASES = 100;

  private static final long REST_MS = 1_000;
  private static final long MAX_REST_MS = 60_000;

  private final long retentionMs;
  private final TimeRules time;

  ReportRules(long retentionMs, TimeRules time) {
    this.retentionMs = retentionMs;
    this.time = time;
  }

  /** Whether the attempts that are over have to be known to judge this report. */
  boolean needsPast(Job job, Command.Report<?> report) {
    return !report.proof().fits(job);
  }

  Decision<Outcome.OfReport> report(
      Job job, List<Attempt> past, Command.Report<Outcome.OfReport> report, long now) {
    if (!needsPast(job, report)) {
      return current(job, report, now);
    }
    End end = endedBy(report);
    for (Attempt former : past.reversed()) {
      // Where a worker is all the proof there is, it may have had several attempts.
      if (former.end() == end && report.proof().fits(former)) {
        return Decision.unchanged(new Outcome.Settled(job.id(), former.next(), true), job);
      }
    }
    Decision<Outcome.Stale> stale = stale(job, past, report, now);
    return new Decision<>(stale.outcome(), stale.after(), stale.events(), stale.settled());
  }

  private static @Nullable Attempt former(List<Attempt> past, Command.Report<?> report) {
    for (Attempt attempt : past.reversed()) {
      if (report.proof().fits(attempt)) {
        return attempt;
      }
    }
    return null;
  }

  /** It is not from the attempt under way. */
  Decision<Outcome.Stale> stale(Job job, List<Attempt> past, Command.Report<?> report, long now) {
    Attempt former = former(past, report);
    return former == null
        ? kept(job, next -> next.noteRefused(report.proof().workerId(), report.word()), now)
        : kept(job, next -> next.noteLate(former, report.word(), report.said()), now);
  }

  /** Changes nothing but is told by an event, as long as there are not too many of them. */
  private static Decision<Outcome.Stale> kept(Job job, Consumer<Revision> note, long now) {
    if (job.lateReports() >= MAX_LATE_REPORTS) {
      return Decision.unchanged(new Outcome.Stale(job), job);
    }
    Revision next = new Revision(job, now);
    next.lateReports++;
    note.accept(next);
    Job after = next.jobOnlyNoted();
    return decide(new Outcome.Stale(after), after, next);
  }

  /** How an attempt is over that this report ended, or null if such a report ends none. */
  private static @Nullable End endedBy(Command.Report<?> report) {
    return switch (report) {
      case Command.Complete c -> End.COMPLETED;
      case Command.Fail f -> End.FAILED;
      case Command.Stop s -> End.STOPPED;
      case Command.Release r -> End.RELEASED;
      case Command.Abandon a -> End.LOST;
      case Command.Emit e -> null;
      case Command.Start s -> null;
      case Command.Heartbeat h -> null;
      case Command.Output o -> null;
    };
  }

  private Decision<Outcome.OfReport> current(
      Job job, Command.Report<Outcome.OfReport> report, long now) {
    Revision next = new Revision(job, now);
    return switch (report) {
      case Command.Start start -> start(job, next, start, now);
      case Command.Heartbeat heartbeat -> heartbeat(job, next, heartbeat, now);
      case Command.Complete complete -> {
        startIfAssigned(next, complete.proof(), now);
        next.reason = null;
        next.settle(
            End.COMPLETED,
            JobState.COMPLETED,
            new Report(complete.result(), null, complete.metrics()));
        next.move(EventType.COMPLETED, JobState.COMPLETED, complete.note());
        yield settled(next);
      }
      case Command.Fail fail -> fail(job, next, fail, now);
      case Command.Stop stop -> stop(next, stop, now);
      case Command.Release release ->
          release.ifNotBegun() && job.state() == JobState.RUNNING
              ? held(job)
              : release(next, release, now);
      case Command.Abandon abandon -> abandon(job, abandon, now);
      case Command.Emit emit -> emit(job, next, emit, now);
    };
  }

  private Decision<Outcome.OfReport> start(Job job, Revision next, Command.Start start, long now) {
    if (job.state() == JobState.RUNNING) {
      return held(job);
    }
    begin(next, start.proof(), start.note(), now);
    return held(next, next.job(retentionMs));
  }

  /** A worker that reports has begun, whether or not its acknowledgement arrived. */
  static void startIfAssigned(Revision next, Proof proof, long now) {
    begin(next, proof, null, now);
  }

  private static void beginOrGoOn(Revision next, @Nullable Proof proof, long now) {
    begin(next, proof, null, now);
    Lease lease = next.lease();
    next.lease(lease == null ? null : lease.extendedFrom(now));
  }

  private static void begin(Revision next, @Nullable Proof proof, @Nullable String note, long now) {
    Lease lease = next.lease();
    if (next.state() == JobState.ASSIGNED && lease != null) {
      String receiver = proof == null || !next.isDelivered() ? null : proof.by();
      next.lease((receiver == null ? lease : lease.heldBy(receiver)).startedAt(now));
      next.move(EventType.STARTED, JobState.RUNNING, note);
    }
  }

  private Decision<Outcome.OfReport> heartbeat(
      Job job, Revision next, Command.Heartbeat heartbeat, long now) {
    beginOrGoOn(next, heartbeat.proof(), now);
    Progress progress = job.progress().updatedBy(heartbeat.progress());
    if (!progress.equals(job.progress())) {
      next.progress = progress.toldAgain();
      next.note(EventType.PROGRESS, progress.message(), progress.json(heartbeat.at(), null));
    }
    boolean started = job.state() == JobState.ASSIGNED;
    return held(next, started ? next.job(retentionMs) : next.jobDueAsBefore());
  }

  /** Its worker says that it runs it, so it has begun, acknowledged or not. */
  Decision<Boolean> goOn(Job job, long now) {
    if (job.lease() == null || job.state() != JobState.ASSIGNED) {
      return extend(job, now);
    }
    Revision next = new Revision(job, now);
    beginOrGoOn(next, null, now);
    return decide(true, next.job(retentionMs), next);
  }

  /** A sign of life of the worker itself: what it runs is alive with it. */
  Decision<Boolean> extend(Job job, long now) {
    Lease lease = job.lease();
    if (lease == null || job.state() != JobState.RUNNING) {
      return Decision.unchanged(false, job);
    }
    Revision next = new Revision(job, now);
    next.lease(lease.extendedFrom(now));
    return decide(true, next.jobDueAsBefore(), next);
  }

  private Decision<Outcome.OfReport> fail(Job job, Revision next, Command.Fail fail, long now) {
    startIfAssigned(next, fail.proof(), now);
    next.failures++;
    next.reason = fail.reason();
    Report said = new Report(null, fail.error(), fail.metrics());
    if (job.cancel() != null) {
      next.reason = job.cancel().reason();
      next.settle(End.FAILED, JobState.ABORTED, said);
      next.move(EventType.CANCELLED, JobState.ABORTED, fail.note());
    } else if (fail.retryable() && job.spec().retry().allowsAnother(next.failures, next.losses)) {
      long seed = job.id().getLeastSignificantBits() + job.fence();
      next.readyAt = Times.after(now, job.spec().retry().backoffMs(next.failures, seed));
      next.settle(End.FAILED, JobState.RETRYING, said);
      next.move(EventType.RETRY_SCHEDULED, JobState.RETRYING, fail.note());
    } else {
      next.settle(End.FAILED, JobState.FAILED, said);
      next.move(EventType.FAILED, JobState.FAILED, fail.note());
    }
    return settled(next);
  }

  private Decision<Outcome.OfReport> stop(Revision next, Command.Stop stop, long now) {
    startIfAssigned(next, stop.proof(), now);
    next.reason = next.cancel == null ? stop.reason() : next.cancel.reason();
    next.settle(End.STOPPED, JobState.ABORTED, new Report(null, stop.said(), stop.metrics()));
    next.move(EventType.CANCELLED, JobState.ABORTED, stop.said());
    return settled(next);
  }

  private Decision<Outcome.OfReport> release(Revision next, Command.Release release, long now) {
    if (next.cancel != null) {
      next.reason = next.cancel.reason();
      next.settle(End.RELEASED, JobState.ABORTED, Report.NONE);
      next.move(EventType.CANCELLED, JobState.ABORTED, null);
    } else {
      next.reason = release.reason();
      next.settle(End.RELEASED, JobState.PENDING, Report.NONE);
      next.requeue(EventType.RELEASED, Times.after(now, Math.max(release.delayMs(), rest(next))));
    }
    return settled(next);
  }

  /** To give a job back uses up no attempt; who does nothing else must not fill the store. */
  private static long rest(Revision next) {
    return Math.clamp((next.returned - FREE_RELEASES) * REST_MS, 0, MAX_REST_MS);
  }

  private Decision<Outcome.OfReport> abandon(Job job, Command.Abandon abandon, long now) {
    Decision<Boolean> lost = time.abandon(job, abandon.reason(), now);
    Job after = lost.after();
    return new Decision<>(
        after == null || after.lease() != null
            ? new Outcome.Stale(job)
            : new Outcome.Settled(job.id(), after.state(), false),
        after,
        lost.events(),
        lost.settled());
  }

  /** A sign of life too, and kept as long as what tells of progress is. */
  private Decision<Outcome.OfReport> emit(Job job, Revision next, Command.Emit emit, long now) {
    beginOrGoOn(next, emit.proof(), now);
    for (Command.Emit.Saying saying : emit.sayings()) {
      next.progress = next.progress.toldAgain();
      next.note(EventType.EMITTED, null, json(saying));
    }
    boolean started = job.state() == JobState.ASSIGNED;
    return held(next, started ? next.job(retentionMs) : next.jobDueAsBefore());
  }

  private static String json(Command.Emit.Saying saying) {
    StringBuilder json = new StringBuilder("{\"type\":");
    JsonStrings.append(json, saying.type());
    JsonStrings.append(json.append(",\"step\":"), saying.step());
    return json.append(",\"data\":").append(saying.data()).append('}').toString();
  }

  private Decision<Outcome.OfReport> settled(Revision next) {
    Job after = next.job(retentionMs);
    return decide(new Outcome.Settled(after.id(), after.state(), false), after, next);
  }

  private static Decision<Outcome.OfReport> held(Job job) {
    return Decision.unchanged(holding(job), job);
  }

  private static Decision<Outcome.OfReport> held(Revision next, Job after) {
    return decide(holding(after), after, next);
  }

  private static Outcome.OfReport holding(Job job) {
    Lease lease = job.lease();
    return lease == null ? new Outcome.Stale(job) : new Outcome.Held(job, lease);
  }
}
