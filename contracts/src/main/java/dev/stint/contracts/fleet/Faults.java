package dev.stint.contracts.fleet;

import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.engine.Job;

/** Refusals as this contract tells them. */
final class Faults {
  private Faults() {}

  static Refusal unknownJob() {
    return Refusal.notFound("unknown_job", "there is no such job");
  }

  static Refusal unknownWorker() {
    return Refusal.notFound("unknown_worker", "there is no such worker; register it first");
  }

  static Refusal nonceMismatch() {
    return Refusal.forbidden("nonce_mismatch", "this worker_id is registered with another nonce");
  }

  /** Somebody else has the job now, or nobody. */
  static Reply assignmentMismatch(Job job) {
    Refusal refusal =
        Refusal.conflict(
            "assignment_mismatch", "assignment_id is not the job's current one; drop the job");
    return refusal.reply(refusal.body().add("status", Words.status(job.state())));
  }

  static Refusal notHeld() {
    return Refusal.conflict("not_held", "the worker does not hold this job");
  }

  static Reply alreadyTerminal(Job job) {
    Refusal refusal = Refusal.conflict("already_terminal", "the job has ended");
    return refusal.reply(refusal.body().add("status", Words.status(job.state())));
  }
}
