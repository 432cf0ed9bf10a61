package dev.stint.testkit;

import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Attempt;
import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outbox;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import dev.stint.engine.Transition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A handful of jobs, workers and leases, and what must be true of them. The model knows who was
 * given which lease and what was accepted from whom; the store tells what became of it.
 */
final class ModelWorld implements AutoCloseable {
  private static final EngineSettings SETTINGS =
      new EngineSettings(Times.NEVER / 4, 1_000, 64, 8, true);
  private static final int MAX_STEPS_TO_FINISH = 400;
  private static final int MAX_NOTES = 10_000;
  private static final long DEADLINE_MS = 35_000;
  private static final long TTL_MS = 100_000;

  /** More than a test takes, less than the shortest of these. */
  private static final long SLACK_MS = 20_000;

  enum Kind {
    SUBMIT,
    CLAIM,
    ASSIGN,
    START,
    HEARTBEAT,
    COMPLETE,
    FAIL,
    RELEASE,
    DELIVER,
    EMIT,
    ABANDON,
    CANCEL,
    ABORT,
    ABORT_WORKER,
    LOOK,
    BEAT,
    RECONNECT,
    ADVANCE,
    CRASH,
    FAULT_BEFORE_COMMIT,
    FAULT_AFTER_COMMIT
  }

  /** What to do, and to whom: the numbers choose among what there is. */
  record Step(Kind kind, int who, int how) {}

  /** What a mirror shows of a job. */
  private record Stamp(JobState state, long fence, boolean isHeld) {
    static Stamp of(Job job) {
      return new Stamp(job.state(), job.fence(), job.lease() != null);
    }
  }

  /**
   * A job as it was last seen.
   *
   * @param touched how far time had been moved on when it last changed
   */
  private record Sight(Job job, long touched) {}

  /**
   * What a claim that had a name was given.
   *
   * @param moved how far time had been moved on then
   */
  private record Given(Lease lease, long moved) {}

  private final MovableStore movable;
  private final String queue = "model-" + UUID.randomUUID();
  private final List<UUID> jobs = new ArrayList<>();
  private final List<Lease> leases = new ArrayList<>();
  private final Map<UUID, UUID> jobOfAttempt = new HashMap<>();
  private final Map<UUID, String> accepted = new HashMap<>();
  private final Map<UUID, Long> fences = new HashMap<>();
  private final Map<UUID, Stamp> shown = new HashMap<>();
  private final Map<UUID, Sight> seen = new HashMap<>();
  private final Map<UUID, IdempotencyKey> asked = new HashMap<>();
  private final Map<String, UUID> keys = new HashMap<>();
  private final Map<ClaimReceipt.Key, Given> given = new HashMap<>();
  private long moved;
  private FaultyStore store;
  private Engine engine;
  private boolean faultAhead;

  ModelWorld(MovableStore movable) {
    this.movable = movable;
    this.store = new FaultyStore(movable.open());
    this.engine = Engine.start(store, SETTINGS, Observer.NONE);
    engine.outbox().lead();
  }

  void take(Step step) {
    boolean faulty = faultAhead;
    try {
      perform(step);
    } catch (StoreUnavailableException e) {
      assertThat(faulty).as("only a fault made by the test may be seen").isTrue();
      faultAhead = false;
      settle();
    }
    forgetGone();
    jobs.forEach(id -> see(id, step.kind() == Kind.ADVANCE));
    jobs.forEach(this::check);
    checkMirror();
  }

  /** What has outlived its TTL must be gone, and nothing else may be. */
  private void forgetGone() {
    for (UUID id : List.copyOf(jobs)) {
      if (engine.find(id).isEmpty()) {
        Sight last = seen.get(id);
        assertThat(last == null ? 0 : last.job().spec().ttlMs()).as("%s is lost", id).isPositive();
        assertThat(moved - Objects.requireNonNull(last).touched())
            .as("%s went too early", id)
            .isGreaterThan(TTL_MS - SLACK_MS);
        jobs.remove(id);
        accepted.remove(id);
      }
    }
  }

