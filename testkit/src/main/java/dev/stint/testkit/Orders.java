package dev.stint.testkit;

import dev.stint.engine.Command;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.Lease;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Times;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Commands as tests give them: everything at its plainest, but for what the test is about. */
public final class Orders {
  public static final long LEASE_MS = 60_000;
  public static final long ASSIGNMENT_MS = 30_000;
  static final String TARGET = "http://there:80";
  private static final Command.Claim.Terms TERMS =
      new Command.Claim.Terms(LEASE_MS, LEASE_MS / 3, ASSIGNMENT_MS, LEASE_MS);

  private Orders() {}

  public static Command.Submit submit(String queue) {
    return submit(draft(queue, Needs.NOTHING, RetryPolicy.attempts(3)), null);
  }

  /** A job that is kept for so long after its last change. */
  public static Command.Submit submitFor(String queue, long ttlMs) {
    return submit(draft(queue, Needs.NOTHING, Times.NEVER, ttlMs, RetryPolicy.attempts(3)), null);
  }

  public static Command.Submit submit(Command.Submit.Draft draft, @Nullable IdempotencyKey key) {
    return new Command.Submit(JobIds.next(), draft, content(), key, Long.MAX_VALUE);
  }

  public static Command.Submit.Draft draft(String queue, Needs needs, RetryPolicy retry) {
    return draft(queue, needs, Times.NEVER, 0, retry);
  }

  static Command.Submit.Draft draft(
      String queue, Needs needs, long deadlineAt, long ttlMs, RetryPolicy retry) {
    return new Command.Submit.Draft(
        queue, needs, 0, 0, deadlineAt, ttlMs, retry, LeasePolicy.OF_THE_CLAIMER);
  }

  public static JobContent content() {
    return new JobContent("test", "chat", "{\"a\": 1}", null, Scope.NONE, null);
  }

  public static Command.Claim claim(String worker, String... queues) {
    return claimWithId(worker, null, queues);
  }

  public static Command.Claim claimWithId(
      String worker, @Nullable String claimId, String... queues) {
    return new Command.Claim(worker, List.of(queues), Skills.NONE, false, claimId, TERMS);
  }

  public static Command.Claim claimWith(String worker, Set<String> capabilities, String queue) {
    return new Command.Claim(
        worker, List.of(queue), new Skills(false, capabilities), false, null, TERMS);
  }

  public static Command.Claim assign(String worker, String queue) {
    return new Command.Claim(worker, List.of(queue), Skills.NONE, true, null, TERMS);
  }

  /** What takes jobs to {@link #TARGET} asks in this way. */
  static Command.Claim delivery(String name, String queue) {
    return new Command.Claim(name, List.of(queue), Skills.delivery(TARGET), true, null, TERMS);
  }

  public static Command.Register register(String worker, @Nullable String nonce) {
    return new Command.Register(worker, new Skills(true, Set.of("gpu")), 2, nonce, LEASE_MS);
  }

  public static Command.Beat beat(String worker, @Nullable Long seq) {
    return new Command.Beat(worker, seq, null, LEASE_MS, false);
  }

  public static Proof proof(Lease lease) {
    return new Proof(lease.workerId(), lease.attemptId(), lease.token(), null, null);
  }

  public static Command.Complete complete(Outcome.Claimed claimed, String result) {
    return new Command.Complete(claimed.job().id(), proof(claimed.lease()), result, null);
  }
}
