package dev.stint.bench;

import java.util.Optional;

/**
 * What a server has committed in some time, by its own count.
 *
 * @param count how many transactions
 * @param commands how many commands were in them
 * @param seconds how long they took, from begin to durable
 */
record Commits(double count, double commands, double seconds) {
  static final Commits NONE = new Commits(0, 0, 0);

  /** Reads Prometheus' text format; empty if it is not there. */
  static Optional<Commits> read(String metrics) {
    Optional<Double> count = value(metrics, "stint_commit_commands_count");
    Optional<Double> commands = value(metrics, "stint_commit_commands_sum");
    Optional<Double> seconds = value(metrics, "stint_commit_seconds_sum");
    if (count.isEmpty() || commands.isEmpty() || seconds.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(new Commits(count.get(), commands.get(), seconds.get()));
  }

  Commits plus(Commits other) {
    return new Commits(count + other.count, commands + other.commands, seconds + other.seconds);
  }

  Commits minus(Commits other) {
    return new Commits(count - other.count, commands - other.commands, seconds - other.seconds);
  }

  /** Commands in one commit on average; empty if there was none. */
  Optional<Double> batch() {
    return count > 0 ? Optional.of(commands / count) : Optional.empty();
  }

  /** Milliseconds of one commit on average; empty if there was none. */
  Optional<Double> millis() {
    return count > 0 ? Optional.of(seconds * 1e3 / count) : Optional.empty();
  }

  /** The sum of all series of a metric. */
  static Optional<Double> value(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " ") || line.startsWith(name + "{"))
        .map(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
        .reduce(Double::sum);
  }
}
