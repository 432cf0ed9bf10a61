package dev.stint.contracts.callback;

import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Reasons;

/** Refusals as this contract tells them. */
final class Faults {
  private Faults() {}

  static Refusal unknownTask() {
    return Refusal.notFound("unknown_task", "there is no such task");
  }

  static Refusal otherTask() {
    return Refusal.forbidden("other_task", "this token is another task's");
  }

  static Refusal otherAttempt() {
    return Refusal.forbidden(
        "other_attempt", "`attempt` is not the attempt that this token was made for");
  }

  static Refusal notAllowedTarget() {
    return Refusal.forbidden(
        "dispatch_not_allowed", "`dispatchUrl` begins with none of the server's --dispatch-allow");
  }

  /** Why a report does not count: a newer attempt has its place, or its time is over. */
  static Reply stale(Report report, Job job) {
    if (report.isOlderThan(job)) {
      return attemptMismatch(report, job);
    }
    if (report.pass() == null && job.lease() != null) {
      return Refusal.conflict("not_held", "`workerId` does not hold this attempt").reply();
    }
    return job.state().isTerminal() && report.kind() != Report.Kind.HEARTBEAT
        ? alreadyTerminal(report, job)
        : expired(report, job);
  }

  private static Reply attemptMismatch(Report report, Job job) {
    Lease lease = job.lease();
    int expected =
        lease != null
            ? lease.attempt()
            : job.state().isTerminal() ? job.attempts() : job.failures() + job.losses() + 1;
    String message =
        switch (job.state()) {
          case COMPLETED, FAILED, ABORTED -> "A newer attempt has already completed";
          case PENDING, ASSIGNED, RUNNING, LOST, RETRYING -> "A newer attempt has taken its place";
        };
    return Reply.json(
        409,
        new JsonWriter()
            .add("error", Words.ATTEMPT_MISMATCH)
            .add("expectedAttempt", expected)
            .add("receivedAttempt", report.attempt())
            .add("message", message));
  }

  static Reply alreadyTerminal(Report report, Job job) {
    String before = report.kind() == Report.Kind.STARTED ? " before worker started" : "";
    return alreadyTerminal(job, "Task " + ended(job.state()) + before);
  }

  /** Too late to be cancelled. */
  static Reply alreadyTerminal(Job job) {
    return alreadyTerminal(job, "Task " + ended(job.state()) + " before it could be cancelled");
  }

  private static Reply alreadyTerminal(Job job, String message) {
    return Reply.json(
        409,
        new JsonWriter()
            .add("error", Words.TASK_ALREADY_TERMINAL)
            .add("state", Words.state(job.state()))
            .add("message", message));
  }

  private static String ended(JobState state) {
    return switch (state) {
      case ABORTED -> "was cancelled";
      case FAILED -> "had failed";
      case PENDING, ASSIGNED, RUNNING, LOST, RETRYING, COMPLETED -> "was completed";
    };
  }

  /** The attempt is over, and no other has taken its place. Only heartbeats know 410. */
  private static Reply expired(Report report, Job job) {
    String message;
    if (job.state().isTerminal()) {
      message = "Task has ended as " + Words.state(job.state());
    } else if (Reasons.HEARTBEAT_TIMEOUT.equals(job.reason())) {
      message = "Task exceeded heartbeat timeout";
    } else {
      message = "This attempt is over, and the task waits to be run again";
    }
    return Reply.json(
        report.kind() == Report.Kind.HEARTBEAT ? 410 : 409,
        new JsonWriter().add("error", Words.TASK_EXPIRED).add("message", message));
  }
}
