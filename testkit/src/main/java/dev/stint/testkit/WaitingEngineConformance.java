package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How claims wait for jobs, and which of them get what, over any store. */
public abstract class WaitingEngineConformance extends EngineFixture {
  @Test
  void aParkedClaimIsAnsweredWhenAJobComes() throws Exception {
    Future<Outcome.OfClaim> parked = park("w", 30_000);
    UUID id = submit();
    assertThat(jobOf(parked.get(10, TimeUnit.SECONDS))).isEqualTo(id);
  }

  @Test
  void aJobBehindThousandsThatAreTooLateIsFoundStepByStep() throws Exception {
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 2_500; i++) {
      changes.arrive(SampleJobs.tooLate(queue()));
    }
    Job last = SampleJobs.pending(JobIds.next(), queue(), Needs.NOTHING, -1, 2_000);
    changes.arrive(last).saveIn(store());

    assertThat(engine().execute(Orders.claim("w", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
    assertThat(engine().tally())
        .containsEntry(new Store.TallyKey(queue(), JobState.FAILED), 1_000L);
    assertThat(jobOf(park("w", 30_000).get(30, TimeUnit.SECONDS))).isEqualTo(last.id());
  }

  @Test
  void whoDeliversIsToldWhatWaitsAndWhatComes() {
    Needs here = Needs.delivery("http://here:80");
    Needs there = Needs.delivery("http://there:80");
    RetryPolicy once = RetryPolicy.attempts(1);
    engine().execute(Orders.submit(Orders.draft(queue(), here, once), null), null);
    Set<Needs> told = ConcurrentHashMap.newKeySet();
    engine().onReady(ready -> ready.forEach(kind -> told.add(kind.needs())));
    assertThat(told).contains(here).doesNotContain(there);
    engine().execute(Orders.submit(Orders.draft(queue(), there, once), null), null);
    assertThat(told).contains(there);
    assertThat(engine().execute(Orders.claim("w", queue()), null))
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
        begin(() -> engine().claim(Orders.claim("gone", queue()), 30_000, () -> () -> false, null));
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
    Outcome.Claimed first = claimed(Orders.claimWithId("w", "c1", queue()));
    Outcome.Claimed again = claimed(Orders.claimWithId("w", "c1", queue()));
    assertThat(again.lease()).isEqualTo(first.lease());
    assertThat(again.content()).isEqualTo(first.content());
    assertThat(claimed(Orders.claimWithId("v", "c1", queue())).lease()).isNotEqualTo(first.lease());
    engine().execute(Orders.complete(first, "{}"), null);
    assertThat(engine().execute(Orders.claimWithId("w", "c1", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
  }

  @Test
  void theSameClaimIdSentManyTimesAtOnceGivesOneLease() throws Exception {
    for (int i = 0; i < 20; i++) {
      submit();
    }
    List<Outcome.OfClaim> answers =
        all(20, () -> engine().execute(Orders.claimWithId("w", "c1", queue()), null));
    assertThat(answers.stream().map(EngineConformance::jobOf).distinct()).hasSize(1);
  }

  @Test
  void aLeaseThatRunsOutIsGivenToAWaitingWorkerWithoutAnyCall() throws Exception {
    Command.Submit.Draft shortLease =
        new Command.Submit.Draft(
            queue(),
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
            queue(),
            Needs.NOTHING,
            0,
            engine().now() + 200,
            Times.NEVER,
            0,
            RetryPolicy.attempts(3),
            LeasePolicy.OF_THE_CLAIMER);
    engine().execute(Orders.submit(later, null), null);
    assertThat(engine().execute(Orders.claim("w", queue()), null))
        .isEqualTo(new Outcome.NothingClaimable());
    assertThat(park("w", 30_000).get(20, TimeUnit.SECONDS)).isInstanceOf(Outcome.Claimed.class);
  }

  @Test
  void aWorkerGetsOnlyWhatItCanRunFromTheFirstQueueThatHasIt() {
    String other = queue() + "-2";
    Command.Submit gpu =
        Orders.submit(
            Orders.draft(queue(), Needs.of(List.of("gpu")), RetryPolicy.attempts(1)), null);
    Command.Submit plain = Orders.submit(other);
    engine().execute(gpu, null);
    engine().execute(plain, null);
    assertThat(claimed(Orders.claim("w", queue(), other)).job().id()).isEqualTo(plain.jobId());
    assertThat(claimed(Orders.claimWith("w", Set.of("gpu", "ssd"), queue())).job().id())
        .isEqualTo(gpu.jobId());
  }
}
