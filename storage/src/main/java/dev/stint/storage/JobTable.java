package dev.stint.storage;

import dev.stint.engine.Cancel;
import dev.stint.engine.Job;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store.Fading;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How a {@link Job} becomes a row of {@code job} and a row a job. */
final class JobTable {
  private static final Columns ID = Columns.uuids("id");

  private static final Columns SPEC =
      Columns.texts("queue")
          .and(Columns.numbers("needs_id", "priority", "created_at", "not_before", "deadline_at"))
          .and(Columns.numbers("ttl_ms", "max_attempts", "max_losses"))
          .and(Columns.numbers("backoff_initial_ms", "backoff_cap_ms"))
          .and(Columns.numbers("own_lease_ttl_ms", "own_heartbeat_ms"))
          .and(Columns.numbers("cancel_grace_ms", "lost_wait_ms"));

  private static final Columns LEASE =
      Columns.uuids("attempt_id")
          .and(Columns.texts("lease_token", "worker_id"))
          .and(Columns.numbers("lease_attempt", "lease_fence", "claimed_at", "started_at"))
          .and(Columns.numbers("lease_ttl_ms", "lease_heartbeat_ms", "lease_until"));

  private static final Columns CANCEL =
      Columns.texts("cancel_reason").and(Columns.numbers("cancel_requested_at", "cancel_until"));

  private static final Columns PROGRESS =
      Columns.numbers("progress_percent")
          .and(Columns.texts("progress_message", "progress_word"))
          .and(Columns.numbers("progress_events"));

  private static final Columns STATUS =
      Columns.texts("state")
          .and(Columns.flags("claimable"))
          .and(Columns.numbers("ready_at", "attempts", "failures", "losses", "fence", "enqueues"))
          .and(Columns.numbers("returned"))
          .and(LEASE)
          .and(CANCEL)
          .and(PROGRESS)
          .and(Columns.texts("reason"))
          .and(Columns.numbers("late_reports", "updated_at", "due_at"));

  /** What stays as it is for all of a job's life. */
  static final Columns LASTING = ID.and(SPEC);

  /** All of a row, in the order in which it is inserted and read. */
  static final Columns ALL = LASTING.and(STATUS);

  /** What a job's life changes; {@code id} comes last, as statements that update name it last. */
  static final Columns MOVED_VALUES = STATUS;

  static final Columns MOVED = STATUS.and(ID);

  /** What a sign of life changes: none of it is in an index, so it rewrites the row alone. */
  static final Columns ALIVE_VALUES = PROGRESS.and(Columns.numbers("lease_until", "updated_at"));

  static final Columns ALIVE = ALIVE_VALUES.and(ID);

  /** Of jobs that are held or wait for their time, in the words of the index {@code job_due}. */
  static final String URGENT =
      "NOT claimable AND state <> 'COMPLETED' AND state <> 'FAILED' AND state <> 'ABORTED'";

  /** Of all others, in the words of the index {@code job_fading}. */
  static final String FADING =
      "(claimable OR state = 'COMPLETED' OR state = 'FAILED' OR state = 'ABORTED')";

  /** All that a job can be in; a row with another was not written by us. */
  static final String STATES =
      Stream.of(JobState.values()).map(one -> "'" + one + "'").collect(Collectors.joining(", "));

  /** What of those is read. */
  static final Columns FADING_VALUES =
      ID.and(Columns.texts("queue", "state")).and(Columns.numbers("ttl_ms", "updated_at"));

  private JobTable() {}

  static void writeNew(RowSink row, Job job, long needsId) throws SQLException {
    row.uuid(job.id());
    writeSpec(row, job.spec(), needsId);
    writeStatus(row, job);
    row.endRow();
  }

  static void writeMoved(RowSink row, Job job) throws SQLException {
    writeStatus(row, job);
    row.uuid(job.id()).endRow();
  }

  static void writeAlive(RowSink row, Job job) throws SQLException {
    writeProgress(row, job.progress());
    Lease lease = job.lease();
    (lease == null ? row.number(null) : row.time(lease.until()))
        .number(job.updatedAt())
        .uuid(job.id())
        .endRow();
  }

  /** Whether {@code after} differs from {@code before} at most in what {@link #ALIVE} writes. */
  static boolean isOnlyAlive(Job before, Job after) {
    Lease held = before.lease();
    Lease kept = after.lease();
    if (held == null || kept == null) {
      return false;
    }
    Lease asBefore =
        new Lease(
            kept.attemptId(),
            kept.token(),
            kept.workerId(),
            kept.attempt(),
            kept.fence(),
            kept.claimedAt(),
            kept.startedAt(),
            kept.ttlMs(),
            kept.heartbeatIntervalMs(),
            held.until());
    return new Job(
            after.id(),
            after.spec(),
            after.state(),
            after.claimable(),
            after.readyAt(),
            after.attempts(),
            after.failures(),
            after.losses(),
            after.fence(),
            after.enqueues(),
            after.returned(),
            asBefore,
            after.cancel(),
            before.progress(),
            after.reason(),
            after.lateReports(),
            before.updatedAt(),
            after.dueAt())
        .equals(before);
  }

