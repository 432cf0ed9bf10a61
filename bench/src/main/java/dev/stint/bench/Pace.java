package dev.stint.bench;

import java.time.Duration;

/**
 * Workers that take one task a second each, whatever the server does: when each call is due is
 * known beforehand, so that a slow answer cannot put off the calls that would have seen it too.
 *
 * @param warmUpRounds how many tasks each worker does before anything counts
 * @param measuredRounds how many it does that count
 * @param payloadBytes the size of a task's payload
 */
record Pace(int workers, int warmUpRounds, int measuredRounds, int payloadBytes) {
  private static final Duration ROUND = Duration.ofSeconds(1);

  /** The three of each worker, and a submit for it. */
  int callsPerSecond() {
    return workers * (WorkerCall.values().length + 1);
  }

  int rounds() {
    return warmUpRounds + measuredRounds;
  }

  int tasks() {
    return workers * rounds();
  }

  boolean counts(int round) {
    return round >= warmUpRounds;
  }

  Duration length() {
    return startOf(rounds());
  }

  Duration startOf(int round) {
    return ROUND.multipliedBy(round);
  }

  /**
   * Workers lie evenly in a round, and so do the calls of one worker: it beats while it holds its
   * task, as real ones do.
   */
  Duration due(int round, int worker, WorkerCall call) {
    return startOf(round)
        .plus(ROUND.multipliedBy(worker).dividedBy(workers))
        .plus(ROUND.multipliedBy(call.thirds()).dividedBy(3));
  }

  /** In the middle between two polls. */
  Duration submitDue(int round, int worker) {
    return startOf(round).plus(ROUND.multipliedBy(2L * worker + 1).dividedBy(2L * workers));
  }
}
