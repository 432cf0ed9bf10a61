package dev.stint.worker;

import dev.stint.client.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job as it was given to this worker.
 *
 * @param workingDir where to run it, or null for the worker's own folder
 * @param timeoutMs 0 for none
 */
record Assignment(
    Mark mark,
    String assignmentId,
    long attempt,
    String command,
    List<String> args,
    @Nullable String workingDir,
    long timeoutMs) {

  String jobId() {
    return mark.jobId();
  }

  /** Null if the answer is no assignment at all. */
  static @Nullable Assignment of(Answer answer) {
    String jobId = answer.string("job_id");
    String assignmentId = answer.string("assignment_id");
    if (jobId == null || assignmentId == null) {
      return null;
    }
    long attempt = answer.number("attempt", answer.number("attempt_count", 1));
    String command = answer.string("command");
    String workingDir = answer.string("working_dir");
    return new Assignment(
        new Mark(jobId, answer.number("fence", attempt)),
        assignmentId,
        attempt,
        command == null ? "" : command,
        answer.body().get("args") instanceof List<?> args
            ? args.stream().map(String::valueOf).toList()
            : List.of(),
        workingDir == null || workingDir.isEmpty() ? null : workingDir,
        answer.number("timeout_ms", 0));
  }
}
