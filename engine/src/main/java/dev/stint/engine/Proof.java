package dev.stint.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * How a report shows which attempt it belongs to. Contracts differ in what they send: all that is
 * given has to fit, and at least one thing has to be given.
 *
 * @param by who reports, where its name proves nothing; whoever begins what was delivered holds it
 */
public record Proof(
    @Nullable String workerId,
    @Nullable UUID attemptId,
    @Nullable String leaseToken,
    @Nullable Integer attempt,
    @Nullable Long fence,
    @Nullable String by) {

  public Proof {
    if (workerId == null && attemptId == null && leaseToken == null && fence == null) {
      throw new IllegalArgumentException("a proof has to name something");
    }
  }

  public Proof(
      @Nullable String workerId,
      @Nullable UUID attemptId,
      @Nullable String leaseToken,
      @Nullable Integer attempt,
      @Nullable Long fence) {
    this(workerId, attemptId, leaseToken, attempt, fence, null);
  }

  /** Whether it is of the attempt that is under way. */
  boolean fits(Job job) {
    Lease lease = job.lease();
    // Who got a job by its message is known by a name that anybody may bear.
    return lease != null
        && (workerId == null || job.isHeldBy(workerId))
        && (leaseToken != null || lease.nativeMessage() == null)
        && fits(lease.workerId(), lease.attemptId(), lease.token(), lease.attempt(), lease.fence());
  }

  boolean fits(Attempt past) {
    return fits(past.workerId(), past.attemptId(), past.leaseToken(), past.attempt(), past.fence());
  }

  private boolean fits(String worker, UUID id, String token, int number, long itsFence) {
    return (workerId == null || workerId.equals(worker))
        && (attemptId == null || attemptId.equals(id))
        && (attempt == null || attempt == number)
        && (fence == null || fence == itsFence)
        && (leaseToken == null || sameSecret(leaseToken, token));
  }

  static boolean sameSecret(String given, String expected) {
    return MessageDigest.isEqual(
        given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return "Proof[" + workerId + ", " + attemptId + "]";
  }
}
