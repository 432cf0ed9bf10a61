package dev.stint.contracts.callback;

import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.TaskPass;
import dev.stint.engine.Job;
import dev.stint.engine.Proof;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What every callback has in common: which task, which attempt, and by what right.
 *
 * @param pass of the token that it came with; null if an admin reports in a worker's place
 */
record Report(
    Kind kind, UUID taskId, int attempt, String workerId, @Nullable TaskPass pass, Fields fields) {

  /** The three callbacks. */
  enum Kind {
    STARTED,
    HEARTBEAT,
    COMPLETED
  }

  /**
   * Reads a callback.
   *
   * @throws dev.stint.contracts.Refusal if its token is another task's or another attempt's
   */
  static Report of(Kind kind, Call call) {
    // What is no UUID names no task, and is answered like any other unknown one.
    UUID taskId = Requests.taskId(call);
    TaskPass pass = call.caller().task();
    if (pass != null && !pass.taskId().equals(taskId)) {
      throw Faults.otherTask();
    }
    Fields fields = Fields.of(call.body());
    int attempt = Requests.attempt(fields);
    if (pass != null && pass.attempt() != attempt) {
      throw Faults.otherAttempt();
    }
    return new Report(kind, taskId, attempt, fields.string("workerId"), pass, fields);
  }

  /** The token names one claim; an admin names the worker that holds the task. */
  Proof proof() {
    return pass == null
        ? new Proof(workerId, null, null, attempt, null)
        : new Proof(null, null, null, attempt, pass.fence(), workerId);
  }

  /** Whether the task has been given out again since. */
  boolean isOlderThan(Job job) {
    return pass == null ? job.attempts() > attempt : job.fence() > pass.fence();
  }
}
