package dev.stint.bench;

import java.util.Optional;

/**
 * What a bench of readers has to say.
 *
 * @param server empty where somebody else had started it
 */
record AudienceReport(
    Database database, Audience audience, Figures figures, Optional<ServerFigures> server) {

  /**
   * What was measured.
   *
   * @param sinceSent from sending a report until a reader has it
   * @param sinceAnswer from the answer to a report, which comes after its commit, until a reader
   *     has it; 0 if the reader had it first
   * @param window the measured time, without the warm-up
   */
  record Figures(Histogram sinceSent, Histogram sinceAnswer, Window window) {}
}
