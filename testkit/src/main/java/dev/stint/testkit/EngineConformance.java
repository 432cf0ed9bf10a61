package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outbox;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Reasons;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the engine promises over any store, at the real time. */
@Timeout(60)
public abstract class EngineConformance {
  private static final EngineSettings SMALL = new EngineSettings(Times.NEVER / 2, 64, 16, 8);

  /** Opens the store under test; a further call opens the same jobs again. */
  protected abstract Store openStore(Clock clock);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String queue = "q-" + UUID.randomUUID();
  private @Nullable FaultyStore openedStore;
  private @Nullable Engine startedEngine;

  @BeforeEach
  void open() {
    openedStore = new FaultyStore(openStore(Clock.systemUTC()));
    startedEngine = Engine.start(store(), EngineSettings.DEFAULT, Observer.NONE);
  }

  @AfterEach
  void close() {
    engine().close();
    store().close();
    threads.shutdownNow();
  }

  /** Starts another engine on the same store. */
  protected final void restart() {
    engine().close();
    startedEngine = Engine.start(store(), EngineSettings.DEFAULT, Observer.NONE);
  }

  protected final FaultyStore store() {
    return Objects.requireNonNull(openedStore);
  }

  protected final Engine engine() {
    return Objects.requireNonNull(startedEngine);
  }

  protected final String queue() {
    return queue;
  }

  @Test
  void aJobGoesFromSubmitToCompletedAndKeepsItsResult() {
    UUID id = submit();
    Outcome.Claimed claimed = claim("w");
    assertThat(claimed.job().id()).isEqualTo(id);
    assertThat(claimed.content().payload()).isEqualTo("{\"a\": 1}");
    engine().execute(Orders.complete(claimed, "{\"r\": [1, 2]}"), "req-1");
    Store.JobView view = view(id);
    assertThat(view.job().state()).isEqualTo(JobState.COMPLETED);
    assertThat(Objects.requireNonNull(view.last()).result()).isEqualTo("{\"r\": [1, 2]}");
    assertThat(store().events(id, 0, 10))
        .extracting(e -> e.type().word())
        .containsExactly("submitted", "claimed", "completed");
    assertThat(store().events(id, 0, 10).getLast().requestId()).isEqualTo("req-1");
  }

  @Test
  void onlyWithAMirrorAreChangesNotedForOne() {
    UUID id = submit();
    engine().execute(Orders.complete(claim("w"), "{}"), null);
    assertThat(store().notes(0, 1)).isEmpty();

    engine().close();
    EngineSettings mirrored = new EngineSettings(Times.NEVER / 2, 64, 16, 8, true);
    startedEngine = Engine.start(store(), mirrored, Observer.NONE);
    AtomicInteger told = new AtomicInteger();
    engine().outbox().onNote(told::incrementAndGet);
    UUID noted = submit();
    engine().execute(new Command.PauseQueue(queue, null), null);

    List<Store.Note> notes = engine().outbox().notes(0, 10);
    assertThat(notes).extracting(Store.Note::jobId).contains(noted).doesNotContain(id);
    assertThat(notes).extracting(Store.Note::queue).contains(queue);
    assertThat(told.get()).isEqualTo(2);
    engine().outbox().relayed(notes);
    assertThat(engine().outbox().notes(0, 10)).isEmpty();
  }

  @Test
  void aMirrorIsToldOnceUntilItLooksAndShownWhatTheStoreHas() {
    engine().close();
    EngineSettings mirrored = new EngineSettings(Times.NEVER / 2, 64, 16, 8, true);
    startedEngine = Engine.start(store(), mirrored, Observer.NONE);
    Outbox outbox = engine().outbox();
    outbox.lead();
    UUID id = submit();
    Outcome.Claimed claimed = claim("w");
    assertThat(notesOf(id)).hasSize(1);
    assertThat(outbox.isNew(id)).isTrue();

    Store.Mirrored stored = store().mirrored(List.of(id)).getFirst();
    assertThat(outbox.look(List.of(id)))
        .containsOnly(entry(id, new Outbox.Fresh(stored, store().events(id, 0, 9))));
    assertThat(outbox.isNew(id)).isFalse();
    engine().execute(Orders.complete(claimed, "{}"), null);
    assertThat(notesOf(id)).hasSize(2);
    assertThat(outbox.isNew(id)).isFalse();
    assertThat(outbox.look(List.of(id))).isEmpty();
  }

  private List<Store.Note> notesOf(UUID jobId) {
    return store().notes(0, 1_000).stream().filter(note -> jobId.equals(note.jobId())).toList();
  }

