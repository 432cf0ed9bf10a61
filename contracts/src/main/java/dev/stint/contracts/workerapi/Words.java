package dev.stint.contracts.workerapi;

import dev.stint.contracts.Refusal;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Progress;
import java.util.Objects;
import java.util.Set;

/** The engine's states in this contract's words. */
final class Words {
  private static final String STARTED = "STARTED";
  private static final String SUCCESS = "SUCCESS";
  private static final String FAILURE = "FAILURE";
  private static final String REVOKED = "REVOKED";
  private static final Set<String> TERMINAL = Set.of(SUCCESS, FAILURE, REVOKED);

  private Words() {}

  /** While it runs, the word that its worker last used for it. */
  static String status(Job job) {
    return job.state() == JobState.RUNNING
        ? Objects.requireNonNullElse(job.progress().word(), STARTED)
        : status(job.state());
  }

  private static String status(JobState state) {
    return switch (state) {
      case PENDING -> "PENDING";
      case ASSIGNED, RUNNING -> STARTED;
      case LOST -> "LOST";
      case RETRYING -> "RETRY";
      case COMPLETED -> SUCCESS;
      case FAILED -> FAILURE;
      case ABORTED -> REVOKED;
    };
  }

  /** A word that a worker may set. */
  static String progress(String word) {
    if (!Progress.WORD.matcher(word).matches() || TERMINAL.contains(word)) {
      throw Refusal.invalid(
          "status",
          "must be 1 to 32 capital letters and underscores, and not SUCCESS, FAILURE or REVOKED,"
              + " which complete and fail set");
    }
    return word;
  }
}
