package dev.stint.storage;

import dev.stint.engine.Attempt;
import dev.stint.engine.JobState;
import java.sql.SQLException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How an {@link Attempt} that is over becomes a row of {@code attempt} and a row an attempt. */
final class AttemptTable {
  static final Columns ALL =
      Columns.uuids("job_id", "attempt_id")
          .and(Columns.texts("lease_token", "worker_id"))
          .and(Columns.numbers("attempt", "fence", "claimed_at", "started_at", "ended_at"))
          .and(Columns.texts("ended_as", "next_state", "result", "error", "metrics"));

  private AttemptTable() {}

  static void write(RowSink row, Attempt attempt) throws SQLException {
    row.uuid(attempt.jobId())
        .uuid(attempt.attemptId())
        .text(attempt.leaseToken())
        .text(attempt.workerId())
        .number(attempt.attempt())
        .number(attempt.fence())
        .number(attempt.claimedAt())
        .number(attempt.startedAt())
        .number(attempt.endedAt())
        .text(attempt.end().name())
        .text(attempt.next().name())
        .text(attempt.result())
        .text(attempt.error())
        .text(attempt.metrics())
        .endRow();
  }

  static Attempt read(RowReader row) throws SQLException {
    return read(row, row.uuid());
  }

  /** The attempt that an outer join found, or null. */
  static @Nullable Attempt readIfThere(RowReader row) throws SQLException {
    UUID jobId = row.uuidOrNull();
    if (jobId == null) {
      row.skip(ALL.size() - 1);
      return null;
    }
    return read(row, jobId);
  }

  private static Attempt read(RowReader row, UUID jobId) throws SQLException {
    return new Attempt(
        jobId,
        row.uuid(),
        row.text(),
        row.text(),
        row.integer(),
        row.number(),
        row.number(),
        row.number(),
        row.number(),
        Attempt.End.valueOf(row.text()),
        JobState.valueOf(row.text()),
        row.textOrNull(),
        row.textOrNull(),
        row.textOrNull());
  }
}
