package dev.stint.contracts.gateway;

import dev.stint.contracts.Refusal;
import java.util.Set;
import java.util.TreeSet;

/** Refusals as this contract tells them. */
final class Faults {
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
}