  private void see(UUID id, boolean timeMoved) {
    Job job = view(id).job();
    assertThat(job.isExpired(store.now())).isFalse();
    Sight last = seen.get(id);
    long touched = last != null && !isTouched(last.job(), job, timeMoved) ? last.touched() : moved;
    seen.put(id, new Sight(job, touched));
  }

  /**
   * Where the clock is the database's, time moves on by moving the times of all jobs. That a report
   * came too late is counted, and is no change.
   */
  private static boolean isTouched(Job before, Job now, boolean timeMoved) {
    return timeMoved
        ? !Stamp.of(now).equals(Stamp.of(before))
        : !SampleJobs.withLateReports(now, before.lateReports()).equals(before);
  }

  private void perform(Step step) {
    switch (step.kind()) {
      case SUBMIT -> submit(step);
      case CLAIM -> claim(claimOf(step));
      case ASSIGN -> claim(Orders.assign(worker(step), queue));
      case START, HEARTBEAT, COMPLETE, FAIL, RELEASE, EMIT -> report(step);
      case ABANDON -> {
        report(step);
        settle();
      }
      case DELIVER -> deliver(step);
      case CANCEL, ABORT -> end(step);
      case ABORT_WORKER -> engine.execute(new Command.AbortHeldBy(worker(step), "drill"), null);
      case LOOK -> look();
      case BEAT -> beat(worker(step));
      case RECONNECT -> reconnect(worker(step), step.how());
      case ADVANCE -> advance(new long[] {1, 700, 10_000, 31_000, 61_000}[step.how() % 5]);
      case CRASH -> crash();
      case FAULT_BEFORE_COMMIT -> fault(FaultyStore.Fault.BEFORE_COMMIT);
      case FAULT_AFTER_COMMIT -> fault(FaultyStore.Fault.AFTER_COMMIT);
    }
  }

  /** Other worlds may live on the same database, and have workers of their own. */
  private String worker(Step step) {
    return "w" + step.who() % 3 + "-" + queue;
  }

  private void fault(FaultyStore.Fault fault) {
    store.failNext(fault);
    faultAhead = true;
  }

  private void submit(Step step) {
    int losses = step.how() % 3 == 0 ? 1 : RetryPolicy.LOSSES_COUNT_AS_ATTEMPTS;
    RetryPolicy retry = new RetryPolicy(1 + step.who() % 3, losses, 500, 2_000);
    long deadlineAt = step.how() % 4 == 2 ? store.now() + DEADLINE_MS : Times.NEVER;
    long ttlMs = step.how() % 4 == 3 ? TTL_MS : 0;
    Command.Submit.Draft draft = Orders.draft(queue, Needs.NOTHING, deadlineAt, ttlMs, retry);
    String hash = step.how() == 11 ? "another" : "one";
    IdempotencyKey key = step.who() < 8 ? null : new IdempotencyKey("k" + step.who() + queue, hash);
    Command.Submit submit = Orders.submit(draft, key);
    if (key != null) {
      asked.put(submit.jobId(), key);
    }
    // Only what was answered is promised; a submit that met a fault may be there or not.
    switch (engine.execute(submit, null)) {
      case Outcome.Submitted submitted -> {
        assertThat(submitted.job().id()).isEqualTo(submit.jobId());
        if (key != null) {
          UUID before = keys.put(key.key(), submit.jobId());
          assertThat(before == null || engine.find(before).isEmpty()).as("key is free").isTrue();
        }
        jobs.add(submit.jobId());
      }
      case Outcome.Replayed replayed -> checkKey(key, replayed.jobId(), true);
      case Outcome.KeyConflict conflict -> checkKey(key, conflict.jobId(), false);
      case Outcome.QueueFull full -> throw new AssertionError(full);
    }
  }

