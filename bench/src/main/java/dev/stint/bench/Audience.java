package dev.stint.bench;

import java.time.Duration;

/**
 * Readers that follow running jobs, {@value #READERS_PER_JOB} to a job, while each job's worker
 * reports {@value #REPORTS_PER_SECOND} times a second how far it is, whether or not anybody keeps
 * up with that.
 */
record Audience(int readers, int warmUpSeconds, int measuredSeconds) {
  static final int READERS_PER_JOB = 10;
  static final int REPORTS_PER_SECOND = 5;
  private static final Duration BETWEEN = Duration.ofSeconds(1).dividedBy(REPORTS_PER_SECOND);

  int jobs() {
    return Math.ceilDiv(readers, READERS_PER_JOB);
  }

  /** Of one job. */
  int reports() {
    return (warmUpSeconds + measuredSeconds) * REPORTS_PER_SECOND;
  }

  boolean counts(int report) {
    return report >= warmUpSeconds * REPORTS_PER_SECOND;
  }

  /** Jobs lie evenly between two reports of one of them. */
  Duration due(int report, int job) {
    return BETWEEN.multipliedBy(report).plus(BETWEEN.multipliedBy(job).dividedBy(jobs()));
  }

  Duration length() {
    return Duration.ofSeconds(warmUpSeconds + measuredSeconds);
  }
}
