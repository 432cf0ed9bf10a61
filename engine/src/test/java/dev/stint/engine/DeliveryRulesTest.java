package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is special about jobs that are delivered, and about workers that report by fence. */
class DeliveryRulesTest {
  private static final Needs DELIVERED = Needs.delivery("http://there:80");

  @Test
  void whoeverStartsADeliveredJobHoldsItFromThenOn() {
    Life life = delivered().assignedTo("dispatcher");
    life.report(new Command.Start(life.id, byFence(life, 1, "runner"), "{\"startedAt\":\"x\"}"));
    assertThat(life.lease().workerId()).isEqualTo("runner");
    assertThat(life.events.getLast())
        .returns(EventType.STARTED, Event::type)
        .returns("runner", Event::workerId)
        .returns("{\"startedAt\":\"x\"}", Event::data);
    life.report(new Command.Start(life.id, byFence(life, 1, "thief"), null));
    assertThat(life.lease().workerId()).isEqualTo("runner");
  }

  @Test
  void whoeverBeginsADeliveredJobByAnotherReportHoldsItToo() {
    Life beaten = delivered().assignedTo("dispatcher");
    beaten.report(new Command.Heartbeat(beaten.id, byFence(beaten, 1, "runner"), Progress.NONE));
    assertThat(beaten.lease().workerId()).isEqualTo("runner");
    beaten.report(new Command.Heartbeat(beaten.id, byFence(beaten, 1, "thief"), Progress.NONE));
    assertThat(beaten.lease().workerId()).isEqualTo("runner");

    Life done = delivered().assignedTo("dispatcher");
    done.report(new Command.Complete(done.id, byFence(done, 1, "runner"), null, null));
    assertThat(done.past.getLast().workerId()).isEqualTo("runner");

    Life failed = delivered().assignedTo("dispatcher");
    failed.report(new Command.Fail(failed.id, byFence(failed, 1, "runner"), true, "E", null, null));
    assertThat(failed.past.getLast().workerId()).isEqualTo("runner");
  }

  @Test
  void noWorkerHoldsWhatIsOnItsWayWhateverItCallsItself() {
    Life life = delivered().assignedTo("dispatcher");
    Proof byName = new Proof("dispatcher", null, null, 1, 1L);
    assertThat(life.report(new Command.Complete(life.id, byName, null, null)))
        .isInstanceOf(Outcome.Stale.class);
    Command.Abort abort = new Command.Abort(life.id, "dispatcher", "drill");
    assertThat(life.rules.abort(life.job(), abort, life.now).outcome())
        .isInstanceOf(Outcome.NotHeld.class);
    assertThat(life.job().state()).isEqualTo(JobState.ASSIGNED);

    life.report(new Command.Start(life.id, byFence(life, 1, "dispatcher"), null));
    assertThat(life.report(new Command.Complete(life.id, byName, null, null)))
        .isInstanceOf(Outcome.Settled.class);
  }

  @Test
  void whoClaimedAJobItselfKeepsItWhateverNameItStartsUnder() {
    Life life = Life.submitted().assignedTo("w");
    life.report(new Command.Start(life.id, byFence(life, 1, "v"), null));
    assertThat(life.lease().workerId()).isEqualTo("w");
  }

  @Test
  void anUndeliveredJobStaysAwayForItsDelayAndUsesUpNoAttempt() {
    Life life = delivered().assignedTo("dispatcher");
    Outcome outcome =
        life.report(new Command.Release(life.id, byFence(life, 1), 5_000, "answered 500", true));
    assertThat(outcome).isEqualTo(new Outcome.Settled(life.id, JobState.PENDING, false));
    assertThat(life.job())
        .returns(false, Job::claimable)
        .returns(0, Job::attempts)
        .returns("answered 500", Job::reason)
        .returns(life.now + 5_000, Job::dueAt);
    life.after(4_999).settle();
    assertThat(life.job().claimable()).isFalse();
    life.after(1).settle();
    assertThat(life.job().claimable()).isTrue();
    life.assignedTo("dispatcher");
    assertThat(life.lease()).returns(1, Lease::attempt).returns(2L, Lease::fence);
  }

