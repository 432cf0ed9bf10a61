package dev.stint.engine;

import java.util.Objects;

/** When time alone will next change a job. */
final class Due {
  private Due() {}

  static long of(Job job, long retentionMs) {
    long gone = goneAt(job, retentionMs);
    return job.state().isTerminal()
        ? gone
        : Math.min(gone, Math.min(job.spec().deadlineAt(), nextMoveAt(job)));
  }

  /** When nothing of the job is kept any longer. */
  static long goneAt(Job job, long retentionMs) {
    return goneAt(job.state(), job.spec().ttlMs(), job.livesFrom(), retentionMs);
  }

  static long goneAt(JobState state, long ttlMs, long livesFrom, long retentionMs) {
    if (ttlMs > 0) {
      return Times.after(livesFrom, ttlMs);
    }
    return state.isTerminal() ? Times.after(livesFrom, retentionMs) : Times.NEVER;
  }

  private static long nextMoveAt(Job job) {
    return switch (job.state()) {
      case PENDING -> job.claimable() ? Times.NEVER : job.readyAt();
      case ASSIGNED -> Objects.requireNonNull(job.lease()).until();
      case RUNNING -> {
        long lostAt = Objects.requireNonNull(job.lease()).until();
        Cancel cancel = job.cancel();
        yield cancel == null ? lostAt : Math.min(lostAt, cancel.graceUntil());
      }
      case LOST, RETRYING -> job.readyAt();
      case COMPLETED, FAILED, ABORTED -> Times.NEVER;
    };
  }
}