  /** A key stands for the job that was first submitted with it, answered or not. */
  private void checkKey(@Nullable IdempotencyKey key, UUID jobId, boolean isSame) {
    IdempotencyKey first = Objects.requireNonNull(asked.get(jobId));
    assertThat(Objects.requireNonNull(key).key()).isEqualTo(first.key());
    assertThat(key.equals(first)).isEqualTo(isSame);
    UUID known = keys.put(key.key(), jobId);
    assertThat(known == null || known.equals(jobId) || engine.find(known).isEmpty()).isTrue();
    if (!jobs.contains(jobId)) {
      jobs.add(jobId);
    }
  }

  private Command.Claim claimOf(Step step) {
    String claimId = step.how() % 2 == 0 ? "c" + step.how() / 2 % 2 : null;
    return Orders.claimWithId(worker(step), claimId, queue);
  }

  /** A claim with a name that is made again gives the same lease while that lasts. */
  private void claim(Command.Claim claim) {
    ClaimReceipt.Key name =
        claim.claimId() == null ? null : new ClaimReceipt.Key(claim.workerId(), claim.claimId());
    Lease same = name == null ? null : mustBeGivenAgain(name);
    if (engine.execute(claim, null) instanceof Outcome.Claimed claimed) {
      UUID id = claimed.job().id();
      Lease lease = claimed.lease();
      if (same != null) {
        assertThat(lease.attemptId()).isEqualTo(same.attemptId());
        assertThat(lease.token()).isEqualTo(same.token());
        return;
      }
      assertThat(claimed.job().spec().deadlineAt()).isGreaterThan(store.now());
      // One whose answer was lost in a fault has its fence already.
      boolean isUnanswered = name != null && !jobOfAttempt.containsKey(lease.attemptId());
      assertThat(lease.fence() + (isUnanswered ? 1 : 0)).isGreaterThan(fences.getOrDefault(id, 0L));
      leases.add(lease);
      jobOfAttempt.put(lease.attemptId(), id);
      if (name != null) {
        given.put(name, new Given(lease, moved));
      }
    } else {
      assertThat(same).isNull();
    }
  }

  private @Nullable Lease mustBeGivenAgain(ClaimReceipt.Key name) {
    Given before = given.get(name);
    if (before == null || moved - before.moved() >= ClaimReceipt.LIFE_MS - SLACK_MS) {
      return null;
    }
    return isHeld(before.lease()) ? before.lease() : null;
  }

  private boolean isHeld(Lease lease) {
    UUID id = Objects.requireNonNull(jobOfAttempt.get(lease.attemptId()));
    return engine
        .find(id)
        .map(view -> view.job().lease())
        .filter(held -> held.fence() == lease.fence())
        .isPresent();
  }

  /** A message reaches a worker: the newest one, or an old one; some find a claim in their way. */
  private void deliver(Step step) {
    if (jobs.isEmpty()) {
      return;
    }
    Job before = view(jobs.get(step.who() % jobs.size())).job();
    String enqueueId = step.how() % 4 == 0 ? before.id() + ":0" : before.enqueueId();
    Lease inTheWay = before.lease();
    long unanswered = inTheWay == null || step.how() % 3 > 0 ? 0 : inTheWay.fence();
    String message = "m-" + worker(step) + enqueueId;
    Command.Deliver deliver =
        new Command.Deliver(
            before.id(), enqueueId, message, worker(step), Orders.LEASE_MS, unanswered);
    if (engine.execute(deliver, null) instanceof Outcome.Delivered delivered) {
      Lease lease = delivered.lease();
      assertThat(lease.nativeMessage()).isEqualTo(message);
      // The same message again is the same lease, also if the first answer was lost in a fault.
      boolean again = inTheWay != null && message.equals(inTheWay.nativeMessage());
      assertThat(lease.fence()).isEqualTo(again ? before.fence() : before.fence() + 1);
      if (jobOfAttempt.put(lease.attemptId(), before.id()) == null) {
        leases.add(lease);
      }
    } else {
      assertThat(view(before.id()).job()).isEqualTo(before);
    }
  }