  @Test
  void aDeliveryThatLookedFailedDoesNotTakeTheJobFromWhoHasBegun() {
    Life life = delivered().assignedTo("dispatcher");
    life.report(new Command.Start(life.id, byFence(life, 1, "runner"), null));
    Outcome outcome =
        life.report(new Command.Release(life.id, byFence(life, 1), 5_000, "timed out", true));
    assertThat(outcome).isInstanceOf(Outcome.Held.class);
    assertThat(life.job().state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  void anOldFenceStaysUselessWhereTheAttemptNumberDidNotChange() {
    Life life = delivered().assignedTo("dispatcher");
    life.after(Life.ASSIGNMENT_MS).settle().assignedTo("dispatcher");
    assertThat(life.lease()).returns(1, Lease::attempt).returns(2L, Lease::fence);
    assertThat(life.report(new Command.Start(life.id, byFence(life, 1, "old"), null)))
        .isInstanceOf(Outcome.Stale.class);
    assertThat(life.report(new Command.Start(life.id, byFence(life, 2, "new"), null)))
        .isInstanceOf(Outcome.Held.class);
  }

  @Test
  void aWorkerThatStopsEndsTheJobWithWhatItSaidAndAnswersTheSameAgain() {
    Life life = Life.submitted().claimedBy("w");
    Proof proof = life.proof();
    life.cancel();
    Command.Stop stop = new Command.Stop(life.id, proof, "CANCELLED", "{\"at\":1}", "{\"m\":1}");
    assertThat(life.report(stop)).isEqualTo(new Outcome.Settled(life.id, JobState.ABORTED, false));
    assertThat(life.job().reason()).isEqualTo("why");
    assertThat(life.past.getLast())
        .returns(Attempt.End.STOPPED, Attempt::end)
        .returns("{\"at\":1}", Attempt::error)
        .returns("{\"m\":1}", Attempt::metrics);
    assertThat(life.report(stop)).isEqualTo(new Outcome.Settled(life.id, JobState.ABORTED, true));

    Life unasked = Life.submitted().assignedTo("w");
    unasked.report(new Command.Stop(unasked.id, unasked.proof(), "CANCELLED", null, null));
    assertThat(unasked.job())
        .returns(JobState.ABORTED, Job::state)
        .returns("CANCELLED", Job::reason);
  }

  @Test
  void progressTellsTheWorkersOwnTimeWithIt() {
    Life life = Life.submitted().claimedBy("w");
    life.report(
        new Command.Heartbeat(life.id, life.proof(), new Progress(45, "half", null), "2025Z"));
    assertThat(life.events.getLast())
        .returns("{\"percent\":45,\"heartbeatAt\":\"2025Z\"}", Event::data)
        .returns("half", Event::reason);
  }

  @Test
  void tenantsAndTargetsNarrowWhatAWorkerWants() {
    Needs needs = new Needs(false, Collections.emptySortedSet(), "t", "a", null);
    assertThat(Skills.NONE.satisfy(needs)).isTrue();
    assertThat(Skills.within("t", "a").satisfy(needs)).isTrue();
    assertThat(Skills.within("t", "b").satisfy(needs)).isFalse();
    assertThat(Skills.within("u", null).satisfy(needs)).isFalse();
    assertThat(Skills.within("t", null).satisfy(Needs.NOTHING)).isFalse();
    assertThat(new Skills(false, Set.of("gpu")).satisfy(DELIVERED)).isFalse();
    assertThat(Skills.delivery("http://there:80").satisfy(DELIVERED)).isTrue();
    assertThat(Skills.delivery("http://there:80").satisfy(Needs.NOTHING)).isFalse();
    assertThatThrownBy(() -> new Needs(false, Collections.emptySortedSet(), "t", null, "x"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static Life delivered() {
    return Life.submitted(
        new Command.Submit.Draft(
            "q",
            DELIVERED,
            0,
            0,
            Times.NEVER,
            0,
            RetryPolicy.attempts(3),
            LeasePolicy.OF_THE_CLAIMER));
  }

  private static Proof byFence(Life life, long fence) {
    return new Proof(null, null, null, life.lease().attempt(), fence);
  }

  private static Proof byFence(Life life, long fence, String worker) {
    return new Proof(null, null, null, life.lease().attempt(), fence, worker);
  }
}
