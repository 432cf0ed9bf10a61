package dev.stint.contracts.gateway;

import dev.stint.engine.JobState;

/** The engine's states in this contract's words. */
final class Words {
  private Words() {}

  static String status(JobState state) {
    return switch (state) {
      case PENDING, ASSIGNED, RETRYING -> "queued";
      case RUNNING, LOST -> "running";
      case COMPLETED -> "done";
      case FAILED -> "error";
      case ABORTED -> "canceled";
    };
  }
}
