package dev.stint.cli;

import org.jspecify.annotations.Nullable;

/** The states of a job, as the control plane calls them. */
enum JobStatus {
  PENDING,
  ASSIGNED,
  RUNNING,
  LOST,
  RETRYING,
  COMPLETED,
  FAILED,
  ABORTED;

  boolean isEnd() {
    return this == COMPLETED || this == FAILED || this == ABORTED;
  }

  /** Null for a word of a newer control plane. */
  static @Nullable JobStatus of(Fields job) {
    for (JobStatus status : values()) {
      if (status.name().equals(job.text("status"))) {
        return status;
      }
    }
    return null;
  }

  /** Whether a worker has it. */
  static boolean isHeld(Fields job) {
    JobStatus status = of(job);
    return status == ASSIGNED || status == RUNNING;
  }

  static boolean isEnd(Fields job) {
    JobStatus status = of(job);
    return status != null && status.isEnd();
  }
}
