package dev.stint.contracts.callback;

import dev.stint.contracts.Refusal;
import dev.stint.engine.JobState;
import java.util.Arrays;
import java.util.List;

/** This contract's words for states, outcomes and kinds of errors. */
final class Words {
  static final String CONTRACT = "callback";
  static final String TASK_EXPIRED = "task_expired";
  static final String TASK_ALREADY_TERMINAL = "task_already_terminal";
  static final String ATTEMPT_MISMATCH = "attempt_mismatch";
  static final String USER_REQUESTED = "user_requested";

  private Words() {}

  static String state(JobState state) {
    return switch (state) {
      case PENDING -> "QUEUED";
      case ASSIGNED -> "DISPATCHED";
      case RUNNING -> "RUNNING";
      case LOST -> "ZOMBIE";
      case RETRYING -> "RETRYING";
      case COMPLETED -> "SUCCEEDED";
      case FAILED -> "FAILED";
      case ABORTED -> "CANCELLED";
    };
  }

  /** How a worker may say that it ended. */
  enum Result {
    SUCCEEDED,
    FAILED,
    CANCELLED
  }

  /** The kinds of errors, and whether one of them is worth another try. */
  enum Category {
    USER_CODE(true),
    DATA_QUALITY(false),
    INFRASTRUCTURE(true),
    CONFIGURATION(false),
    TIMEOUT(true),
    CANCELLED(false);

    private final boolean retryable;

    Category(boolean retryable) {
      this.retryable = retryable;
    }

    boolean isRetryable() {
      return retryable;
    }
  }

  static Result result(String word) {
    return one(Result.values(), "outcome", word);
  }

  static Category category(String word) {
    return one(Category.values(), "error.category", word);
  }

  private static <E extends Enum<E>> E one(E[] all, String field, String word) {
    List<String> names = Arrays.stream(all).map(Enum::name).toList();
    int at = names.indexOf(word);
    if (at < 0) {
      throw Refusal.invalid(field, "must be one of " + String.join(", ", names));
    }
    return all[at];
  }
}
