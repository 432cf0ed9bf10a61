package dev.stint.client.sdk;

/** A failure in words of the handler's own. */
public final class JobFailedException extends Exception {
  private final String code;
  private final boolean isRetryable;

  private JobFailedException(String code, String message, boolean isRetryable) {
    super(message);
    this.code = code;
    this.isRetryable = isRetryable;
  }

  /** No further try would help. */
  public static JobFailedException forGood(String code, String message) {
    return new JobFailedException(code, message, false);
  }

  /** Another try may help; the control plane makes one while attempts remain. */
  public static JobFailedException forNow(String code, String message) {
    return new JobFailedException(code, message, true);
  }

  /** A word for programs, such as {@code NO_SUCH_FILE}. */
  public String code() {
    return code;
  }

  public boolean isRetryable() {
    return isRetryable;
  }
}
