package dev.stint.engine;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An attempt that is over. The one under way is the job's {@link Lease}.
 *
 * @param next the state that its end put the job into: a repeated report is answered with it
 * @param result JSON, when it completed
 * @param error JSON, when it failed; when it stopped, what its worker said of that
 * @param metrics JSON, as the worker measured them
 */
public record Attempt(
    UUID jobId,
    UUID attemptId,
    String leaseToken,
    String workerId,
    int attempt,
    long fence,
    long claimedAt,
    long startedAt,
    long endedAt,
    End end,
    JobState next,
    @Nullable String result,
    @Nullable String error,
    @Nullable String metrics) {

  /** How an attempt ended. */
  public enum End {
    COMPLETED,
    FAILED,
    /** Its worker stopped before the end, and the job is over. */
    STOPPED,
    /** Its lease ran out. */
    LOST,
    /** It was never acknowledged; does not count. */
    EXPIRED,
    /** Given back by its worker; does not count. */
    RELEASED,
    /** The job was aborted, timed out or cancelled over its head. */
    REVOKED;

    /** Whether its worker said itself that it ended. */
    public boolean isReported() {
      return switch (this) {
        case COMPLETED, FAILED, STOPPED, RELEASED -> true;
        case LOST, EXPIRED, REVOKED -> false;
      };
    }
  }

  /** As {@link Lease#nativeMessage()}. */
  public @Nullable String nativeMessage() {
    return NativeToken.message(leaseToken);
  }

  @Override
  public String toString() {
    return "Attempt[" + attemptId + " of " + workerId + ", fence " + fence + ", " + end + "]";
  }
}
