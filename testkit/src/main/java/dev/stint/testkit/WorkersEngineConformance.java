package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.Reasons;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the engine promises about workers and all that they hold, over any store. */
public abstract class WorkersEngineConformance extends WaitingEngineConformance {
  @Test
  void aWorkerIsKnownAlsoIfItsFirstClaimHadToBeRepeated() {
    store().failNext(FaultyStore.Fault.BEFORE_COMMIT);
    Command.Claim claim = Orders.claim("w", queue());
    assertThatThrownBy(() -> engine().execute(claim, null))
        .isInstanceOf(StoreUnavailableException.class);
    engine().execute(claim, null);
    assertThat(engine().worker("w")).isPresent();
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
  void aWorkerThatBearsTheNameOfWhatDeliversDisturbsNoDelivery() {
    String name = "d-" + queue();
    engine().execute(Orders.register(name, null), null);
    UUID id = submitDelivered();
    Outcome.Claimed onItsWay = claimed(Orders.delivery(name, queue()));

    assertThat(engine().execute(new Command.AbortHeldBy(name, "drill"), null).jobIds()).isEmpty();
    engine().execute(new Command.Reconnect(name, Set.of(), Orders.LEASE_MS), null);
    assertThat(engine().execute(Orders.beat(name, 1L), null))
        .isInstanceOfSatisfying(
            Outcome.Beaten.class, beaten -> assertThat(beaten.held()).isEmpty());
    engine().execute(new Command.Dismiss(name), null);
    assertThat(job(id))
        .returns(JobState.ASSIGNED, Job::state)
        .returns(onItsWay.lease(), Job::lease);

    UUID next = submitDelivered();
    assertThat(claimed(Orders.delivery(name, queue())).job().id()).isEqualTo(next);
  }

  private UUID submitDelivered() {
    Command.Submit submit =
        Orders.submit(
            Orders.draft(queue(), Needs.delivery(Orders.TARGET), RetryPolicy.attempts(3)), null);
    engine().execute(submit, null);
    return submit.jobId();
  }

  @Test
  void oneSignOfLifeOfAWorkerKeepsAllThatItRuns() {
    String worker = "w-" + queue();
    submit();
    submit();
    Outcome.Claimed running = claim(worker);
    Outcome.Claimed assigned = claimed(Orders.assign(worker, queue()));
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
    assertThat(engine().execute(Orders.beat("nobody-" + queue(), 1L), null))
        .isEqualTo(new Outcome.UnknownWorker());
  }

  @Test
  void aSignOfLifeMayMakeAWorkerKnown() {
    String worker = "w-" + queue();
    Command.Beat beat = new Command.Beat(worker, null, null, Orders.LEASE_MS, true);
    for (int i = 0; i < 2; i++) {
      assertThat(engine().execute(beat, null)).isEqualTo(new Outcome.Beaten(true, List.of()));
    }
    assertThat(engine().worker(worker))
        .hasValueSatisfying(known -> {
          assertThat(known.isThere(engine().now())).isTrue();
          assertThat(known.registeredAt()).isZero();
        });
  }

  @Test
  void aWorkerThatComesBackLosesAtOnceWhatItNoLongerRuns() {
    String worker = "w-" + queue();
    submit();
    submit();
    submit();
    Outcome.Claimed kept = claim(worker);
    Outcome.Claimed gone = claim(worker);
    Outcome.Claimed never = claimed(Orders.assign(worker, queue()));

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
  void aWorkerThatComesBackHasBegunWhatItSaysItRuns() {
    String worker = "w-" + queue();
    submit();
    Outcome.Claimed assigned = claimed(Orders.assign(worker, queue()));

    Outcome.Reconnected back =
        engine()
            .execute(
                new Command.Reconnect(worker, Set.of(assigned.job().id()), Orders.LEASE_MS), null);

    assertThat(back.held()).extracting(Job::id).containsExactly(assigned.job().id());
    assertThat(job(assigned.job().id()).state()).isEqualTo(JobState.RUNNING);
    assertThat(lease(assigned).until()).isGreaterThan(assigned.lease().until());
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // what they have in common is that they are commands
  void whatAWorkerSaysIsKeptThoughItsAttemptEndedInTheSameCommit() {
    List<Command<?>> commands = new ArrayList<>();
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      submit();
      Outcome.Claimed claimed = claim("w");
      ids.add(claimed.job().id());
      commands.add(new Command.Abort(claimed.job().id(), null, "drill"));
      commands.add(Orders.complete(claimed, "{\"i\":%d}".formatted(i)));
    }
    List<Supplier<Outcome>> outcomes = engine().executeAll((List) commands, null);
    assertThat(outcomes.stream().map(Supplier::get)).hasSize(2 * ids.size());
    for (UUID id : ids) {
      assertThat(store().events(id, 0, 10).getLast())
          .satisfies(event -> {
            // Where there are two writers the completion may have come first.
            if (event.type() != EventType.COMPLETED) {
              assertThat(event.type()).isEqualTo(EventType.LATE_RESULT);
              assertThat(event.data()).contains("\"i\":");
            }
          });
    }
  }

  @Test
  void onlyWhoKnowsTheNonceRegistersAgain() {
    String worker = "w-" + queue();
    engine().execute(Orders.register(worker, "h1"), "r1");
    assertThat(engine().execute(Orders.register(worker, "h2"), "r2"))
        .isEqualTo(new Outcome.NonceMismatch());
    assertThat(engine().execute(Orders.register(worker, null), "r3"))
        .isEqualTo(new Outcome.NonceMismatch());
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
}
