package dev.stint.worker;

/** The control plane cannot be used just now; the same call may succeed later. */
final class AwayException extends Exception {
  AwayException(String message) {
    super(message);
  }
}
