package dev.stint.client;

import java.io.IOException;

/** No answer came: nobody listens there, or the connection broke. */
public final class UnreachableException extends IOException {
  private final boolean isSent;

  UnreachableException(String message, Throwable cause, boolean isSent) {
    super(message, cause);
    this.isSent = isSent;
  }

  /** Whether something of the call may have been sent; then it is open whether it was heard. */
  public boolean isSent() {
    return isSent;
  }
}
