package dev.stint.client.sdk;

import dev.stint.client.Answer;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A job as the control plane shows it.
 *
 * @param status {@code queued}, {@code running}, {@code done}, {@code error} or {@code canceled}
 * @param result of a job that is done, as {@link dev.stint.client.Json} reads it
 * @param error what its last attempt failed with
 */
public record JobView(
    String id, String status, @Nullable Object result, @Nullable Object error, long attempts) {
  private static final Set<String> OVER = Set.of("done", "error", "canceled");

  /** The one that an answer tells of, or nothing if that says that there is none. */
  static Optional<JobView> in(Answer answer) throws RefusedException {
    if (answer.status() == 404) {
      return Optional.empty();
    } else if (!answer.isOk()) {
      throw new RefusedException(answer);
    }
    return Optional.of(
        new JobView(
            String.valueOf(answer.string("job_id")),
            String.valueOf(answer.string("status")),
            answer.body().get("result"),
            answer.body().get("error"),
            answer.number("attempts", 0)));
  }

  public boolean isOver() {
    return OVER.contains(status);
  }
}