  @Test
  void aParkedClaimIsAnsweredWhenAJobComes() throws Exception {
    Future<Outcome.OfClaim> parked = park("w", 30_000);
    UUID id = submit();
    assertThat(jobOf(parked.get(10, TimeUnit.SECONDS))).isEqualTo(id);
  }

  @Test
  void whoDeliversIsToldWhatWaitsAndWhatComes() {
    Needs here = Needs.delivery("http://here:80");
    Needs there = Needs.delivery("http://there:80");
    RetryPolicy once = RetryPolicy.attempts(1);
    engine().execute(Orders.submit(Orders.draft(queue, here, once), null), null);
    Set<Needs> told = ConcurrentHashMap.newKeySet();
    engine().onReady(ready -> ready.forEach(kind -> told.add(kind.needs())));
    assertThat(told).contains(here).doesNotContain(there);
    engine().execute(Orders.submit(Orders.draft(queue, there, once), null), null);
    assertThat(told).contains(there);
    assertThat(engine().execute(Orders.claim("w", queue), null))
        .isEqualTo(new Outcome.NothingClaimable());
  }

  @Test
  void aParkedClaimIsAnsweredWithNothingWhenItsTimeIsUp() throws Exception {
    assertThat(park("w", 50).get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.NothingClaimable());
  }

