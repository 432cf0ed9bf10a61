package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.Following;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.testkit.FaultyStore;
import dev.stint.testkit.Orders;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines on one database, as two servers are. */
@Timeout(120)
class TwoControlPlanesTest {
  private final String url = TestPostgres.shared().newDatabase();
  private final Store oneStore = Stores.open(url, Clock.systemUTC());
  private final Store otherStore = Stores.open(url, Clock.systemUTC());
  private final Engine one = Engine.start(oneStore, EngineSettings.DEFAULT, Observer.NONE);
  private final Engine other = Engine.start(otherStore, EngineSettings.DEFAULT, Observer.NONE);
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    one.close();
    other.close();
    oneStore.close();
    otherStore.close();
    threads.shutdownNow();
  }

  @Test
  void aClaimThatWaitsAtOneGetsAJobThatWasSubmittedAtTheOther() throws Exception {
    Future<Outcome.OfClaim> waiting =
        threads.submit(() -> one.claim(Orders.claim("w", "q"), 60_000, () -> () -> true, null));
    Command.Submit submit = Orders.submit("q");
    other.execute(submit, null);
    assertThat(((Outcome.Claimed) waiting.get(30, TimeUnit.SECONDS)).job().id())
        .isEqualTo(submit.jobId());
  }

  @Test
  void aLeaseGivenByOneIsSettledAtTheOther() {
    one.execute(Orders.submit("q"), null);
    Outcome.Claimed claimed = (Outcome.Claimed) one.execute(Orders.claim("w", "q"), null);
    assertThat(other.execute(Orders.complete(claimed, "{}"), null))
        .isEqualTo(new Outcome.Settled(claimed.job().id(), JobState.COMPLETED, false));
    assertThat(one.execute(Orders.complete(claimed, "{}"), null))
        .isEqualTo(new Outcome.Settled(claimed.job().id(), JobState.COMPLETED, true));
  }

  @Test
  void whoFollowsAJobAtOneSeesWhatHappensAtBothOnceAndInOrder() throws Exception {
    Command.Submit submit = Orders.submit("q");
    one.execute(submit, null);
    Future<List<Event>> following =
        threads.submit(() -> {
          List<Event> read = new ArrayList<>();
          try (Following reader = one.follow(one.find(submit.jobId()).orElseThrow().job(), 0)) {
            while (reader.end() == null) {
              read.addAll(reader.next(TimeUnit.SECONDS.toNanos(60)));
            }
          }
          return read;
        });
    Outcome.Claimed claimed = (Outcome.Claimed) other.execute(Orders.claim("w", "q"), null);
    for (int i = 0; i < 40; i++) {
      Progress progress = new Progress(i, null, null);
      (i % 3 == 0 ? one : other)
          .execute(
              new Command.Heartbeat(submit.jobId(), Orders.proof(claimed.lease()), progress), null);
    }
    other.execute(Orders.complete(claimed, "{}"), null);
    assertThat(following.get(60, TimeUnit.SECONDS))
        .isEqualTo(oneStore.events(submit.jobId(), 0, 100))
        .hasSize(43);
  }

  @Test
  void errorsOfTheStoreDoNotEndTheLookAtWhatOthersDo() throws Exception {
    FaultyStore faulty = new FaultyStore(Stores.open(url, Clock.systemUTC()));
    try (Engine strained = Engine.start(faulty, EngineSettings.DEFAULT, Observer.NONE)) {
      faulty.throwErrors(1, FaultyStore.Place.TALLY);
      waitUntil(() -> faulty.errorsLeft() == 0);
      other.execute(Orders.submit("q"), null);
      waitUntil(() -> strained.tally().containsKey(new Store.TallyKey("q", JobState.PENDING)));
    } finally {
      faulty.close();
    }
  }

  @Test
  void underLoadFromBothNoJobIsGivenTwiceAndNoneIsLost() throws Exception {
    int jobs = 1_000;
    AtomicInteger submitted = new AtomicInteger();
    AtomicInteger twice = new AtomicInteger();
    Map<UUID, Long> fences = new ConcurrentHashMap<>();
    List<Future<?>> all = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      Engine mine = i % 2 == 0 ? one : other;
      String worker = "w" + i;
      all.add(
          threads.submit(() -> {
            while (submitted.incrementAndGet() <= jobs) {
              mine.execute(Orders.submit("q"), null);
            }
          }));
      all.add(
          threads.submit(() -> {
            while (fences.size() < jobs) {
              Outcome.OfClaim outcome =
                  mine.claim(Orders.claim(worker, "q"), 200, () -> () -> true, null);
              if (outcome instanceof Outcome.Claimed claimed) {
                if (fences.put(claimed.job().id(), claimed.lease().fence()) != null) {
                  twice.incrementAndGet();
                }
                mine.execute(Orders.complete(claimed, "{}"), null);
              }
            }
          }));
    }
    for (Future<?> each : all) {
      each.get(60, TimeUnit.SECONDS);
    }
    assertThat(twice).hasValue(0);
    assertThat(fences.values()).allMatch(fence -> fence == 1);
    assertThat(oneStore.tally()).containsEntry(new Store.TallyKey("q", JobState.COMPLETED), 1_000L);
  }

  @Test
  void whatIsShutAtOneIsShutAtTheOtherAndResumingWakesItsClaims() throws Exception {
    other.execute(Orders.register("drained", null), null);
    one.execute(new Command.PauseQueue("q", "upgrade"), null);
    one.execute(new Command.Drain("drained", true), null);
    waitUntil(() -> other.isDraining("drained"));
    waitUntil(() -> !other.lookout().queues().isEmpty());
    Command.Submit submit = Orders.submit("q");
    other.execute(submit, null);
    Future<Outcome.OfClaim> waiting =
        threads.submit(() -> other.claim(Orders.claim("w", "q"), 60_000, () -> () -> true, null));
    waitUntil(() -> other.parkedClaims() == 1);

    one.execute(new Command.ResumeQueue("q"), null);

    assertThat(((Outcome.Claimed) waiting.get(30, TimeUnit.SECONDS)).job().id())
        .isEqualTo(submit.jobId());
  }

  private static void waitUntil(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(5);
    }
  }

  @Test
  void whatOneLeavesBehindTheOtherTakesUp() throws Exception {
    Command.Submit.Draft shortLease =
        new Command.Submit.Draft(
            "q",
            Needs.NOTHING,
            0,
            0,
            Times.NEVER,
            0,
            RetryPolicy.attempts(3),
            new LeasePolicy(300, 100, 0, 0));
    one.execute(Orders.submit(shortLease, null), null);
    Outcome.Claimed lost = (Outcome.Claimed) one.execute(Orders.claim("w", "q"), null);
    one.close();
    Outcome.OfClaim next = other.claim(Orders.claim("v", "q"), 60_000, () -> () -> true, null);
    assertThat(((Outcome.Claimed) next).job().id()).isEqualTo(lost.job().id());
  }
}
