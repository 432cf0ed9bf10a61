package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Attempt;
import dev.stint.engine.Command;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.Proof;
import dev.stint.engine.Reasons;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Transport;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the engine promises where workers also get jobs past the claims, over any store. */
public abstract class NativeEngineConformance extends OperatedEngineConformance {
  private static final long NATIVE_MS = 300_000;

  /** Says of some jobs that a worker has them, and remembers what it was asked. */
  private static final class FakeTransport implements Transport {
    final Map<UUID, Taking> delivered = new ConcurrentHashMap<>();
    final List<Integer> asked = Collections.synchronizedList(new ArrayList<>());
    volatile Runnable afterwards = () -> {};

    @Override
    public List<Taking> take(List<Job> jobs) {
      asked.add(jobs.size());
      afterwards.run();
      return jobs.stream().map(this::take).toList();
    }

    private Taking take(Job job) {
      Taking taking = delivered.get(job.id());
      return taking == null ? new Taking.Taken("1-" + job.enqueues()) : taking;
    }

    @Override
    public long nativeLeaseMs() {
      return NATIVE_MS;
    }
  }

  @Test
  void whoGotTheMessageHoldsTheJobHoweverOftenItIsTold() {
    UUID id = submit();
    Lease lease = delivered(deliver(id, "7-0", "n1")).lease();
    assertThat(lease.workerId()).isEqualTo("n1");
    assertThat(lease.nativeMessage()).isEqualTo("7-0");
    assertThat(lease.until() - lease.claimedAt()).isEqualTo(NATIVE_MS);
    assertThat(delivered(deliver(id, "7-0", "n1")).lease()).isEqualTo(lease);
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(types(id)).containsExactly(EventType.SUBMITTED, EventType.CLAIMED);
    assertThat(store().events(id, 0, 10).getLast().requestId()).isEqualTo("redis:7-0");
    assertThat(engine().worker("n1")).isPresent();
    assertThat(engine().execute(Orders.claim("w", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
  }

  @Test
  void whoTakesAMessageOverFromAnotherHoldsTheJob() {
    UUID id = submit();
    Lease first = delivered(deliver(id, "7-0", "n1")).lease();
    Lease second = delivered(deliver(id, "7-0", "n2")).lease();
    assertThat(second.workerId()).isEqualTo("n2");
    assertThat(second.fence()).isEqualTo(first.fence());
    assertThat(job(id).lease()).isEqualTo(second);
  }

  @Test
  void aMessageThatTheJobHasLeftBehindDeliversNothing() {
    UUID id = submit();
    Command.Deliver old = deliver(id, "7-0", "n1");
    Outcome.Claimed claimed = claim("w");
    assertThat(engine().execute(old, null)).isEqualTo(new Outcome.NotDeliverable(job(id), true));
    engine().execute(new Command.Release(id, Orders.proof(claimed.lease())), null);
    assertThat(engine().execute(old, null)).isInstanceOf(Outcome.NotDeliverable.class);
    assertThat(delivered(deliver(id, "8-0", "n1")).lease().nativeMessage()).isEqualTo("8-0");
    UUID nobody = new UUID(0, 1);
    assertThat(engine().execute(new Command.Deliver(nobody, "", "7-0", "n1", 1, 0), null))
        .isEqualTo(new Outcome.UnknownJob());
  }

  @Test
  void nobodyReportsOnItWhoOnlyKnowsItsWorkersName() {
    UUID id = submit();
    Lease lease = delivered(deliver(id, "7-0", "n1")).lease();
    Proof byName = new Proof("n1", null, null, null, null);
    assertThat(engine().execute(new Command.Complete(id, byName, "{}", null), null))
        .isInstanceOf(Outcome.Stale.class);
    engine().execute(Orders.beat("n1", null), null);
    engine().execute(new Command.Reconnect("n1", java.util.Set.of(), Orders.LEASE_MS), null);
    assertThat(job(id).lease()).isEqualTo(lease);
    assertThat(engine().execute(complete(id, lease), null))
        .isEqualTo(new Outcome.Settled(id, JobState.COMPLETED, false));
  }

  @Test
  void aClaimMakesWayForWhoHadTheJobAndLooksAgain() {
    FakeTransport transport = attach();
    UUID first = submit();
    UUID second = submit();
    transport.delivered.put(first, new Transport.Taking.Delivered("7-0", "n1"));

    Outcome.Claimed claimed = claim("w");

    assertThat(claimed.job().id()).isEqualTo(second);
    assertThat(claimed.messageId()).isEqualTo("1-1");
    Lease lease = Objects.requireNonNull(job(first).lease());
    assertThat(lease.workerId()).isEqualTo("n1");
    assertThat(lease.nativeMessage()).isEqualTo("7-0");
    assertThat(lease.attempt()).isEqualTo(1);
    assertThat(lease.fence()).isEqualTo(2);
    assertThat(job(first).enqueues()).isEqualTo(1);
    assertThat(types(first))
        .containsExactly(
            EventType.SUBMITTED, EventType.CLAIMED, EventType.RELEASED, EventType.CLAIMED);
    assertThat(engine().attempts(first))
        .singleElement()
        .returns(Attempt.End.RELEASED, Attempt::end)
        .returns("w", Attempt::workerId);
    assertThat(engine().execute(complete(first, lease), null))
        .isEqualTo(new Outcome.Settled(first, JobState.COMPLETED, false));
  }

  @Test
  void anAssignmentMakesWayToo() {
    FakeTransport transport = attach();
    UUID id = submit();
    transport.delivered.put(id, new Transport.Taking.Delivered("7-0", "n1"));
    assertThat(engine().execute(Orders.assign("w", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(Objects.requireNonNull(job(id).lease()).workerId()).isEqualTo("n1");
  }

  @Test
  void theSameClaimIdNeverGivesWhatMadeWay() {
    FakeTransport transport = attach();
    UUID id = submit();
    transport.delivered.put(id, new Transport.Taking.Delivered("7-0", "n1"));
    Command.Claim claim = Orders.claimWithId("w", "c-" + queue(), queue());
    assertThat(engine().execute(claim, null)).isEqualTo(new Outcome.NothingClaimable());
    assertThat(engine().execute(claim, null)).isEqualTo(new Outcome.NothingClaimable());
    assertThat(Objects.requireNonNull(job(id).lease()).workerId()).isEqualTo("n1");
  }

  @Test
  void manyClaimsAskTheTransportTogether() {
    FakeTransport transport = attach();
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.add(submit());
    }
    transport.delivered.put(ids.get(1), new Transport.Taking.Delivered("7-0", "n1"));
    List<Command.Claim> claims =
        List.of(Orders.claim("w", queue()), Orders.claim("w", queue()), Orders.claim("w", queue()));

    List<Outcome.OfClaim> outcomes =
        engine().executeAll(claims, null).stream().map(Supplier::get).toList();

    assertThat(outcomes.stream().map(NativeEngineConformance::jobOf))
        .containsExactlyInAnyOrder(ids.get(0), ids.get(2), ids.get(3));
    assertThat(transport.asked.stream().mapToInt(Integer::intValue).sum()).isEqualTo(4);
    assertThat(transport.asked).hasSize(2);
  }

  @Test
  void allThatMakeWayDoSoBeforeAnyOfThemLooksAgain() {
    FakeTransport transport = attach();
    UUID first = submit();
    UUID second = submit();
    UUID third = submit();
    transport.delivered.put(first, new Transport.Taking.Delivered("7-0", "n1"));
    transport.delivered.put(second, new Transport.Taking.Delivered("8-0", "n2"));
    List<String> holders = new ArrayList<>();
    transport.afterwards =
        () -> {
          if (transport.asked.size() == 2) {
            holders.add(Objects.requireNonNull(job(first).lease()).workerId());
            holders.add(Objects.requireNonNull(job(second).lease()).workerId());
          }
        };
    List<Command.Claim> claims = List.of(Orders.claim("w", queue()), Orders.claim("w", queue()));

    List<Outcome.OfClaim> outcomes =
        engine().executeAll(claims, null).stream().map(Supplier::get).toList();

    assertThat(holders).containsExactly("n1", "n2");
    assertThat(outcomes.stream().filter(one -> one instanceof Outcome.Claimed))
        .singleElement()
        .satisfies(one -> assertThat(jobOf(one)).isEqualTo(third));
    assertThat(outcomes).contains(new Outcome.NothingClaimable());
  }

  @Test
  void aClaimThatCannotMakeWayTakesNoOtherWithIt() {
    FakeTransport transport = attach();
    UUID mine = submit();
    transport.delivered.put(submit(), new Transport.Taking.Delivered("7-0", "n1"));
    transport.afterwards = () -> store().failNext(FaultyStore.Fault.BEFORE_COMMIT);

    List<UUID> claimed = new ArrayList<>();
    List<RuntimeException> failures = new ArrayList<>();
    List<Command.Claim> claims = List.of(Orders.claim("w", queue()), Orders.claim("w", queue()));
    for (Supplier<Outcome.OfClaim> outcome : engine().executeAll(claims, null)) {
      try {
        claimed.add(jobOf(outcome.get()));
      } catch (StoreUnavailableException e) {
        failures.add(e);
      }
    }

    assertThat(claimed).containsExactly(mine);
    assertThat(failures).hasSize(1);
  }

  @Test
  void aParkedClaimGoesOnWaitingWhenItsJobWasAnothers() throws Exception {
    FakeTransport transport = attach();
    Future<Outcome.OfClaim> parked = park("w", 30_000);
    waitUntil(() -> engine().parkedClaims() == 1);
    Command.Submit first = Orders.submit(queue());
    transport.delivered.put(first.jobId(), new Transport.Taking.Delivered("7-0", "n1"));
    engine().execute(first, null);
    waitUntil(() -> job(first.jobId()).lease() != null && engine().parkedClaims() == 1);
    assertThat(parked).isNotDone();
    UUID second = submit();
    assertThat(jobOf(parked.get(10, TimeUnit.SECONDS))).isEqualTo(second);
  }

  @Test
  void whatAWorkerEmitsIsToldInItsOwnWordsAndTheOldestGoesFirst() {
    UUID id = submit();
    Lease lease = delivered(deliver(id, "7-0", "n1")).lease();
    int next = 0;
    for (int size : new int[] {1, 600, Progress.MAX_TOLD - 600, 2}) {
      List<Command.Emit.Saying> sayings = new ArrayList<>();
      for (int i = 0; i < size; i++) {
        sayings.add(new Command.Emit.Saying("token", "llm \"x\"", "{\"i\": " + next++ + "}"));
      }
      Command.Emit emit = new Command.Emit(id, Orders.proof(lease), sayings);
      assertThat(engine().execute(emit, "redis:9-0")).isInstanceOf(Outcome.Held.class);
    }
    List<Event> emitted =
        store().events(id, 0, 2_000).stream()
            .filter(event -> event.type() == EventType.EMITTED)
            .toList();
    assertThat(emitted).hasSize(Progress.MAX_TOLD);
    assertThat(emitted.getFirst().data())
        .isEqualTo("{\"type\":\"token\",\"step\":\"llm \\\"x\\\"\",\"data\":{\"i\": 3}}");
  }

  @Test
  void whatIsAbandonedGoesOnWithoutWaitingForItsLease() throws Exception {
    UUID id = submit();
    Lease lease = delivered(deliver(id, "7-0", "n1")).lease();
    Command.Abandon abandon =
        new Command.Abandon(id, Orders.proof(lease), Reasons.ACKNOWLEDGED_WITHOUT_RESULT);
    assertThat(engine().execute(abandon, null))
        .isEqualTo(new Outcome.Settled(id, JobState.LOST, false));
    assertThat(engine().execute(abandon, null))
        .isEqualTo(new Outcome.Settled(id, JobState.LOST, true));
    waitUntil(() -> job(id).state() == JobState.PENDING);
    assertThat(job(id).losses()).isEqualTo(1);
    assertThat(engine().execute(complete(id, lease), null)).isInstanceOf(Outcome.Stale.class);
    assertThat(types(id)).last().isEqualTo(EventType.LATE_RESULT);
  }

  private FakeTransport attach() {
    FakeTransport transport = new FakeTransport();
    engine().attach(transport);
    return transport;
  }

  private Command.Deliver deliver(UUID id, String messageId, String worker) {
    return new Command.Deliver(id, job(id).enqueueId(), messageId, worker, NATIVE_MS, 0);
  }

  private Outcome.Delivered delivered(Command.Deliver deliver) {
    return (Outcome.Delivered) engine().execute(deliver, deliver.requestId());
  }

  private static Command.Complete complete(UUID id, Lease lease) {
    return new Command.Complete(id, Orders.proof(lease), "{\"by\": \"n1\"}", null);
  }

  private List<EventType> types(UUID id) {
    Store from = store();
    return from.events(id, 0, 100).stream().map(Event::type).toList();
  }
}
