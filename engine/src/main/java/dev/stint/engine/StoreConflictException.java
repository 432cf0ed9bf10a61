package dev.stint.engine;

/** Two transactions got in each other's way; this one was rolled back and may be tried again. */
public class StoreConflictException extends RuntimeException {
  public StoreConflictException(Throwable cause) {
    super(cause);
  }

  /** It waited for what another one holds, and gave up: another try would only wait as long. */
  public static final class InVain extends StoreConflictException {
    public InVain(Throwable cause) {
      super(cause);
    }
  }
}
