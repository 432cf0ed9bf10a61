package dev.stint.bench;

/** Does the same number of jobs again and again, and counts the time of those rounds that count. */
final class Rounds {
  private Rounds() {}

  /** Takes so many jobs through their whole life. */
  interface Round {
    Done run(int jobs) throws RunFailedException;
  }

  /** How many of them were done, and how long that took. */
  record Done(int jobs, long nanos) {
    double perSecond() {
      return jobs * 1e9 / nanos;
    }
  }

  /** How many rounds counted, how many jobs they had, and how many of these were done. */
  record Pace(int rounds, int jobs, Done done) {}

  /**
   * Warms up, and measures.
   *
   * @param jobs of a round
   * @param warmUpJobs of a round that does not count
   */
  static Pace run(Contender.Order order, int jobs, int warmUpJobs, Round round)
      throws RunFailedException {
    long warm = System.nanoTime() + (long) (order.warmUpSeconds() * 1e9);
    do {
      round.run(warmUpJobs);
    } while (System.nanoTime() < warm);
    int rounds = 0;
    Done all = new Done(0, 0);
    Done done;
    do {
      done = round.run(jobs);
      all = new Done(all.jobs() + done.jobs(), all.nanos() + done.nanos());
      rounds++;
      // What was not done took no time that counts, so that rounds of it might never end.
    } while (done.jobs() == jobs && all.nanos() < order.seconds() * 1e9);
    return new Pace(rounds, rounds * jobs, all);
  }
}
