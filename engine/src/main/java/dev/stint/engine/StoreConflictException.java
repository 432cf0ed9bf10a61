package dev.stint.engine;

/** Two transactions got in each other's way; this one was rolled back and may be tried again. */
public final class StoreConflictException extends RuntimeException {
  public StoreConflictException(Throwable cause) {
    super(cause);
  }
}
