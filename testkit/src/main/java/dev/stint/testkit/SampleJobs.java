package dev.stint.testkit;

import dev.stint.engine.Attempt;
import dev.stint.engine.Cancel;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Times;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Jobs as a test wants them, made by hand and not by the rules. */
public final class SampleJobs {
  public static final JobContent CONTENT =
      new JobContent("lease", "train", "{\"n\": 1}", null, Scope.NONE, null);

  private SampleJobs() {}

  /** A claimable job without anything special. */
  public static Job pending(String queue) {
    return pending(JobIds.next(), queue, Needs.NOTHING, 0, 1_000);
  }

  public static Job pending(UUID id, String queue, Needs needs, int priority, long createdAt) {
    return pending(id, queue, needs, priority, createdAt, Times.NEVER);
  }

  /** A job that waits though its deadline is long over, as nobody has seen to it yet. */
  public static Job tooLate(String queue) {
    return pending(JobIds.next(), queue, Needs.NOTHING, 0, 1_000, 1_500);
  }

  private static Job pending(
      UUID id, String queue, Needs needs, int priority, long createdAt, long deadlineAt) {
    JobSpec spec =
        new JobSpec(
            queue,
            needs,
            priority,
            createdAt,
            createdAt,
            deadlineAt,
            0,
            RetryPolicy.attempts(3),
            LeasePolicy.OF_THE_CLAIMER);
    return new Job(
        id,
        spec,
        JobState.PENDING,
        true,
        createdAt,
        0,
        0,
        0,
        0,
        1,
        0,
        null,
        null,
        Progress.NONE,
        null,
        0,
        createdAt,
        Times.NEVER);
  }

  /** A job in which every field has a value of its own, so that none can be taken for another. */
  public static Job withEveryField(String queue, Needs needs) {
    JobSpec spec =
        new JobSpec(
            queue,
            needs,
            7,
            1_001,
            1_002,
            1_003,
            1_004,
            new RetryPolicy(5, 6, 1_005, 1_006),
            new LeasePolicy(1_007, 1_008, 1_009, 1_010));
    Lease lease =
        new Lease(
            JobIds.next(), "secret-token", "w-every", 11, 12, 1_011, 1_012, 1_013, 1_014, 1_015);
    return new Job(
        JobIds.next(),
        spec,
        JobState.RUNNING,
        false,
        1_016,
        13,
        14,
        15,
        16,
        17,
        21,
        lease,
        new Cancel("no longer needed", 1_017, 1_018),
        new Progress(42, "half-way", "MIXING", 7),
        "WHY",
        18,
        1_019,
        1_020);
  }

  /** {@code job}, held by a worker until {@code until}. */
  public static Job running(Job job, String workerId, long now, long until) {
    Lease lease =
        new Lease(
            JobIds.next(),
            "token-of-" + workerId,
            workerId,
            job.attempts() + 1,
            job.fence() + 1,
            now,
            now,
            until - now,
            1_000,
            until);
    return new Job(
        job.id(),
        job.spec(),
        JobState.RUNNING,
        false,
        job.readyAt(),
        job.attempts() + 1,
        job.failures(),
        job.losses(),
        job.fence() + 1,
        job.enqueues(),
        job.returned(),
        lease,
        job.cancel(),
        job.progress(),
        job.reason(),
        job.lateReports(),
        now,
        until);
  }

  /** {@code job} after a sign of life. */
  public static Job alive(Job job, Progress progress, long now, long until) {
    Lease held = Objects.requireNonNull(job.lease());
    Lease lease =
        new Lease(
            held.attemptId(),
            held.token(),
            held.workerId(),
            held.attempt(),
            held.fence(),
            held.claimedAt(),
            held.startedAt(),
            held.ttlMs(),
            held.heartbeatIntervalMs(),
            until);
    return new Job(
        job.id(),
        job.spec(),
        job.state(),
        false,
        job.readyAt(),
        job.attempts(),
        job.failures(),
        job.losses(),
        job.fence(),
        job.enqueues(),
        job.returned(),
        lease,
        job.cancel(),
        progress,
        job.reason(),
        job.lateReports(),
        now,
        job.dueAt());
  }

  /** {@code job}, ended. */
  public static Job ended(Job job, JobState state, long now, long dueAt) {
    return new Job(
        job.id(),
        job.spec(),
        state,
        false,
        job.readyAt(),
        job.attempts(),
        job.failures(),
        job.losses(),
        job.fence(),
        job.enqueues(),
        job.returned(),
        null,
        job.cancel(),
        job.progress(),
        job.reason(),
        job.lateReports(),
        now,
        dueAt);
  }

  /** {@code job}, on which time is to act at {@code dueAt}. */
  public static Job dueAt(Job job, long dueAt) {
    return with(job, job.lateReports(), dueAt);
  }

  /** {@code job}, of which so many reports came too late. */
  static Job withLateReports(Job job, int lateReports) {
    return with(job, lateReports, job.dueAt());
  }

  private static Job with(Job job, int lateReports, long dueAt) {
    return new Job(
        job.id(),
        job.spec(),
        job.state(),
        job.claimable(),
        job.readyAt(),
        job.attempts(),
        job.failures(),
        job.losses(),
        job.fence(),
        job.enqueues(),
        job.returned(),
        job.lease(),
        job.cancel(),
        job.progress(),
        job.reason(),
        lateReports,
        job.updatedAt(),
        dueAt);
  }

  public static Attempt completed(UUID jobId, long fence, @Nullable String result) {
    return new Attempt(
        jobId,
        JobIds.next(),
        "token " + fence,
        "w1",
        (int) fence,
        fence,
        2_001,
        2_002,
        2_003,
        Attempt.End.COMPLETED,
        JobState.COMPLETED,
        result,
        "{\"e\":1}",
        "{\"m\":2}");
  }

  public static Event event(UUID jobId, EventType type, JobState to, @Nullable String data) {
    return new Event(0, jobId, 3_001, type, null, to, 3, "w1", "because", data, "request-1");
  }
}