  private static void writeSpec(RowSink row, JobSpec spec, long needsId) throws SQLException {
    RetryPolicy retry = spec.retry();
    LeasePolicy lease = spec.lease();
    row.text(spec.queue())
        .number(needsId)
        .number(spec.priority())
        .number(spec.createdAt())
        .time(spec.notBefore())
        .time(spec.deadlineAt())
        .number(spec.ttlMs())
        .number(retry.maxAttempts())
        .number(retry.maxLosses())
        .number(retry.backoffInitialMs())
        .number(retry.backoffCapMs())
        .number(lease.leaseTtlMs())
        .number(lease.heartbeatIntervalMs())
        .number(lease.cancelGraceMs())
        .number(lease.lostWaitMs());
  }

  private static void writeStatus(RowSink row, Job job) throws SQLException {
    row.text(job.state().name())
        .flag(job.claimable())
        .time(job.readyAt())
        .number(job.attempts())
        .number(job.failures())
        .number(job.losses())
        .number(job.fence())
        .number(job.enqueues())
        .number(job.returned());
    writeLease(row, job.lease());
    writeCancel(row, job.cancel());
    writeProgress(row, job.progress());
    row.text(job.reason()).number(job.lateReports()).number(job.updatedAt()).time(job.dueAt());
  }

  private static void writeLease(RowSink row, @Nullable Lease lease) throws SQLException {
    if (lease == null) {
      row.nulls(LEASE);
      return;
    }
    row.uuid(lease.attemptId())
        .text(lease.token())
        .text(lease.workerId())
        .number(lease.attempt())
        .number(lease.fence())
        .number(lease.claimedAt())
        .number(lease.startedAt())
        .time(lease.ttlMs())
        .time(lease.heartbeatIntervalMs())
        .time(lease.until());
  }

  private static void writeCancel(RowSink row, @Nullable Cancel cancel) throws SQLException {
    if (cancel == null) {
      row.nulls(CANCEL);
      return;
    }
    row.text(cancel.reason()).number(cancel.requestedAt()).time(cancel.graceUntil());
  }

  private static void writeProgress(RowSink row, Progress progress) throws SQLException {
    Integer percent = progress.percent();
    row.number(percent == null ? null : Long.valueOf(percent.longValue()))
        .text(progress.message())
        .text(progress.word())
        .number(progress.told());
  }

  static Job read(RowReader row, NeedsCatalog.Lookup needs) throws SQLException {
    UUID id = row.uuid();
    JobSpec spec = readSpec(row, needs);
    JobState state = state(id, row.text());
    return new Job(
        id,
        spec,
        state,
        row.flag(),
        row.time(),
        row.integer(),
        row.integer(),
        row.integer(),
        row.number(),
        row.integer(),
        row.integer(),
        readLease(row),
        readCancel(row),
        readProgress(row),
        row.textOrNull(),
        row.integer(),
        row.number(),
        row.time());
  }

  private static JobState state(UUID id, String name) {
    try {
      return JobState.valueOf(name);
    } catch (IllegalArgumentException e) {
      throw new UnknownStateException(id, name, e);
    }
  }

  /** Reads rows of a worker and the id of a job that it holds. */
  static Map<String, List<UUID>> readHeld(PreparedStatement select, Dialect dialect)
      throws SQLException {
    Map<String, List<UUID>> held = new HashMap<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        held.computeIfAbsent(row.text(), id -> new ArrayList<>()).add(row.uuid());
      }
    }
    return held;
  }

  static Fading readFading(RowReader row) throws SQLException {
    return new Fading(
        row.uuid(), row.text(), JobState.valueOf(row.text()), row.number(), row.number());
  }

  private static JobSpec readSpec(RowReader row, NeedsCatalog.Lookup needs) throws SQLException {
    return new JobSpec(
        row.text(),
        needs.of(row.number()),
        row.integer(),
        row.number(),
        row.time(),
        row.time(),
        row.number(),
        new RetryPolicy(row.integer(), row.integer(), row.number(), row.number()),
        new LeasePolicy(row.number(), row.number(), row.number(), row.number()));
  }

  private static @Nullable Lease readLease(RowReader row) throws SQLException {
    UUID attemptId = row.uuidOrNull();
    if (attemptId == null) {
      row.skip(LEASE.size() - 1);
      return null;
    }
    return new Lease(
        attemptId,
        row.text(),
        row.text(),
        row.integer(),
        row.number(),
        row.number(),
        row.number(),
        row.time(),
        row.time(),
        row.time());
  }

  private static @Nullable Cancel readCancel(RowReader row) throws SQLException {
    String reason = row.textOrNull();
    if (reason == null) {
      row.skip(CANCEL.size() - 1);
      return null;
    }
    return new Cancel(reason, row.number(), row.time());
  }

  private static Progress readProgress(RowReader row) throws SQLException {
    Integer percent = row.integerOrNull();
    String message = row.textOrNull();
    String word = row.textOrNull();
    int told = row.integer();
    return percent == null && message == null && word == null && told == 0
        ? Progress.NONE
        : new Progress(percent, message, word, told);
  }
}
