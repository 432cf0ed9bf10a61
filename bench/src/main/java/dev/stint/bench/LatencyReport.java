package dev.stint.bench;

import java.util.Optional;

/**
 * What a bench of paced workers has to say.
 *
 * @param server empty where somebody else had started it
 */
record LatencyReport(
    Database database, Pace pace, Figures figures, Optional<ServerFigures> server) {

  /**
   * What was measured.
   *
   * @param window the measured rounds, without the warm-up
   * @param commits of the server meanwhile
   */
  record Figures(Latencies latencies, Window window, Commits commits) {}
}
