package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** One job's life under the rules alone, on a clock that is moved by hand. */
final class Life {
  static final long RETENTION_MS = 1_000_000;
  static final long LEASE_MS = 60_000;
  static final long ASSIGNMENT_MS = 30_000;

  final Rules rules = new Rules(RETENTION_MS, new NativeWatch(false));
  final List<Event> events = new ArrayList<>();
  final List<Attempt> past = new ArrayList<>();
  final UUID id = new UUID(0x0190_0000_0000_7000L, 0x8000_0000_0000_0001L);
  long now = 1_000_000;
  @Nullable Job current;

  private final JobContent content = new JobContent("test", null, "{}", null, Scope.NONE, null);

  static Command.Submit.Draft draft(RetryPolicy retry) {
    return new Command.Submit.Draft(
        "q", Needs.NOTHING, 0, 0, Times.NEVER, 0, retry, LeasePolicy.OF_THE_CLAIMER);
  }

  static Life submitted() {
    return submitted(draft(RetryPolicy.attempts(3)));
  }

  static Life submitted(Command.Submit.Draft draft) {
    Life life = new Life();
    life.take(
        life.rules.submit(
            new Command.Submit(life.id, draft, life.content, null, Long.MAX_VALUE), life.now));
    return life;
  }

  Job job() {
    return Objects.requireNonNull(current);
  }

  Lease lease() {
    return Objects.requireNonNull(job().lease());
  }

  Life claimedBy(String worker) {
    return claimed(worker, false);
  }

  Life assignedTo(String worker) {
    return claimed(worker, true);
  }

  private Life claimed(String worker, boolean twoPhase) {
    Command.Claim claim =
        new Command.Claim(
            worker,
            List.of("q"),
            Skills.NONE,
            twoPhase,
            null,
            new Command.Claim.Terms(LEASE_MS, LEASE_MS / 3, ASSIGNMENT_MS, LEASE_MS));
    UUID attemptId = new UUID(id.getMostSignificantBits(), job().fence() + 1);
    take(
        rules.claim(
            new Store.Work(job(), content),
            claim,
            new Rules.Grant(attemptId, "token-" + (job().fence() + 1)),
            now));
    return this;
  }

  /** The proof that a lease worker sends. */
  Proof proof() {
    return proof(lease());
  }

  static Proof proof(Lease lease) {
    return new Proof(lease.workerId(), lease.attemptId(), lease.token(), null, null);
  }

  Outcome.OfReport report(Command.Report<Outcome.OfReport> report) {
    return take(rules.reports.report(job(), List.copyOf(past), report, now));
  }

  Outcome.OfReport complete() {
    return report(new Command.Complete(id, proof(), "{\"ok\":true}", null));
  }

  Outcome.OfReport fail(boolean retryable) {
    return report(new Command.Fail(id, proof(), retryable, "E", "{\"code\":\"E\"}", null));
  }

  Outcome.OfReport heartbeat() {
    return report(new Command.Heartbeat(id, proof(), Progress.NONE));
  }

  Outcome.OfCancel cancel() {
    return take(rules.requestCancel(job(), new Command.RequestCancel(id, "why", 30_000), now));
  }

  Outcome.OfAbort abort() {
    return take(rules.abort(job(), new Command.Abort(id, null, "now"), now));
  }

  Outcome.OfReplay replay(long delayMs) {
    return take(rules.replay(job(), new Command.Replay(id, delayMs), now));
  }

  Life tick() {
    take(rules.time.tick(job(), now));
    return this;
  }

  Life after(long millis) {
    now += millis;
    return this;
  }

  /** Lets time act for as long as it has something to do at this moment. */
  Life settle() {
    for (int steps = 0; current != null && current.dueAt() <= now; steps++) {
      if (steps > 20) {
        throw new AssertionError("time finds no end with " + current);
      }
      tick();
    }
    return this;
  }

  private <O> O take(Decision<O> decision) {
    current = decision.after();
    events.addAll(decision.events());
    if (decision.settled() != null) {
      past.add(decision.settled());
    }
    decision.events().forEach(VisitedMoves::note);
    return decision.outcome();
  }
}
