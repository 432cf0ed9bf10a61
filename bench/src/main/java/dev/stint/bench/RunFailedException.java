package dev.stint.bench;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

/** The run cannot give a figure. The message is one line, meant for whoever started it. */
final class RunFailedException extends Exception {
  RunFailedException(String message) {
    super(message);
  }

  RunFailedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** The thread stays interrupted. */
  static RunFailedException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new RunFailedException("interrupted", e);
  }

  /** A connection to the server broke. */
  static RunFailedException broken(Target target, IOException e) {
    return new RunFailedException(
        "a connection to %s failed: %s".formatted(target.base(), e.getMessage()), e);
  }

  /**
   * Why a part of the load has ended.
   *
   * @param broken tells of a connection that broke
   */
  static RunFailedException of(
      ExecutionException e, Function<IOException, RunFailedException> broken) {
    return switch (e.getCause()) {
      case RunFailedException failed -> failed;
      case IOException lost -> broken.apply(lost);
      case null, default -> throw new IllegalStateException(e);
    };
  }
}
