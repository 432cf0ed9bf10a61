package dev.stint.worker;

import java.nio.file.Path;

/** Another worker runs with the same state file. */
public final class StateInUseException extends RuntimeException {
  StateInUseException(Path file) {
    super(
        "another worker uses "
            + file
            + "; give this one a --state-file or --log-dir of its own, or more --slots to that one");
  }
}
