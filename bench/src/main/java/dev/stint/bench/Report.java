package dev.stint.bench;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * All that a bench has to say: what was measured, on what, and one run per number of connections.
 */
record Report(Database database, Duration each, Duration warmUp, int payloadBytes, List<Run> runs) {

  /** One number of connections. */
  record Run(Figures figures, Optional<ServerFigures> server) {}

  static int cores() {
    return Runtime.getRuntime().availableProcessors();
  }
}
