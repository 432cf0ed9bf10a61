package dev.stint.worker;

/** The control plane does not take this worker. */
final class RefusedException extends Exception {
  RefusedException(String message) {
    super(message);
  }
}
