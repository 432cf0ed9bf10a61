package dev.stint.bench;

import java.util.Optional;

/** One that takes part in the comparison: driven with so many jobs, round by round. */
interface Contender {

  /** Under which {@code --only} finds it. */
  String peer();

  /** What its jobs are kept in. */
  Storage storage();

  /** Single calls or batches, and from how many at once. */
  String how();

  boolean isBatched();

  Result run(Order order) throws RunFailedException;

  /** Where a job is kept until it is done. */
  enum Storage {
    SQLITE("SQLite"),
    POSTGRES("PostgreSQL"),
    REDIS("Redis");

    private final String word;

    Storage(String word) {
      this.word = word;
    }

    String word() {
      return word;
    }
  }

  /**
   * What each of them is to do.
   *
   * @param jobs of a round
   * @param seconds rounds are repeated for so long; there is one at least
   * @param warmUpSeconds rounds that do not count go before, for so long
   */
  record Order(int jobs, int payloadBytes, double seconds, double warmUpSeconds) {}

  /**
   * What one of them did.
   *
   * @param durability the settings that decide what survives a power cut
   * @param jobsPerSecond through their whole life
   * @param submit jobs/s of submitting alone, where that was a phase of its own
   * @param work jobs/s of claiming and completing alone, likewise
   * @param remark what has to be known of the figure
   */
  record Result(
      String version,
      String durability,
      double jobsPerSecond,
      int rounds,
      Optional<Double> submit,
      Optional<Double> work,
      Optional<String> remark) {}
}
