package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.EventType;
import dev.stint.engine.Explanation;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Outcome;
import dev.stint.engine.Overview;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What the engine promises to those who run a fleet, over any store. */
public abstract class OperatedEngineConformance extends EngineConformance {

  @Test
  void aPausedQueueGivesNothingAndParkedClaimsWakeWhenItIsResumed() throws Exception {
    pause("upgrade");
    UUID id = submit();
    assertThat(engine().execute(Orders.claim("w", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
    Future<Outcome.OfClaim> parked = park("w", 30_000);
    Future<Outcome.OfClaim> second = park("v", 30_000);
    waitUntil(() -> engine().parkedClaims() == 2);
    UUID other = submit();
    assertThat(parked).isNotDone();

    assertThat(engine().execute(new Command.ResumeQueue(queue()), "req"))
        .isEqualTo(new Outcome.QueueSet(queue(), null, true));

    assertThat(
            List.of(
                jobOf(parked.get(10, TimeUnit.SECONDS)), jobOf(second.get(10, TimeUnit.SECONDS))))
        .containsExactlyInAnyOrder(id, other);
    assertThat(types(EventType.QUEUE_PAUSED)).isEqualTo(1);
    assertThat(engine().execute(new Command.ResumeQueue(queue()), "req"))
        .isEqualTo(new Outcome.QueueSet(queue(), null, false));
    assertThat(types(EventType.QUEUE_RESUMED)).isEqualTo(1);
  }

  private long types(EventType type) {
    return engine()
        .history(new Store.EventFilter(null, null, type, null), null, 10)
        .items()
        .stream()
        .filter(event -> String.valueOf(event.data()).contains(queue()))
        .count();
  }

  @Test
  void pausingTwiceIsOneEventAndAnotherReasonIsNews() {
    Outcome.QueueSet first = pause("a");
    assertThat(first.isChanged()).isTrue();
    assertThat(pause("a")).isEqualTo(new Outcome.QueueSet(queue(), first.pause(), false));
    assertThat(types(EventType.QUEUE_PAUSED)).isEqualTo(1);
    assertThat(pause("b").isChanged()).isTrue();
    assertThat(types(EventType.QUEUE_PAUSED)).isEqualTo(2);
    assertThat(queueView().pause()).isNotNull().extracting(Store.Pause::reason).isEqualTo("b");
  }

  private Outcome.QueueSet pause(String reason) {
    return engine().execute(new Command.PauseQueue(queue(), reason), null);
  }

  private Overview.Queue queueView() {
    return engine().lookout().queues().stream()
        .filter(queue -> queue.name().equals(queue()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aDrainingWorkerGetsNothingAndAnotherGetsTheJobItWasWokenFor() throws Exception {
    String worker = "w-" + queue();
    engine().execute(Orders.register(worker, null), null);
    Future<Outcome.OfClaim> parked = park(worker, 30_000);
    waitUntil(() -> engine().parkedClaims() == 1);

    assertThat(engine().execute(new Command.Drain(worker, true), null))
        .isInstanceOf(Outcome.Drained.class);

    assertThat(parked.get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.NothingClaimable());
    assertThat(engine().isDraining(worker)).isTrue();
    Future<Outcome.OfClaim> again = park(worker, 30_000);
    Future<Outcome.OfClaim> other = park("other", 30_000);
    UUID id = submit();
    assertThat(jobOf(other.get(10, TimeUnit.SECONDS))).isEqualTo(id);
    assertThat(again.get(10, TimeUnit.SECONDS)).isEqualTo(new Outcome.NothingClaimable());

    engine().execute(new Command.Drain(worker, false), null);
    UUID next = submit();
    assertThat(jobOf(park(worker, 30_000).get(10, TimeUnit.SECONDS))).isEqualTo(next);
    assertThat(engine().execute(new Command.Drain("nobody", true), null))
        .isEqualTo(new Outcome.UnknownWorker());
  }

  @Test
  void aReplayedJobThatIsGivenBackRestsAsLittleAsANewOne() {
    UUID id = submit();
    while (job(id).claimable()) {
      giveBack(claim("w"));
    }
    engine().execute(new Command.Abort(id, null, "drill"), null);
    engine().execute(new Command.Replay(id, 0), null);
    giveBack(claim("w"));
    assertThat(job(id)).returns(true, Job::claimable).returns(1, Job::returned);
  }

  private void giveBack(Outcome.Claimed claimed) {
    engine().execute(new Command.Release(claimed.job().id(), Orders.proof(claimed.lease())), null);
  }

  @Test
  void whatFailedIsADeadLetterUntilItIsReplayed() {
    List<UUID> ids = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      ids.add(submit());
      fail("no file " + i);
    }
    Store.DeadGroup group = group();
    assertThat(group.count()).isEqualTo(3);
    assertThat(group.shape()).isEqualTo("no file <n>");
    assertThat(group.sample().message()).isEqualTo("no file 2");

    List<Outcome.OfReplay> outcomes =
        engine()
            .executeAll(ids.stream().map(id -> new Command.Replay(id, 0)).toList(), "request")
            .stream()
            .map(Supplier::get)
            .toList();

    assertThat(outcomes).hasOnlyElementsOfType(Outcome.Revived.class);
    assertThat(engine().lookout().deadGroups(null, 100))
        .noneMatch(left -> left.sample().queue().equals(queue()));
    fail("disk full");
    assertThat(group().count()).isEqualTo(1);
    assertThat(engine().execute(new Command.Replay(UUID.randomUUID(), 0), null))
        .isInstanceOf(Outcome.UnknownJob.class);
  }

  @Test
  void aFailureMaySayWhatNoTextMayHave() {
    submit();
    fail("no\\u0000file");
    assertThat(group().sample().message()).isEqualTo("no file");
  }

  private void fail(String message) {
    Outcome.Claimed claimed = claim("w");
    engine()
        .execute(
            new Command.Fail(
                claimed.job().id(),
                Orders.proof(claimed.lease()),
                false,
                "E",
                "{\"message\":\"" + message + "\"}",
                null),
            null);
    assertThat(job(claimed.job().id()).state()).isEqualTo(JobState.FAILED);
  }

  private Store.DeadGroup group() {
    return engine().lookout().deadGroups(null, 100).stream()
        .filter(left -> left.sample().queue().equals(queue()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theOverviewAndTheExplanationAreOfThisMoment() {
    UUID id = submit();
    Overview overview = engine().lookout().overview();
    assertThat(overview.states().get(JobState.PENDING)).isPositive();
    assertThat(overview.series()).hasSize(60);
    assertThat(overview.series().stream().mapToLong(Overview.Minute::submitted).sum()).isPositive();
    pause("why");
    assertThat(engine().lookout().explain(id).orElseThrow().reasons().getFirst())
        .isInstanceOf(Explanation.QueuePaused.class);
    assertThat(engine().lookout().explain(UUID.randomUUID())).isEmpty();
  }

  @Test
  void whatIsShutIsShutAfterARestart() {
    pause("why");
    String worker = "w-" + queue();
    engine().execute(Orders.register(worker, null), null);
    engine().execute(new Command.Drain(worker, true), null);
    submit();
    restart();
    assertThat(engine().execute(Orders.claim("v", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
    assertThat(engine().isDraining(worker)).isTrue();
  }
}
