package dev.stint.bench;

/** Does the same number of jobs again and again, and counts the time of those rounds that count. */
final class Rounds {
  private static final int WARM_UP_SHARE = 10;

  private Rounds() {}

  /** Takes so many jobs through their whole life. */
  interface Round {
    void run(int jobs) throws RunFailedException;
  }

  /** How many rounds counted, and how quick their jobs were. */
  record Pace(int rounds, double jobsPerSecond) {}

  /**
   * Warms up in small rounds, and measures.
   *
   * @param least of the jobs of a round
   */
  static Pace run(Contender.Order order, int least, Round round) throws RunFailedException {
    long warm = System.nanoTime() + (long) (order.warmUpSeconds() * 1e9);
    do {
      round.run(Math.max(least, order.jobs() / WARM_UP_SHARE));
    } while (System.nanoTime() < warm);
    long begin = System.nanoTime();
    int rounds = 0;
    long nanos;
    do {
      round.run(Math.max(least, order.jobs()));
      rounds++;
      nanos = System.nanoTime() - begin;
    } while (nanos < order.seconds() * 1e9);
    return new Pace(rounds, (double) rounds * Math.max(least, order.jobs()) * 1e9 / nanos);
  }
}
