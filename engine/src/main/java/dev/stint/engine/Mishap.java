package dev.stint.engine;

import org.slf4j.Logger;

/** How what has to go on says what went wrong. */
final class Mishap {
  private Mishap() {}

  /** Logs it if that is possible: where memory is short, a line of the log may be too much. */
  static void log(Logger log, String what, Throwable failure) {
    try {
      log.error(what, failure);
    } catch (RuntimeException | Error e) {
      // There is nothing left to tell it with, and whoever calls this must go on.
    }
  }
}
