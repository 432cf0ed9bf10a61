package dev.stint.bench;

import java.util.List;
import java.util.Optional;

/**
 * All that a bench has to say.
 *
 * @param plan of the first run; the others differ in their connections only
 */
record Report(Database database, Plan plan, List<Run> runs) {

  /**
   * One number of connections.
   *
   * @param server empty where somebody else had started it
   */
  record Run(Figures figures, Optional<ServerFigures> server) {}

  static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }
}
