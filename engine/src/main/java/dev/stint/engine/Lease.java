package dev.stint.engine;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The hold of one worker on one job for one attempt.
 *
 * @param attempt the number of this attempt among those that count
 * @param fence grows with every claim of the job, whether it counts as an attempt or not
 * @param startedAt when the worker acknowledged, 0 while it has not
 * @param ttlMs how far a heartbeat extends it
 * @param until when it runs out
 */
public record Lease(
    UUID attemptId,
    String token,
    String workerId,
    int attempt,
    long fence,
    long claimedAt,
    long startedAt,
    long ttlMs,
    long heartbeatIntervalMs,
    long until) {

  /**
   * The message by which its worker got the job without a claim, from the stream that it reads by
   * itself; null if it claimed.
   */
  public @Nullable String nativeMessage() {
    return NativeToken.message(token);
  }

  /** Whether it is the hold on the job as that is now. */
  public boolean isOf(Job job) {
    return job.lease() != null && job.lease().attemptId().equals(attemptId);
  }

  Lease extendedFrom(long now) {
    return new Lease(
        attemptId,
        token,
        workerId,
        attempt,
        fence,
        claimedAt,
        startedAt,
        ttlMs,
        heartbeatIntervalMs,
        Math.max(until, Times.after(now, ttlMs)));
  }

  Lease startedAt(long now) {
    return new Lease(
        attemptId,
        token,
        workerId,
        attempt,
        fence,
        claimedAt,
        now,
        ttlMs,
        heartbeatIntervalMs,
        Times.after(now, ttlMs));
  }

  /** The same lease in another worker's hands. */
  Lease heldBy(String newWorkerId) {
    return new Lease(
        attemptId,
        token,
        newWorkerId,
        attempt,
        fence,
        claimedAt,
        startedAt,
        ttlMs,
        heartbeatIntervalMs,
        until);
  }

  /** This lease as an attempt that is over. */
  Attempt settled(UUID jobId, long now, Attempt.End end, JobState next, Report report) {
    return new Attempt(
        jobId,
        attemptId,
        token,
        workerId,
        attempt,
        fence,
        claimedAt,
        startedAt,
        now,
        end,
        next,
        report.result(),
        report.error(),
        report.metrics());
  }

  @Override
  public String toString() {
    return "Lease[" + attemptId + " of " + workerId + ", fence " + fence + ", until " + until + "]";
  }

  /** What the worker said in the end, as JSON texts. */
  record Report(@Nullable String result, @Nullable String error, @Nullable String metrics) {
    static final Report NONE = new Report(null, null, null);
  }
}
