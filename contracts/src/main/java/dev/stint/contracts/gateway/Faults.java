package dev.stint.contracts.gateway;

import dev.stint.contracts.Refusal;
import dev.stint.engine.Outcome;
import java.util.Set;
import java.util.TreeSet;

/** Refusals as this contract tells them. */
final class Faults {
  private static final int FULL_RETRY_SECONDS = 5;

  private Faults() {}

  static Refusal unknownJob() {
    return Refusal.notFound("unknown_job", "there is no such job, or its time to live is over");
  }

  static Refusal unknownTask(Set<String> tasks) {
    return Refusal.invalid("task", "must be one of " + String.join(", ", new TreeSet<>(tasks)));
  }

  static Refusal keyConflict() {
    return Refusal.conflict(
        "idempotency_conflict",
        "this Idempotency-Key was used for another body; use a new key for a new job");
  }

  static Refusal queueFull(Outcome.QueueFull full) {
    return Refusal.full(
        "queue_full",
        "%d jobs wait in queue %s; try again later".formatted(full.queued(), full.queue()),
        FULL_RETRY_SECONDS);
  }
}
