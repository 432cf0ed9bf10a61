package dev.stint.bench;

/** Does the same number of jobs again and again, and counts the time of those rounds that count. */
final class Rounds {
  private Rounds() {}

  /** Takes so many jobs through their whole life. */
  interface Round {
    void run(int jobs) throws RunFailedException;
  }

  /** How many rounds counted, and how quick their jobs were. */
  record Pace(int rounds, double jobsPerSecond) {}

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
    long begin = System.nanoTime();
    int rounds = 0;
    long nanos;
    do {
      round.run(jobs);
      rounds++;
      nanos = System.nanoTime() - begin;
    } while (nanos < order.seconds() * 1e9);
    return new Pace(rounds, (double) rounds * jobs * 1e9 / nanos);
  }
}
