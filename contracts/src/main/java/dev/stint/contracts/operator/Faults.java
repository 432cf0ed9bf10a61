package dev.stint.contracts.operator;

import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.engine.Job;

/** Refusals as this contract tells them. */
final class Faults {
  private static final int READERS_RETRY_SECONDS = 5;

  private Faults() {}

  static Refusal unknownJob() {
    return Refusal.notFound("unknown_job", "there is no such job, or its time to live is over");
  }

  static Refusal tooManyReaders() {
    return Refusal.full(
        "too_many_readers", "too many look at this server already", READERS_RETRY_SECONDS);
  }

  static Refusal unknownWorker() {
    return Refusal.notFound("unknown_worker", "there is no such worker");
  }

  static Reply notRevivable(Job job) {
    String why =
        switch (job.state()) {
          case FAILED, ABORTED -> "its deadline has passed";
          case COMPLETED -> "it has completed; submit it again";
          case PENDING, ASSIGNED, RUNNING, LOST, RETRYING -> "it has not ended";
        };
    return withState(Refusal.conflict("not_revivable", "the job cannot be retried: " + why), job);
  }

  static Reply alreadyTerminal(Job job) {
    return withState(Refusal.conflict("already_terminal", "the job has ended"), job);
  }

  private static Reply withState(Refusal refusal, Job job) {
    return refusal.reply(refusal.body().add("state", job.state().name()));
  }
}
