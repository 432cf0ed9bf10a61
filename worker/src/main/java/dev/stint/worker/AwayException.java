package dev.stint.worker;

/** The control plane cannot be used just now; the same call may succeed later. */
final class AwayException extends Exception {
  private final boolean isForAll;

  /**
   * With what is in the way.
   *
   * @param isForAll other calls fare no better, since it is not there or lets nobody in
   */
  AwayException(String message, boolean isForAll) {
    super(message);
    this.isForAll = isForAll;
  }

  boolean isForAll() {
    return isForAll;
  }
}
