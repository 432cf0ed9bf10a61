package dev.stint.bench;

import java.util.HashMap;
import java.util.Map;

/**
 * What became of every job of a run, as its answers told it. A job can be claimed before the answer
 * to its submit was read, since another connection may get it; so each step is only marked here,
 * and the sum is taken at the end. A job with all its steps is only counted from then on: with
 * millions of them in memory the generator would take processor time from the server. If such a job
 * turns up again, it is one that was never submitted.
 */
final class JobBook {
  private static final int SUBMITTED = 1;
  private static final int CLAIMED = 2;
  private static final int COMPLETED = 4;
  private static final int ALL = SUBMITTED | CLAIMED | COMPLETED;

  private final Map<String, Integer> stepsByJob = new HashMap<>();
  private int done;

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
    for (Map.Entry<String, Integer> entry : stepsByJob.entrySet()) {
      int steps = entry.getValue();
      throw new RunFailedException(
          "job %s was %s, %s and %s"
              .formatted(
                  entry.getKey(),
                  (steps & SUBMITTED) == 0
                      ? "never submitted here, or was given out twice"
                      : "submitted",
                  (steps & CLAIMED) == 0 ? "never claimed" : "claimed",
                  (steps & COMPLETED) == 0 ? "never completed" : "completed"));
    }
  }

  /** All jobs of the run, warm-up and drained ones included. */
  int jobs() {
    return done + stepsByJob.size();
  }

  private void mark(String jobId, int step, String complaint) throws RunFailedException {
    int before = stepsByJob.getOrDefault(jobId, 0);
    if ((before & step) != 0) {
      throw new RunFailedException(complaint.formatted(jobId));
    }
    int after = before | step;
    if (after == ALL) {
      stepsByJob.remove(jobId);
      done++;
    } else {
      stepsByJob.put(jobId, after);
    }
  }
}
