package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.engine.Command;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outbox;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the engine promises over any store, at the real time. */
public abstract class EngineConformance extends WorkersEngineConformance {
  private static final EngineSettings SMALL = new EngineSettings(Times.NEVER / 2, 64, 16, 8, false);

  @Test
  void jobsAreClaimedInTheOrderInWhichTheyCameHoweverFast() {
    List<UUID> submitted = Stream.generate(this::submit).limit(30).toList();
    List<UUID> claimed = Stream.generate(() -> claim("w").job().id()).limit(30).toList();
    assertThat(claimed).containsExactlyElementsOf(submitted);
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

    EngineSettings mirrored = new EngineSettings(Times.NEVER / 2, 64, 16, 8, true);
    restart(mirrored);
    AtomicInteger told = new AtomicInteger();
    engine().outbox().onNote(told::incrementAndGet);
    UUID noted = submit();
    engine().execute(new Command.PauseQueue(queue(), null), null);

    List<Store.Note> notes = engine().outbox().notes(0, 10);
    assertThat(notes).extracting(Store.Note::jobId).contains(noted).doesNotContain(id);
    assertThat(notes).extracting(Store.Note::queue).contains(queue());
    assertThat(told.get()).isEqualTo(2);
    engine().outbox().relayed(notes);
    assertThat(engine().outbox().notes(0, 10)).isEmpty();
  }

