package dev.stint.engine;

/** The store does not answer, or cannot write. What was asked for may be asked again later. */
public final class StoreUnavailableException extends RuntimeException {
  public StoreUnavailableException(String message) {
    super(message);
  }

  public StoreUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
