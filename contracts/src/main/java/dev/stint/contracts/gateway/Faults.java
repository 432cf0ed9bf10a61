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

  static Refusal noSuchEvent(String name) {
    return Refusal.invalid(name, "must be the id of an event of this job");
  }

  static Refusal tooManyReaders() {
    return Refusal.full("too_many_readers", "too many read the events of jobs; try again", 5);
  }
}
