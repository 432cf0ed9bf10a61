package dev.stint.contracts.workerapi;

import dev.stint.contracts.Refusal;

/** Refusals as this contract tells them. */
final class Faults {
  private Faults() {}

  static Refusal unknownTask() {
    return Refusal.notFound("unknown_task", "there is no such task");
  }

  static Refusal unknownWorker() {
    return Refusal.notFound("unknown_worker", "there is no such worker");
  }

  static Refusal notHeld() {
    return Refusal.conflict("not_held", "this worker does not hold the task");
  }
}