  private void report(Step step) {
    if (leases.isEmpty()) {
      return;
    }
    Lease lease = leases.get(leases.size() - 1 - step.who() % leases.size());
    UUID id = Objects.requireNonNull(jobOfAttempt.get(lease.attemptId()));
    Command.Report<Outcome.OfReport> report = reportOf(step, lease, id);
    if (engine.find(id).isEmpty()) {
      assertThat(engine.execute(report, null)).isInstanceOf(Outcome.UnknownJob.class);
      return;
    }
    Store.JobView before = view(id);
    Outcome.OfReport outcome = engine.execute(report, null);
    Job after = view(id).job();
    Lease holder = before.job().lease();
    if (holder != null && holder.fence() == lease.fence()) {
      checkAccepted(report, outcome);
    } else {
      checkRefusedOrRepeated(before.job(), after, report, lease, outcome);
    }
  }

  private static Command.Report<Outcome.OfReport> reportOf(Step step, Lease lease, UUID id) {
    return switch (step.kind()) {
      case START -> new Command.Start(id, Orders.proof(lease));
      case HEARTBEAT ->
          new Command.Heartbeat(
              id, Orders.proof(lease), new Progress(step.how() * 9, "at " + step.how(), null));
      case COMPLETE ->
          new Command.Complete(
              id, Orders.proof(lease), "{\"by\":" + lease.fence() + step.how() + "}", null);
      case FAIL ->
          new Command.Fail(id, Orders.proof(lease), step.how() % 4 > 0, "E", "{\"e\":1}", null);
      case RELEASE -> new Command.Release(id, Orders.proof(lease));
      case EMIT ->
          new Command.Emit(
              id, Orders.proof(lease), List.of(new Command.Emit.Saying("token", "drill", "{}")));
      case ABANDON -> new Command.Abandon(id, Orders.proof(lease), "drill");
      default -> throw new IllegalArgumentException(step.toString());
    };
  }

  private void checkAccepted(Command.Report<Outcome.OfReport> report, Outcome.OfReport outcome) {
    switch (report) {
      case Command.Start s -> assertThat(outcome).isInstanceOf(Outcome.Held.class);
      case Command.Heartbeat h -> assertThat(outcome).isInstanceOf(Outcome.Held.class);
      case Command.Complete complete -> {
        assertThat(outcome)
            .isEqualTo(new Outcome.Settled(complete.jobId(), JobState.COMPLETED, false));
        accepted.put(complete.jobId(), Objects.requireNonNull(complete.result()));
      }
      case Command.Fail f ->
          assertThat(outcome)
              .isInstanceOfSatisfying(
                  Outcome.Settled.class, settled -> assertThat(settled.repeated()).isFalse());
      case Command.Stop stop ->
          assertThat(outcome).isEqualTo(new Outcome.Settled(stop.jobId(), JobState.ABORTED, false));
      case Command.Release r -> assertThat(outcome).isInstanceOf(Outcome.Settled.class);
      case Command.Abandon a -> assertThat(outcome).isInstanceOf(Outcome.Settled.class);
      case Command.Emit e -> assertThat(outcome).isInstanceOf(Outcome.Held.class);
    }
  }

  private void checkRefusedOrRepeated(
      Job before, Job after, Command.Report<?> report, Lease lease, Outcome.OfReport outcome) {
    assertThat(after.state()).isEqualTo(before.state());
    assertThat(after.lease()).isEqualTo(before.lease());
    assertThat(after.fence()).isEqualTo(before.fence());
    Attempt mine =
        store.attempts(after.id()).stream()
            .filter(attempt -> attempt.fence() == lease.fence())
            .findFirst()
            .orElseThrow();
    boolean repeats =
        (report instanceof Command.Complete && mine.end() == Attempt.End.COMPLETED)
            || (report instanceof Command.Fail && mine.end() == Attempt.End.FAILED)
            || (report instanceof Command.Stop && mine.end() == Attempt.End.STOPPED)
            || (report instanceof Command.Release && mine.end() == Attempt.End.RELEASED)
            || (report instanceof Command.Abandon && mine.end() == Attempt.End.LOST);
    if (repeats) {
      assertThat(outcome).isEqualTo(new Outcome.Settled(after.id(), mine.next(), true));
    } else {
      assertThat(outcome).isInstanceOf(Outcome.Stale.class);
    }
  }

