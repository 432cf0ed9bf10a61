package dev.stint.engine;

import org.slf4j.Logger;
import org.slf4j.event.Level;

/** How what has to go on says what went wrong. */
public final class Mishap {
  private Mishap() {}

  static void log(Logger log, String what, Throwable failure) {
    logAt(Level.ERROR, log, what, failure);
  }

  /** Logs it if that is possible: where memory is short, a line of the log may be too much. */
  public static void logAt(Level level, Logger log, String what, Throwable failure) {
    try {
      log.atLevel(level).setCause(failure).log(what);
    } catch (RuntimeException | Error e) {
      // There is nothing left to tell it with, and whoever calls this must go on.
    }
  }
}
