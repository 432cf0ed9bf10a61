package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Explanation.Lack;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private static final Store.Pause PAUSE = new Store.Pause("q", "upgrade", 5);
  private static final Needs GPU = Needs.of(Set.of("gpu"));

  private final List<Store.WorkerView> workers = new ArrayList<>();
  private Store.@Nullable Pause pause;
  private boolean all = true;
  private int ahead;
  private int parked;

  private List<Explanation.Reason> reasons(Life life) {
    var around = new Explanation.Surroundings(pause, workers, all, ahead, 1_000, parked);
    return Explanation.of(life.job(), around, life.now).reasons();
  }

  private void worker(
      String id, Skills skills, boolean isThere, boolean draining, int slots, int held) {
    worker(id, skills, isThere, draining, slots, held, 1);
  }

  /** One that never registered. */
  private void seen(String id, int held) {
    worker(id, Skills.NONE, true, false, 1, held, 0);
  }

  private void worker(
      String id,
      Skills skills,
      boolean isThere,
      boolean draining,
      int slots,
      int held,
      long registeredAt) {
    Worker worker =
        new Worker(
            id,
            skills,
            slots,
            null,
            null,
            null,
            false,
            1,
            1,
            registeredAt,
            0,
            null,
            isThere,
            isThere ? Times.NEVER : 1,
            draining);
    List<UUID> holds = new ArrayList<>();
    for (int i = 0; i < held; i++) {
      holds.add(new UUID(1, i));
    }
    workers.add(new Store.WorkerView(worker, holds));
  }

  private void free(String id) {
    worker(id, Skills.NONE, true, false, 1, 0);
  }

  private static Life needing(Needs needs) {
    return Life.submitted(
        new Command.Submit.Draft(
            "q", needs, 0, 0, Times.NEVER, 0, RetryPolicy.attempts(3), LeasePolicy.OF_THE_CLAIMER));
  }

  private static SortedSet<String> lacks(String... names) {
    return new TreeSet<>(List.of(names));
  }

  @Test
  void notBeforeItsTime() {
    free("w");
    Life life =
        Life.submitted(
            new Command.Submit.Draft(
                "q",
                Needs.NOTHING,
                0,
                2_000_000,
                Times.NEVER,
                0,
                RetryPolicy.attempts(3),
                LeasePolicy.OF_THE_CLAIMER));
    assertThat(reasons(life)).containsExactly(new Explanation.NotBefore(2_000_000));
    workers.clear();
    assertThat(reasons(life))
        .containsExactly(
            new Explanation.NotBefore(2_000_000),
            new Explanation.NoWorkerEver(Needs.NOTHING, List.of()));
  }

  @Test
  void queuePausedWhateverElseThereIs() {
    pause = PAUSE;
    free("w");
    assertThat(reasons(Life.submitted())).containsExactly(new Explanation.QueuePaused(PAUSE));
    Life retrying = Life.submitted().claimedBy("w");
    retrying.fail(true);
    assertThat(reasons(retrying)).contains(new Explanation.QueuePaused(PAUSE));
    assertThat(reasons(Life.submitted().claimedBy("w")))
        .doesNotContain(new Explanation.QueuePaused(PAUSE));
  }

  @Test
  void noWorkerCouldEverRunItAndWhichLacksWhat() {
    worker("cpu", Skills.NONE, true, false, 1, 0);
    worker("off", new Skills(true, Set.of("ssd")), false, false, 1, 0);
    assertThat(reasons(needing(GPU)))
        .containsExactly(
            new Explanation.NoWorkerEver(
                GPU,
                List.of(
                    new Lack("cpu", true, lacks("gpu"), false),
                    new Lack("off", false, lacks("gpu"), true))));
  }

  @Test
  void ofWorkersThatWereNotLookedAtNothingIsSaid() {
    all = false;
    free("cpu");
    assertThat(reasons(needing(GPU)))
        .containsExactly(
            new Explanation.NoWorkerMatches(
                GPU, List.of(new Lack("cpu", true, lacks("gpu"), false)), List.of()));
  }

  @Test
  void noWorkerThatIsThereMatchesButOneThatIsAwayWould() {
    free("cpu");
    worker("box", new Skills(false, Set.of("gpu")), false, false, 1, 0);
    assertThat(reasons(needing(GPU)))
        .containsExactly(
            new Explanation.NoWorkerMatches(
                GPU, List.of(new Lack("cpu", true, lacks("gpu"), false)), List.of("box")));
  }

  @Test
  void workersThatCouldAreBusyOrDraining() {
    worker("full", Skills.NONE, true, false, 2, 2);
    worker("going", Skills.NONE, true, true, 1, 0);
    assertThat(reasons(Life.submitted()))
        .containsExactly(
            new Explanation.WorkersDraining(List.of("going")),
            new Explanation.WorkersBusy(1, List.of("full")));
    worker("spare", Skills.NONE, true, false, 2, 1);
    assertThat(reasons(Life.submitted())).containsExactly(new Explanation.Claimable(0));
  }

  @Test
  void whatIsDeliveredWaitsForNoWorker() {
    free("cpu");
    assertThat(reasons(needing(Needs.delivery("http://box:9000"))))
        .containsExactly(new Explanation.Delivery("http://box:9000"));
  }

  @Test
  void aRevokedWorkerIsNone() {
    workers.add(
        new Store.WorkerView(
            new Worker(
                "r",
                Skills.NONE,
                1,
                null,
                null,
                null,
                true,
                1,
                1,
                1,
                0,
                null,
                true,
                9L << 40,
                false),
            List.of()));
    assertThat(reasons(Life.submitted()))
        .containsExactly(new Explanation.NoWorkerEver(Needs.NOTHING, List.of()));
  }

  @Test
  void othersGoFirst() {
    free("w");
    parked = 1;
    ahead = 3;
    assertThat(reasons(Life.submitted())).containsExactly(new Explanation.BehindOthers(3, false));
    ahead = 1_000;
    assertThat(reasons(Life.submitted()))
        .containsExactly(new Explanation.BehindOthers(1_000, true));
  }

  @Test
  void nobodyAsksForItsQueueThoughAWorkerIsFreeAndOthersGoFirst() {
    free("w");
    ahead = 3;
    assertThat(reasons(Life.submitted()))
        .containsExactly(new Explanation.Claimable(0), new Explanation.BehindOthers(3, false));
    workers.clear();
    worker("full", Skills.NONE, true, false, 2, 2);
    assertThat(reasons(Life.submitted()))
        .containsExactly(
            new Explanation.WorkersBusy(1, List.of("full")),
            new Explanation.BehindOthers(3, false));
  }

  @Test
  void whatWasGivenBackWaitsForAReasonAndNotForItsStartTime() {
    Life life = needing(Needs.delivery("http://box:9000")).assignedTo("d");
    Proof proof = new Proof(null, null, null, 1, life.lease().fence());
    life.report(
        new Command.Release(life.id, proof, 5_000, "not delivered: connection refused", true));
    assertThat(life.job().state()).isEqualTo(JobState.PENDING);
    assertThat(reasons(life))
        .containsExactly(
            new Explanation.Backoff(
                life.job().readyAt(), 1, 3, "not delivered: connection refused"),
            new Explanation.Delivery("http://box:9000"));
  }

  @Test
  void backoffUntilTheNextAttempt() {
    Life life = Life.submitted().claimedBy("w");
    life.fail(true);
    assertThat(reasons(life))
        .containsExactly(new Explanation.Backoff(life.job().readyAt(), 2, 3, "E"));
    Life lost = Life.submitted().claimedBy("w").after(Life.LEASE_MS).tick();
    assertThat(reasons(lost))
        .containsExactly(
            new Explanation.Backoff(lost.job().readyAt(), 2, 3, Reasons.HEARTBEAT_TIMEOUT));
  }

  @Test
  void lossesThatCountApartAreNoAttempts() {
    RetryPolicy apart = new RetryPolicy(1, 3, 1_000, 60_000);
    Life lost = Life.submitted(Life.draft(apart)).claimedBy("w").after(Life.LEASE_MS).tick();
    assertThat(reasons(lost))
        .containsExactly(
            new Explanation.Backoff(lost.job().readyAt(), 1, 1, Reasons.HEARTBEAT_TIMEOUT));
  }

  @Test
  void noAttemptIsPromisedThatWillNotCome() {
    Life last =
        Life.submitted(Life.draft(RetryPolicy.attempts(1)))
            .claimedBy("w")
            .after(Life.LEASE_MS)
            .tick();
    assertThat(last.job().state()).isEqualTo(JobState.LOST);
    assertThat(reasons(last))
        .containsExactly(
            new Explanation.Exhausted(last.job().readyAt(), Reasons.HEARTBEAT_TIMEOUT));
    Life cancelled = Life.submitted().claimedBy("w");
    cancelled.after(Life.LEASE_MS - 1).cancel();
    cancelled.after(1).tick();
    assertThat(cancelled.job().state()).isEqualTo(JobState.LOST);
    assertThat(reasons(cancelled))
        .containsExactly(
            new Explanation.CancelRequested(Objects.requireNonNull(cancelled.job().cancel())));
  }

  @Test
  void whoNeverSaidHowManySlotsItHasMayHaveAFreeOne() {
    seen("sdk", 1);
    assertThat(reasons(Life.submitted()))
        .containsExactly(
            new Explanation.WorkersBusy(1, List.of("sdk")), new Explanation.Claimable(0));
  }

  @Test
  void heldByAWorkerUntilItsLeaseEnds() {
    Life running = Life.submitted().claimedBy("w");
    assertThat(reasons(running))
        .containsExactly(new Explanation.Held("w", running.lease().until(), true));
    Life assigned = Life.submitted().assignedTo("w");
    assertThat(reasons(assigned))
        .containsExactly(new Explanation.Held("w", assigned.lease().until(), false));
    running.cancel();
    assertThat(reasons(running)).hasSize(2);
    assertThat(reasons(running).getFirst()).isInstanceOf(Explanation.CancelRequested.class);
  }

  @Test
  void finishedAndWhy() {
    Life life = Life.submitted().claimedBy("w");
    life.fail(false);
    assertThat(reasons(life))
        .containsExactly(new Explanation.Finished(JobState.FAILED, "E", life.now));
  }
}