  private void end(Step step) {
    if (!jobs.isEmpty()) {
      UUID id = jobs.get(step.who() % jobs.size());
      boolean wasTerminal = view(id).job().state().isTerminal();
      Outcome outcome =
          step.kind() == Kind.CANCEL
              ? engine.execute(new Command.RequestCancel(id, "drill", 30_000), null)
              : engine.execute(new Command.Abort(id, null, "drill"), null);
      assertThat(outcome instanceof Outcome.AlreadyTerminal).isEqualTo(wasTerminal);
    }
  }

  /** A mirror looks at all that it was told of. */
  private void look() {
    Outbox outbox = engine.outbox();
    List<Store.Note> notes = outbox.notes(0, MAX_NOTES);
    Set<UUID> ids = jobsOf(notes);
    Map<UUID, Outbox.Fresh> fresh = outbox.look(ids);
    for (Store.Mirrored job : outbox.jobs(ids)) {
      UUID id = job.view().job().id();
      shown.put(id, Stamp.of(job.view().job()));
      Outbox.Fresh unread = fresh.get(id);
      if (unread != null) {
        assertThat(unread).isEqualTo(new Outbox.Fresh(job, store.events(id, 0, 1_000)));
      }
    }
    outbox.relayed(notes);
  }

  private static Set<UUID> jobsOf(List<Store.Note> notes) {
    return notes.stream().map(Store.Note::jobId).filter(Objects::nonNull).collect(toSet());
  }

  /** What the mirror does not show it was told of. */
  private void checkMirror() {
    Set<UUID> told = jobsOf(store.notes(0, MAX_NOTES));
    for (UUID id : jobs) {
      if (!told.contains(id)) {
        assertThat(shown.get(id)).as("what is shown").isEqualTo(Stamp.of(view(id).job()));
      }
    }
  }

  private void beat(String worker) {
    List<UUID> before = heldBy(worker);
    if (engine.execute(Orders.beat(worker, null), null) instanceof Outcome.Beaten beaten) {
      assertThat(promised(beaten.held())).containsExactlyInAnyOrderElementsOf(before);
      beaten.held().stream()
          .filter(job -> job.state() == JobState.RUNNING)
          .forEach(job ->
              assertThat(Objects.requireNonNull(job.lease()).until())
                  .isGreaterThanOrEqualTo(job.updatedAt() + Orders.LEASE_MS));
    }
  }

  /** A worker comes back with some of what it held. */
  private void reconnect(String worker, int how) {
    List<UUID> before = heldBy(worker);
    List<UUID> kept = before.subList(0, how % (before.size() + 1));
    Outcome.Reconnected back =
        engine.execute(new Command.Reconnect(worker, Set.copyOf(kept), Orders.LEASE_MS), null);
    assertThat(promised(back.held())).containsExactlyInAnyOrderElementsOf(kept);
    settle();
  }

  /** Without those whose submission was never answered. */
  private List<UUID> promised(List<Job> held) {
    return held.stream().map(Job::id).filter(jobs::contains).toList();
  }

  private List<UUID> heldBy(String worker) {
    return jobs.stream()
        .map(id -> view(id).job())
        .filter(job -> job.lease() != null && job.lease().workerId().equals(worker))
        .filter(job -> Objects.requireNonNull(job.lease()).nativeMessage() == null)
        .map(Job::id)
        .toList();
  }

