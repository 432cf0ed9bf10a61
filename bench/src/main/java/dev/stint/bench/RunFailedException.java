package dev.stint.bench;

/** The run cannot give a figure. The message is one line, meant for whoever started it. */
final class RunFailedException extends Exception {
  RunFailedException(String message) {
    super(message);
  }

  RunFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
