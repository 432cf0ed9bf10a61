package dev.stint.client;

import java.io.IOException;

/** No answer came: nobody listens there, or the connection broke. Whether it was heard is open. */
public final class UnreachableException extends IOException {
  UnreachableException(String message, Throwable cause) {
    super(message, cause);
  }
}
