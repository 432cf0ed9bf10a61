package dev.stint.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * What became of every job of a run, as its answers told it. A job can be claimed before the answer
 * to its submit was read, since another connection may get it; so each step is only marked here,
 * and the sum is taken at the end.
 */
final class JobBook {
  private static final int SUBMITTED = 1;
  private static final int CLAIMED = 2;
  private static final int COMPLETED = 4;
  private static final int ALL = SUBMITTED | CLAIMED | COMPLETED;

  private final Map<String, Integer> stepsByJob = new HashMap<>();
  private final boolean countsOnly;
  private final int[] counts = new int[ALL];

  JobBook() {
    this(false);
  }

  private JobBook(boolean countsOnly) {
    this.countsOnly = countsOnly;
  }

  /** One that only compares how many were submitted, claimed and completed: for millions. */
  static JobBook counting() {
    return new JobBook(true);
  }

  void submitted(String jobId) throws RunFailedException {
    mark(jobId, SUBMITTED, "the id %s was given to two jobs");
  }

  void claimed(String jobId) throws RunFailedException {
    mark(jobId, CLAIMED, "job %s was given out twice");
  }

  void completed(String jobId) throws RunFailedException {
    mark(jobId, COMPLETED, "job %s was completed twice");
  }

  /** Fails unless every job seen was submitted, claimed and completed, each exactly once. */
  void verify() throws RunFailedException {
    if (counts[SUBMITTED] != counts[CLAIMED] || counts[CLAIMED] != counts[COMPLETED]) {
      throw new RunFailedException(
          "%d jobs were submitted, %d claimed and %d completed"
              .formatted(counts[SUBMITTED], counts[CLAIMED], counts[COMPLETED]));
    }
    for (Map.Entry<String, Integer> entry : stepsByJob.entrySet()) {
      int steps = entry.getValue();
      if (steps != ALL) {
        throw new RunFailedException(
            "job %s was %s, %s and %s"
                .formatted(
                    entry.getKey(),
                    (steps & SUBMITTED) == 0 ? "never submitted here" : "submitted",
                    (steps & CLAIMED) == 0 ? "never claimed" : "claimed",
                    (steps & COMPLETED) == 0 ? "never completed" : "completed"));
      }
    }
  }

  /** All jobs of the run, warm-up and drained ones included. */
  int jobs() {
    return countsOnly ? counts[SUBMITTED] : stepsByJob.size();
  }

  private void mark(String jobId, int step, String complaint) throws RunFailedException {
    if (countsOnly) {
      counts[step]++;
      return;
    }
    int before = stepsByJob.getOrDefault(jobId, 0);
    if ((before & step) != 0) {
      throw new RunFailedException(complaint.formatted(jobId));
    }
    stepsByJob.put(jobId, before | step);
  }
}
