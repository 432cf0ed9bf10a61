package dev.stint.engine;

/** The engine's own words for why a job is where it is. */
public final class Reasons {
  /** Its worker fell silent. */
  public static final String HEARTBEAT_TIMEOUT = "HEARTBEAT_TIMEOUT";

  /** Its worker did not stop in time when asked. */
  public static final String CANCEL_TIMEOUT = "CANCEL_TIMEOUT";

  /** Its deadline passed. */
  public static final String TIMEOUT = "TIMEOUT";

  /** Its worker came back and no longer ran it. */
  public static final String WORKER_RESTARTED = "WORKER_RESTARTED";

  /** Its worker's token was revoked. */
  public static final String WORKER_REVOKED = "WORKER_REVOKED";

  /** A worker had got it by its message before it was claimed. */
  public static final String DELIVERED_BEFORE = "DELIVERED_BEFORE";

  /** Its message was acknowledged, or is gone, and no result came. */
  public static final String ACKNOWLEDGED_WITHOUT_RESULT = "ACKNOWLEDGED_WITHOUT_RESULT";

  private Reasons() {}
}
