package dev.stint.contracts.lease;

import dev.stint.engine.JobState;

/** This contract's words. It has none for states but says where a failure put the job. */
final class Words {
  static final String LEASE_LOST = "lease_lost";
  static final String UNKNOWN_JOB = "unknown_job";

  private Words() {}

  static boolean isRequeued(JobState next) {
    return switch (next) {
      case RETRYING, PENDING -> true;
      case ASSIGNED, RUNNING, LOST, COMPLETED, FAILED, ABORTED -> false;
    };
  }

  static boolean isDeadLetter(JobState next) {
    return switch (next) {
      case FAILED -> true;
      case PENDING, ASSIGNED, RUNNING, LOST, RETRYING, COMPLETED, ABORTED -> false;
    };
  }
}