  @Test
  void oneJobGoesToOneOfManyParkedClaimsAndTheOthersGoOnWaiting() throws Exception {
    List<Future<Outcome.OfClaim>> parked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      parked.add(park("w" + i, 30_000));
    }
    waitUntil(() -> engine().parkedClaims() == 20);
    submit();
    waitUntil(() -> parked.stream().filter(Future::isDone).count() == 1);
    for (int i = 0; i < 19; i++) {
      submit();
    }
    Set<UUID> given = new HashSet<>();
    for (Future<Outcome.OfClaim> claim : parked) {
      given.add(jobOf(claim.get(10, TimeUnit.SECONDS)));
    }
    assertThat(given).hasSize(20);
  }

  @Test
  void aWaiterWhoseClientIsGoneIsPassedOver() throws Exception {
    Future<Outcome.OfClaim> gone =
        threads.submit(
            () -> engine().claim(Orders.claim("gone", queue), 30_000, () -> () -> false, null));
    waitUntil(() -> engine().parkedClaims() == 1);
    Future<Outcome.OfClaim> there = park("there", 30_000);
    waitUntil(() -> engine().parkedClaims() == 2);
    UUID id = submit();
    assertThat(gone.get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.NothingClaimable());
    assertThat(jobOf(there.get(10, TimeUnit.SECONDS))).isEqualTo(id);
  }

  @Test
  void theSameClaimIdGivesTheSameLeaseWhileItIsHeld() {
    submit();
    submit();
    Outcome.Claimed first = claimed(Orders.claimWithId("w", "c1", queue));
    Outcome.Claimed again = claimed(Orders.claimWithId("w", "c1", queue));
    assertThat(again.lease()).isEqualTo(first.lease());
    assertThat(again.content()).isEqualTo(first.content());
    assertThat(claimed(Orders.claimWithId("v", "c1", queue)).lease()).isNotEqualTo(first.lease());
    engine().execute(Orders.complete(first, "{}"), null);
    assertThat(engine().execute(Orders.claimWithId("w", "c1", queue), null))
        .isEqualTo(new Outcome.NothingClaimable());
  }

  @Test
  void theSameClaimIdSentManyTimesAtOnceGivesOneLease() throws Exception {
    for (int i = 0; i < 20; i++) {
      submit();
    }
    List<Outcome.OfClaim> answers =
        all(20, () -> engine().execute(Orders.claimWithId("w", "c1", queue), null));
    assertThat(answers.stream().map(EngineConformance::jobOf).distinct()).hasSize(1);
  }

  @Test
  void equalSubmissionsUnderOneKeyMakeOneJob() throws Exception {
    IdempotencyKey key = new IdempotencyKey("k-" + queue, "hash");
    Command.Submit.Draft draft = Orders.draft(queue, Needs.NOTHING, RetryPolicy.attempts(1));
    List<Outcome.OfSubmit> answers =
        all(50, () -> engine().execute(Orders.submit(draft, key), null));
    assertThat(answers).filteredOn(o -> o instanceof Outcome.Submitted).hasSize(1);
    assertThat(answers).filteredOn(o -> o instanceof Outcome.Replayed).hasSize(49);
    assertThat(engine().execute(Orders.submit(draft, new IdempotencyKey(key.key(), "other")), null))
        .isInstanceOf(Outcome.KeyConflict.class);
  }

  @Test
  void aKeyIsFreeAgainWhenItsJobHasOutlivedItsTtl() throws Exception {
    IdempotencyKey key = new IdempotencyKey("k-" + queue, "hash");
    Command.Submit.Draft shortLived =
        new Command.Submit.Draft(
            queue,
            Needs.NOTHING,
            0,
            0,
            Times.NEVER,
            20,
            RetryPolicy.attempts(1),
            LeasePolicy.OF_THE_CLAIMER);
    Command.Submit first = Orders.submit(shortLived, key);
    engine().execute(first, null);
    waitUntil(() -> engine().find(first.jobId()).isEmpty());
    assertThat(engine().execute(Orders.submit(shortLived, key), null))
        .isInstanceOf(Outcome.Submitted.class);
  }

  @Test
  void aFullQueueRefusesAndTakesAgainWhenThereIsRoom() {
    Command.Submit one = Orders.submit(queue);
    Command.Submit bounded = new Command.Submit(one.jobId(), one.draft(), one.content(), null, 1);
    engine().execute(bounded, null);
    Command.Submit two = Orders.submit(queue);
    Command.Submit refused = new Command.Submit(two.jobId(), two.draft(), two.content(), null, 1);
    assertThat(engine().execute(refused, null)).isEqualTo(new Outcome.QueueFull(queue, 1, 60));
    claim("w");
    assertThat(engine().execute(refused, null)).isInstanceOf(Outcome.Submitted.class);
  }

  @Test
  void oneImpossibleCommandDoesNotFailItsNeighbours() throws Exception {
    Command.Submit taken = Orders.submit(queue);
    engine().execute(taken, null);
    AtomicInteger failures = new AtomicInteger();
    AtomicInteger turn = new AtomicInteger();
    all(
        60,
        () -> {
          boolean poison = turn.incrementAndGet() % 3 == 0;
          try {
            engine().execute(poison ? taken : Orders.submit(queue), null);
          } catch (RuntimeException e) {
            failures.incrementAndGet();
          }
          return poison;
        });
    assertThat(failures).hasValue(20);
    assertThat(queued()).isEqualTo(41);
  }

  @Test
  void aLeaseThatRunsOutIsGivenToAWaitingWorkerWithoutAnyCall() throws Exception {
    Command.Submit.Draft shortLease =
        new Command.Submit.Draft(
            queue,
            Needs.NOTHING,
            0,
            0,
            Times.NEVER,
            0,
            RetryPolicy.attempts(3),
            new LeasePolicy(150, 50, 0, 0));
    engine().execute(Orders.submit(shortLease, null), null);
    Outcome.Claimed first = claim("crashed");
    Outcome.OfClaim second = park("next", 30_000).get(20, TimeUnit.SECONDS);
    assertThat(jobOf(second)).isEqualTo(first.job().id());
    assertThat(((Outcome.Claimed) second).lease().fence()).isEqualTo(2);
    assertThat(engine().execute(Orders.complete(first, "{\"late\":true}"), null))
        .isInstanceOf(Outcome.Stale.class);
    assertThat(store().events(first.job().id(), 0, 20))
        .extracting(e -> e.type().word())
        .contains("lost", "recovered", "requeued", "late_result");
  }

  @Test
  void aScheduledJobIsGivenToAWaitingWorkerWhenItsTimeComes() throws Exception {
    Command.Submit.Draft later =
        new Command.Submit.Draft(
            queue,
            Needs.NOTHING,
            0,
            engine().now() + 200,
            Times.NEVER,
            0,
            RetryPolicy.attempts(3),
            LeasePolicy.OF_THE_CLAIMER);
    engine().execute(Orders.submit(later, null), null);
    assertThat(engine().execute(Orders.claim("w", queue), null))
        .isEqualTo(new Outcome.NothingClaimable());
    assertThat(park("w", 30_000).get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Claimed.class);
  }

  @Test
  void aWorkerGetsOnlyWhatItCanRunFromTheFirstQueueThatHasIt() {
    String other = queue + "-2";
    Command.Submit gpu =
        Orders.submit(Orders.draft(queue, Needs.of(List.of("gpu")), RetryPolicy.attempts(1)), null);
    Command.Submit plain = Orders.submit(other);
    engine().execute(gpu, null);
    engine().execute(plain, null);
    assertThat(claimed(Orders.claim("w", queue, other)).job().id()).isEqualTo(plain.jobId());
    assertThat(claimed(Orders.claimWith("w", Set.of("gpu", "ssd"), queue)).job().id())
        .isEqualTo(gpu.jobId());
  }

  @Test
  void abortByWorkerEndsAllThatItHolds() {
    submit();
    submit();
    submit();
    Outcome.Claimed one = claim("w");
    Outcome.Claimed two = claim("w");
    Outcome.Claimed others = claim("v");
    assertThat(engine().execute(new Command.AbortHeldBy("w", "drill"), null).jobIds())
        .containsExactlyInAnyOrder(one.job().id(), two.job().id());
    assertThat(job(one.job().id()).state()).isEqualTo(JobState.ABORTED);
    assertThat(job(others.job().id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void oneSignOfLifeOfAWorkerKeepsAllThatItRuns() {
    String worker = "w-" + queue;
    submit();
    submit();
    Outcome.Claimed running = claim(worker);
    Outcome.Claimed assigned = claimed(Orders.assign(worker, queue));
    assertThat(engine().execute(Orders.register(worker, null), null))
        .isInstanceOf(Outcome.Registered.class);

    Outcome.OfBeat outcome = engine().execute(Orders.beat(worker, 1L), null);

    assertThat(outcome)
        .isInstanceOfSatisfying(
            Outcome.Beaten.class,
            beaten -> {
              assertThat(beaten.applied()).isTrue();
              assertThat(beaten.held())
                  .extracting(Job::id)
                  .containsExactlyInAnyOrder(running.job().id(), assigned.job().id());
            });
    assertThat(lease(running).until()).isGreaterThanOrEqualTo(running.lease().until());
    // What was not acknowledged is not kept alive.
    assertThat(lease(assigned).until()).isEqualTo(assigned.lease().until());
    assertThat(engine().execute(Orders.beat(worker, 1L), null))
        .isInstanceOfSatisfying(
            Outcome.Beaten.class, beaten -> assertThat(beaten.applied()).isFalse());
    assertThat(engine().execute(Orders.beat("nobody-" + queue, 1L), null))
        .isEqualTo(new Outcome.UnknownWorker("nobody-" + queue));
  }

  @Test
  void aWorkerThatComesBackLosesAtOnceWhatItNoLongerRuns() {
    String worker = "w-" + queue;
    submit();
    submit();
    submit();
    Outcome.Claimed kept = claim(worker);
    Outcome.Claimed gone = claim(worker);
    Outcome.Claimed never = claimed(Orders.assign(worker, queue));

    Outcome.Reconnected back =
        engine()
            .execute(new Command.Reconnect(worker, Set.of(kept.job().id()), Orders.LEASE_MS), "r1");

    assertThat(back.held()).extracting(Job::id).containsExactly(kept.job().id());
    assertThat(job(gone.job().id()).losses()).isEqualTo(1);
    assertThat(job(gone.job().id()).reason()).isEqualTo(Reasons.WORKER_RESTARTED);
    assertThat(job(never.job().id()).state()).isEqualTo(JobState.PENDING);
    assertThat(job(never.job().id()).losses()).isZero();
  }

  @Test
  void onlyWhoKnowsTheNonceRegistersAgain() {
    String worker = "w-" + queue;
    engine().execute(Orders.register(worker, "h1"), "r1");
    assertThat(engine().execute(Orders.register(worker, "h2"), "r2"))
        .isEqualTo(new Outcome.NonceMismatch(worker));
    assertThat(engine().execute(Orders.register(worker, null), "r3"))
        .isEqualTo(new Outcome.NonceMismatch(worker));
    assertThat(engine().execute(Orders.register(worker, "h1"), "r4"))
        .isInstanceOf(Outcome.Registered.class);
    assertThat(
            engine()
                .history(new Store.EventFilter(null, worker, null, null), Long.MAX_VALUE, 10)
                .items())
        .extracting(event -> event.type() + " " + event.requestId())
        .containsExactly(
            "WORKER_REGISTERED r4",
            "WORKER_REFUSED r3",
            "WORKER_REFUSED r2",
            "WORKER_REGISTERED r1");
  }

  @Test
  void abortOfAJobThatAnotherHoldsIsRefused() {
    submit();
    Outcome.Claimed claimed = claim("w");
    UUID id = claimed.job().id();
    assertThat(engine().execute(new Command.Abort(id, "v", "drill"), null))
        .isInstanceOf(Outcome.NotHeld.class);
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(engine().execute(new Command.Abort(id, "w", "drill"), null))
        .isInstanceOf(Outcome.Ended.class);
  }

  private Lease lease(Outcome.Claimed claimed) {
    return Objects.requireNonNull(job(claimed.job().id()).lease());
  }

  @Test
  void manyWorkersAtOnceRunEveryJobOnce() throws Exception {
    all(300, () -> submit());
    Set<UUID> done = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    all(
        12,
        () -> {
          Outcome.OfClaim outcome = engine().execute(Orders.claim("w", queue), null);
          while (outcome instanceof Outcome.Claimed claimed) {
            if (!done.add(claimed.job().id())) {
              twice.incrementAndGet();
            }
            engine().execute(Orders.complete(claimed, "{}"), null);
            outcome = engine().execute(Orders.claim("w", queue), null);
          }
          return true;
        });
    assertThat(done).hasSize(300);
    assertThat(twice).hasValue(0);
    assertThat(engine().tally()).containsEntry(new Store.TallyKey(queue, JobState.COMPLETED), 300L);
  }

  @Test
  void whileTheStoreIsAwayCommandsAreRefusedAndAfterwardsAllGoesOn() {
    store().failNext(FaultyStore.Fault.BEFORE_COMMIT);
    assertThatThrownBy(this::submit).isInstanceOf(StoreUnavailableException.class);
    UUID id = submit();
    assertThat(claim("w").job().id()).isEqualTo(id);
  }

  @Test
  void moreCommandsThanTheLedgerTakesAreRefusedAtOnce() throws Exception {
    engine().close();
    startedEngine = Engine.start(store(), SMALL, Observer.NONE);
    store().standStill();
    AtomicInteger refused = new AtomicInteger();
    List<Future<Boolean>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(
          threads.submit(() -> {
            try {
              submit();
              return true;
            } catch (OverloadedException e) {
              refused.incrementAndGet();
              return false;
            }
          }));
    }
    waitUntil(() -> refused.get() >= 100);
    store().goOn();
    int accepted = 0;
    for (Future<Boolean> call : calls) {
      accepted += call.get(20, TimeUnit.SECONDS) ? 1 : 0;
    }
    assertThat(accepted + refused.get()).isEqualTo(300);
    assertThat(queued()).isEqualTo(accepted);
  }

  @Test
  void closingAnswersParkedClaimsAndKeepsWhatWasAccepted() throws Exception {
    Future<Outcome.OfClaim> parked = park("w", 60_000);
    waitUntil(() -> engine().parkedClaims() == 1);
    engine().stopWaiting();
    assertThat(parked.get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.NothingClaimable());
    UUID id = submit();
    engine().close();
    assertThatThrownBy(this::submit).isInstanceOf(OverloadedException.class);
    assertThat(store().find(id)).isPresent();
  }

  @Test
  void whoeverCallsWhileItClosesIsAnsweredAndWhatWasAcceptedIsThere() throws Exception {
    Set<UUID> accepted = ConcurrentHashMap.newKeySet();
    List<Future<?>> clients = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      clients.add(
          threads.submit(() -> {
            try {
              while (true) {
                accepted.add(submit());
              }
            } catch (OverloadedException closed) {
              return;
            }
          }));
    }
    waitUntil(() -> accepted.size() >= 50);
    engine().close();
    for (Future<?> client : clients) {
      client.get(10, TimeUnit.SECONDS);
    }
    assertThat(accepted).allMatch(id -> store().find(id).isPresent());
  }

  protected final UUID submit() {
    Command.Submit submit = Orders.submit(queue);
    assertThat(engine().execute(submit, null)).isInstanceOf(Outcome.Submitted.class);
    return submit.jobId();
  }

  protected final Outcome.Claimed claim(String worker) {
    return claimed(Orders.claim(worker, queue));
  }

  private Outcome.Claimed claimed(Command.Claim claim) {
    return (Outcome.Claimed) engine().execute(claim, null);
  }

  protected final Future<Outcome.OfClaim> park(String worker, long maxWaitMs) {
    return threads.submit(
        () -> engine().claim(Orders.claim(worker, queue), maxWaitMs, () -> () -> true, null));
  }

  protected static UUID jobOf(Outcome.OfClaim outcome) {
    return ((Outcome.Claimed) outcome).job().id();
  }

  private Store.JobView view(UUID id) {
    return engine().find(id).orElseThrow();
  }

  protected final Job job(UUID id) {
    return view(id).job();
  }

  private long queued() {
    return engine().tally().getOrDefault(new Store.TallyKey(queue, JobState.PENDING), 0L);
  }

  private <T> List<T> all(int times, Callable<T> call) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      futures.add(threads.submit(call));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get(30, TimeUnit.SECONDS));
    }
    return results;
  }

  /** For what has no signal to wait for. */
  protected static void waitUntil(java.util.function.BooleanSupplier condition)
      throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(2);
    }
  }
}