  @Test
  void aMirrorIsToldOnceUntilItLooksAndShownWhatTheStoreHas() {
    EngineSettings mirrored = new EngineSettings(Times.NEVER / 2, 64, 16, 8, true);
    restart(mirrored);
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
  void equalSubmissionsUnderOneKeyMakeOneJob() throws Exception {
    IdempotencyKey key = new IdempotencyKey("k-" + queue(), "hash");
    Command.Submit.Draft draft = Orders.draft(queue(), Needs.NOTHING, RetryPolicy.attempts(1));
    List<Outcome.OfSubmit> answers =
        all(50, () -> engine().execute(Orders.submit(draft, key), null));
    assertThat(answers).filteredOn(o -> o instanceof Outcome.Submitted).hasSize(1);
    assertThat(answers).filteredOn(o -> o instanceof Outcome.Replayed).hasSize(49);
    assertThat(engine().execute(Orders.submit(draft, new IdempotencyKey(key.key(), "other")), null))
        .isInstanceOf(Outcome.KeyConflict.class);
  }

  @Test
  void aKeyIsFreeAgainWhenItsJobHasOutlivedItsTtl() throws Exception {
    IdempotencyKey key = new IdempotencyKey("k-" + queue(), "hash");
    Command.Submit.Draft shortLived =
        new Command.Submit.Draft(
            queue(),
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
    Command.Submit one = Orders.submit(queue());
    Command.Submit bounded = new Command.Submit(one.jobId(), one.draft(), one.content(), null, 1);
    engine().execute(bounded, null);
    Command.Submit two = Orders.submit(queue());
    Command.Submit refused = new Command.Submit(two.jobId(), two.draft(), two.content(), null, 1);
    assertThat(engine().execute(refused, null)).isEqualTo(new Outcome.QueueFull(queue(), 1, 60));
    claim("w");
    assertThat(engine().execute(refused, null)).isInstanceOf(Outcome.Submitted.class);
  }

  @Test
  void oneImpossibleCommandDoesNotFailItsNeighbours() throws Exception {
    Command.Submit taken = Orders.submit(queue());
    engine().execute(taken, null);
    AtomicInteger failures = new AtomicInteger();
    AtomicInteger turn = new AtomicInteger();
    all(
        60,
        () -> {
          boolean poison = turn.incrementAndGet() % 3 == 0;
          try {
            engine().execute(poison ? taken : Orders.submit(queue()), null);
          } catch (RuntimeException e) {
            failures.incrementAndGet();
          }
          return poison;
        });
    assertThat(failures).hasValue(20);
    assertThat(queued()).isEqualTo(41);
  }

  @Test
  void manyWorkersAtOnceRunEveryJobOnce() throws Exception {
    all(300, () -> submit());
    Set<UUID> done = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    all(
        12,
        () -> {
          Outcome.OfClaim outcome = engine().execute(Orders.claim("w", queue()), null);
          while (outcome instanceof Outcome.Claimed claimed) {
            if (!done.add(claimed.job().id())) {
              twice.incrementAndGet();
            }
            engine().execute(Orders.complete(claimed, "{}"), null);
            outcome = engine().execute(Orders.claim("w", queue()), null);
          }
          return true;
        });
    assertThat(done).hasSize(300);
    assertThat(twice).hasValue(0);
    assertThat(engine().tally())
        .containsEntry(new Store.TallyKey(queue(), JobState.COMPLETED), 300L);
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
    restart(SMALL);
    store().standStill();
    AtomicInteger refused = new AtomicInteger();
    List<Future<Boolean>> calls = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      calls.add(
          begin(() -> {
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
          begin(() -> {
            try {
              while (true) {
                accepted.add(submit());
              }
            } catch (OverloadedException closed) {
              return closed;
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

  @Test
  void whatIsToBeRemovedKeepsNoLostLeaseWaiting() {
    List<Job> over = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      over.add(SampleJobs.ended(SampleJobs.pending(queue()), JobState.COMPLETED, 10, 20));
    }
    UUID held = saveWithLostLease(over);

    Outcome.Swept swept = engine().execute(new Command.Sweep(10), null);

    assertThat(job(held).state()).isNotEqualTo(JobState.RUNNING);
    assertThat(swept.removed()).isLessThanOrEqualTo(10);
    assertThat(swept.nextDueAt()).isLessThanOrEqualTo(store().now());
  }

  @Test
  void aReportThatComesTooLateIsCountedAndChangesNothing() throws Exception {
    UUID id = submit();
    Outcome.Claimed claimed = claim("w");
    engine().execute(Orders.complete(claimed, "1"), null);
    Job done = job(id);
    waitUntil(() -> store().now() > done.updatedAt());

    Command.Heartbeat late =
        new Command.Heartbeat(id, Orders.proof(claimed.lease()), Progress.NONE);
    assertThat(engine().execute(late, null)).isInstanceOf(Outcome.Stale.class);

    assertThat(job(id).lateReports()).isEqualTo(1);
    assertThat(job(id).updatedAt()).isEqualTo(done.updatedAt());
  }

  @Test
  void whatCanWaitKeepsNoEngineFromStarting() {
    engine().close();
    List<Job> waiting = new ArrayList<>();
    for (int i = 0; i < 5_000; i++) {
      waiting.add(SampleJobs.dueAt(SampleJobs.pending(queue()), 20));
    }
    UUID held = saveWithLostLease(waiting);

    restart();

    assertThat(store().transact(Store.Transaction::nextDueAt)).isEqualTo(20);
    assertThat(job(held).state()).isNotEqualTo(JobState.RUNNING);
  }

  @Test
  void whatIsToBeRemovedEarlierKeepsNoLeaseFromEnding() throws Exception {
    engine().close();
    long now = store().now();
    Job held = SampleJobs.running(SampleJobs.pending(queue()), "w", now - 50, now + 500);
    new ChangeSet().arrive(held).saveIn(store());
    store().hastenForEver();

    restart();

    assertThat(job(held.id()).state()).isEqualTo(JobState.RUNNING);
    waitUntil(() -> job(held.id()).state() != JobState.RUNNING);
  }

  private UUID saveWithLostLease(List<Job> jobs) {
    long now = store().now();
    Job held = SampleJobs.running(SampleJobs.pending(queue()), "w", now - 50, now - 10);
    ChangeSet changes = new ChangeSet().arrive(held);
    jobs.forEach(changes::arrive);
    changes.saveIn(store());
    return held.id();
  }
}