  private void advance(long millis) {
    movable.advance(millis);
    moved += millis;
    // Where the clock is the database's, it was the jobs that were moved, and nobody was told.
    engine.outbox().follow();
    engine.outbox().lead();
    watchNatives();
    settle();
  }

  /** As if somebody had looked all the time, for longer than any lease is. */
  private void watchNatives() {
    long now = engine.now();
    for (long at = now - 10 * Orders.LEASE_MS; at < now; at += 1_000) {
      engine.lookedAtNatives(at, at);
    }
    engine.lookedAtNatives(now, now);
  }

  /** Lets time do all it has to do now, so that it does nothing while the next step is checked. */
  private void settle() {
    Outcome.Swept swept;
    do {
      swept = engine.execute(new Command.Sweep(10), null);
    } while (swept.nextDueAt() <= store.now());
  }

  private void crash() {
    faultAhead = false;
    store.close();
    engine.close();
    store = new FaultyStore(movable.open());
    engine = Engine.start(store, SETTINGS, Observer.NONE);
    engine.outbox().lead();
  }

  /** What holds for a job at any moment. */
  private void check(UUID id) {
    Store.JobView view = view(id);
    Job job = view.job();
    assertThat(job.fence())
        .as("the fence only grows")
        .isGreaterThanOrEqualTo(fences.getOrDefault(id, 0L));
    fences.put(id, job.fence());
    RetryPolicy retry = job.spec().retry();
    int most = retry.maxAttempts() + Math.max(0, retry.maxLosses());
    assertThat(job.attempts()).as("attempts").isLessThanOrEqualTo(most);
    assertThat(job.lease() != null).as("held means leased").isEqualTo(job.state().isHeld());
    checkEvents(job);
    checkAttempts(job);
    String result = accepted.get(id);
    if (result != null) {
      assertThat(job.state()).isEqualTo(JobState.COMPLETED);
      assertThat(Objects.requireNonNull(view.last()).result()).isEqualTo(result);
    }
  }

  private void checkEvents(Job job) {
    @Nullable JobState state = null;
    for (Event event : store.events(job.id(), 0, 1_000)) {
      assertThat(event.from()).as("events are a chain").isEqualTo(state);
      JobState to = Objects.requireNonNull(event.to());
      if (event.from() != to) {
        assertThat(new Transition(event.type(), event.from(), to).isLegal()).isTrue();
      }
      state = to;
    }
    assertThat(state).as("every change has its event").isEqualTo(job.state());
  }

  private void checkAttempts(Job job) {
    List<Attempt> past = store.attempts(job.id());
    assertThat(past).extracting(Attempt::fence).doesNotHaveDuplicates();
    int held = job.state().isHeld() ? 1 : 0;
    assertThat((long) past.size() + held).as("each claim is one attempt").isEqualTo(job.fence());
    assertThat(past.stream().filter(a -> a.end() == Attempt.End.COMPLETED).count())
        .isLessThanOrEqualTo(1);
  }

  /** Lets willing workers run what is left. */
  void finishEverything() {
    store.failNext(FaultyStore.Fault.NONE);
    faultAhead = false;
    for (int i = 0; i < MAX_STEPS_TO_FINISH && !unfinished().isEmpty(); i++) {
      if (engine.execute(Orders.claim("finisher", queue), null)
          instanceof Outcome.Claimed claimed) {
        engine.execute(Orders.complete(claimed, "{}"), null);
      } else {
        advance(31_000);
      }
      forgetGone();
    }
    jobs.forEach(this::check);
  }

  List<Job> unfinished() {
    return jobs.stream().map(id -> view(id).job()).filter(j -> !j.state().isTerminal()).toList();
  }

  private Store.JobView view(UUID id) {
    return engine.find(id).orElseThrow(() -> new AssertionError("job " + id + " is lost"));
  }

  @Override
  public void close() {
    engine.close();
    store.close();
  }
}
