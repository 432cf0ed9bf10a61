package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What stores promise about finding jobs: to claim, by their holder, by their time. */
abstract class ClaimConformance extends RecordConformance {
  private static final Needs GPU = Needs.of(Set.of("gpu"));
  private static final Needs GPU_AND_TPU = Needs.of(Set.of("gpu", "tpu"));
  private static final Needs COMMAND = new Needs(true, new TreeSet<>());

  @Test
  public void claimsGoByPriorityThenAgeThenId() {
    Job low = job("q", Needs.NOTHING, -1, 1);
    Job old = job("q", Needs.NOTHING, 5, 10);
    Job young = job("q", Needs.NOTHING, 5, 11);
    UUID smaller = new UUID(0x0100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    UUID larger = new UUID(0xf100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    Job firstOfTwins = SampleJobs.pending(smaller, "q", Needs.NOTHING, 9, 10);
    Job secondOfTwins = SampleJobs.pending(larger, "q", Needs.NOTHING, 9, 10);
    save(new ChangeSet().arrive(low, young, secondOfTwins, old, firstOfTwins));

    assertThat(claimable("q", Skills.NONE, 10))
        .containsExactly(firstOfTwins.id(), secondOfTwins.id(), old.id(), young.id(), low.id());
    assertThat(claimable("q", Skills.NONE, 2)).containsExactly(smaller, larger);
  }

  @Test
  public void theOrderHoldsAcrossClassesOfNeeds() {
    UUID smaller = new UUID(0x0100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    UUID larger = new UUID(0xf100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    Job third = job("q", Needs.NOTHING, 3, 30);
    Job first = job("q", GPU, 4, 40);
    Job fourth = SampleJobs.pending(smaller, "q", GPU, 3, 31);
    Job fifth = SampleJobs.pending(larger, "q", Needs.NOTHING, 3, 31);
    Job second = job("q", COMMAND, 4, 41);
    save(new ChangeSet().arrive(third, first, fifth, fourth, second));

    Skills gpu = new Skills(false, Set.of("gpu"));
    assertThat(claimable("q", gpu, 10))
        .containsExactly(first.id(), second.id(), third.id(), fourth.id(), fifth.id());
    assertThat(claimable("q", gpu, 3)).containsExactly(first.id(), second.id(), third.id());
  }

  @Test
  public void aClaimGetsOnlyWhatItsSkillsSatisfy() {
    Job any = job("q", Needs.NOTHING, 0, 1);
    Job gpu = job("q", GPU, 0, 2);
    Job both = job("q", GPU_AND_TPU, 0, 3);
    Job command = job("q", COMMAND, 0, 4);
    Job gpuCommand = job("q", new Needs(true, new TreeSet<>(Set.of("gpu"))), 0, 5);
    save(new ChangeSet().arrive(any, gpu, both, command, gpuCommand));

    assertThat(claimable("q", Skills.NONE, 9)).containsExactly(any.id(), command.id());
    assertThat(claimable("q", new Skills(false, Set.of("gpu", "ssd")), 9))
        .containsExactly(any.id(), gpu.id(), command.id(), gpuCommand.id());
    assertThat(claimable("q", new Skills(false, Set.of("tpu", "gpu")), 9)).hasSize(5);
    assertThat(claimable("q", new Skills(true, Set.of()), 9)).containsExactly(command.id());
    assertThat(claimable("q", new Skills(true, Set.of("gpu")), 9))
        .containsExactly(command.id(), gpuCommand.id());
  }

  @Test
  public void aClaimMayAskForOneTenantsJobsOrOneWorkspaces() {
    Job anybodys = job("q", Needs.NOTHING, 0, 1);
    Job first = job("q", of("t1", "a"), 0, 2);
    Job second = job("q", of("t1", "b"), 5, 3);
    Job other = job("q", of("t2", "a"), 0, 4);
    save(new ChangeSet().arrive(anybodys, first, second, other));

    assertThat(claimable("q", Skills.NONE, 9))
        .containsExactly(second.id(), anybodys.id(), first.id(), other.id());
    assertThat(claimable("q", Skills.within("t1", null), 9))
        .containsExactly(second.id(), first.id());
    assertThat(claimable("q", Skills.within("t1", null), 1)).containsExactly(second.id());
    assertThat(claimable("q", Skills.within("t1", "a"), 9)).containsExactly(first.id());
    assertThat(claimable("q", Skills.within(null, "a"), 9)).containsExactly(first.id(), other.id());
    assertThat(claimable("q", Skills.within("t3", null), 9)).isEmpty();
    assertThat(claimable("other", Skills.within("t1", null), 9)).isEmpty();
  }

  private static Needs of(String tenant, String workspace) {
    return new Needs(false, new TreeSet<>(), tenant, workspace, null);
  }

  @Test
  public void whatIsDeliveredGoesToNobodyButWhoDeliversThere() {
    Job anybodys = job("q", Needs.NOTHING, 0, 1);
    Job here = job("q", Needs.delivery("http://here:80"), 9, 2);
    Job there = job("q", Needs.delivery("http://there:80"), 9, 3);
    save(new ChangeSet().arrive(anybodys, here, there));

    assertThat(claimable("q", Skills.NONE, 9)).containsExactly(anybodys.id());
    assertThat(claimable("q", Skills.within("t", null), 9)).isEmpty();
    assertThat(claimable("q", Skills.delivery("http://here:80"), 9)).containsExactly(here.id());
    assertThat(claimable("q", Skills.delivery("http://there:80"), 9)).containsExactly(there.id());
    assertThat(store().claimable(Set.of("q"), 9))
        .extracting(Store.Ready::needs)
        .containsExactlyInAnyOrder(
            Needs.NOTHING, Needs.delivery("http://here:80"), Needs.delivery("http://there:80"));
  }

  /** A store may remember what was claimed last. */
  @Test
  public void aClaimFindsAllKindsOfJobsWhicheverWasClaimedBefore() {
    Skills all = new Skills(false, Set.of("gpu", "tpu"));
    List<Needs> kinds = List.of(Needs.NOTHING, GPU, GPU_AND_TPU, COMMAND);
    kinds.forEach(needs -> take(saved(job("q", needs, 0, 1))));

    for (Needs last : kinds) {
      Job taken = saved(job("q", last, 0, 2));
      assertThat(claimable("q", all, 9)).containsExactly(taken.id());
      take(taken);
      assertThat(claimable("q", all, 9)).isEmpty();
      for (Needs needs : kinds) {
        Job next = saved(job("q", needs, 0, 3));
        assertThat(claimable("q", all, 9)).containsExactly(next.id());
        Job other = saved(job("q", last, 0, 4));
        assertThat(claimable("q", all, 9)).containsExactly(next.id(), other.id());
        assertThat(claimable("q", all, 1)).containsExactly(next.id());
        take(next);
        take(other);
      }
    }
  }

  private void take(Job job) {
    save(new ChangeSet().update(SampleJobs.running(job, "w1", 10, 20)));
  }

  @Test
  public void onlyClaimableJobsOfTheQueueAreClaimed() {
    Job claimable = job("q", Needs.NOTHING, 0, 1);
    Job elsewhere = job("other", Needs.NOTHING, 0, 1);
    Job running = job("q", Needs.NOTHING, 0, 1);
    Job ended = job("q", Needs.NOTHING, 0, 1);
    save(new ChangeSet().arrive(claimable, elsewhere, running, ended));
    save(
        new ChangeSet()
            .update(SampleJobs.running(running, "w1", 10, 20))
            .update(SampleJobs.ended(ended, JobState.ABORTED, 10, Times.NEVER)));

    assertThat(claimable("q", Skills.NONE, 9)).containsExactly(claimable.id());
    assertThat(claimable("nowhere", Skills.NONE, 9)).isEmpty();
  }

  @Test
  public void aClaimBringsTheContentAlong() {
    Job job = SampleJobs.pending("q");
    JobContent content =
        new JobContent("fleet", null, "{\"p\":1}", "{\"m\":2}", new Scope("t", "w", "r"), "{}");
    save(new ChangeSet().arrive(job, content, null));

    assertThat(listIn(transaction -> transaction.lockClaimable("q", Skills.NONE, 1)))
        .containsExactly(new Store.Work(job, content));
  }

  @Test
  public void whatATransactionHasFoundItNeedNotReadAgain() {
    Job first = saveLarge(Needs.NOTHING, 1);
    Job second = saveLarge(GPU, 2);

    transact(transaction -> {
      Store.Work found = transaction.lockClaimable("q", Skills.NONE, 1).getFirst();
      List<Store.Work> more = transaction.lockClaimable("q", new Skills(false, Set.of("gpu")), 2);
      assertThat(more).extracting(work -> work.job().id()).containsExactly(first.id(), second.id());
      assertThat(more.getFirst().content()).isSameAs(found.content());
      return true;
    });
  }

  @Test
  public void whatATransactionHasChangedItFindsAsItIsThen() {
    Job job = saveLarge(Needs.NOTHING, 1);
    Job later = SampleJobs.dueAt(job, 5_000);

    transact(transaction -> {
      assertThat(transaction.lockClaimable("q", Skills.NONE, 1))
          .extracting(Store.Work::job)
          .containsExactly(job);
      transaction.save(new ChangeSet().update(later).build());
      assertThat(transaction.lockClaimable("q", Skills.NONE, 1))
          .extracting(Store.Work::job)
          .containsExactly(later);
      transaction.save(new ChangeSet().update(SampleJobs.running(later, "w1", 10, 20)).build());
      assertThat(transaction.lockClaimable("q", Skills.NONE, 1)).isEmpty();
      return true;
    });
  }

  /** With a payload that no store keeps in memory. */
  private Job saveLarge(Needs needs, long createdAt) {
    Job job = job("q", needs, 0, createdAt);
    String payload = "\"" + "x".repeat(10_000) + "\"";
    save(
        new ChangeSet()
            .arrive(job, new JobContent("test", null, payload, null, Scope.NONE, null), null));
    return job;
  }

  @Test
  public void jobsThatNobodyHereCanDoDoNotHideThoseBehindThem() {
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 300; i++) {
      changes.arrive(job("q", GPU, 9, i));
    }
    Job possible = job("q", Needs.NOTHING, 0, 999);
    save(changes.arrive(possible));

    assertThat(claimable("q", Skills.NONE, 5)).containsExactly(possible.id());
  }

  @Test
  public void whatIsClaimableIsCountedByQueueAndNeedsUpToALimit() {
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 5; i++) {
      changes.arrive(job("a", Needs.NOTHING, 0, i));
    }
    changes.arrive(job("a", GPU, 0, 1), job("b", COMMAND, 0, 1), job("c", GPU, 0, 1));
    save(changes);

    assertThat(store().claimable(List.of("a", "b", "empty", "a"), 3))
        .containsExactlyInAnyOrder(
            new Store.Ready("a", Needs.NOTHING, 3),
            new Store.Ready("a", GPU, 1),
            new Store.Ready("b", COMMAND, 1));
  }

  @Test
  public void dueJobsComeEarliestFirst() {
    long now = store().now();
    Job later = SampleJobs.dueAt(SampleJobs.pending("q"), now + 3_600_000);
    Job second = SampleJobs.dueAt(SampleJobs.pending("q"), now - 10);
    Job first = SampleJobs.dueAt(SampleJobs.pending("r"), now - 20);
    Job third = SampleJobs.dueAt(SampleJobs.pending("q"), now);
    Job never = SampleJobs.pending("q");
    save(new ChangeSet().arrive(later, second, first, third, never));

    assertThat(listIn(transaction -> transaction.lockFading(10)))
        .containsExactly(fading(first), fading(second), fading(third));
    assertThat(listIn(transaction -> transaction.lockFading(1))).containsExactly(fading(first));
    assertThat(numberIn(Store.Transaction::nextDueAt)).isEqualTo(now - 20);
  }

  @Test
  public void whatEndedUnderALongerRetentionGoesByTheNewOne() {
    long now = store().now();
    Job early = ended(now - 50_000, now + 500_000);
    Job middle = ended(now - 40_000, now + 600_000);
    Job latest = ended(now - 30_000, now + 700_000);
    Job waiting = saved(SampleJobs.dueAt(SampleJobs.pending("q"), now + 800_000));
    Job soon = ended(now - 90_000, now + 5_000);

    long next = store().hastenRemovals(10_000, Times.NEVER, 2);
    assertThat(dueAt(waiting)).isEqualTo(now + 800_000);
    assertThat(dueAt(latest)).isEqualTo(now - 20_000);
    assertThat(dueAt(middle)).isEqualTo(now + 600_000);
    while (next > 0) {
      next = store().hastenRemovals(10_000, next, 2);
    }
    assertThat(dueAt(middle)).isEqualTo(now - 30_000);
    assertThat(dueAt(early)).isEqualTo(now - 40_000);
    assertThat(dueAt(soon)).isEqualTo(now + 5_000);
    assertThat(dueAt(waiting)).isEqualTo(now + 800_000);
    assertThat(listIn(transaction -> transaction.lockFading(10))).hasSize(3);
  }

  private Job ended(long at, long dueAt) {
    return saved(SampleJobs.ended(SampleJobs.pending("q"), JobState.COMPLETED, at, dueAt));
  }

  private long dueAt(Job job) {
    return load(job.id()).dueAt();
  }

  private static Store.Fading fading(Job job) {
    return new Store.Fading(
        job.id(), job.spec().queue(), job.state(), job.spec().ttlMs(), job.updatedAt());
  }

  @Test
  public void heldJobsAreDueApartFromThoseThatWaitOrAreOver() {
    long now = store().now();
    Job over =
        saved(SampleJobs.ended(SampleJobs.pending("q"), JobState.COMPLETED, now - 50, now - 40));
    Job waiting = saved(SampleJobs.dueAt(SampleJobs.pending("q"), now - 30));
    Job second = saved(SampleJobs.running(SampleJobs.pending("q"), "w", now - 50, now - 10));
    Job first = saved(SampleJobs.running(SampleJobs.pending("q"), "w", now - 50, now - 20));

    assertThat(listIn(transaction -> transaction.lockDue(10))).containsExactly(first, second);
    assertThat(listIn(transaction -> transaction.lockFading(10)))
        .containsExactly(fading(over), fading(waiting));
    assertThat(numberIn(Store.Transaction::nextDueAt)).isEqualTo(now - 40);
  }

  @Test
  public void theNextMomentIsThatOfTheEarliestJobThatIsLeft() {
    Job early = saved(SampleJobs.dueAt(SampleJobs.pending("q"), 50));
    saved(SampleJobs.dueAt(SampleJobs.pending("q"), 70));
    save(new ChangeSet().update(SampleJobs.dueAt(early, Times.NEVER)));

    assertThat(numberIn(Store.Transaction::nextDueAt)).isEqualTo(70);
  }

  @Test
  public void aWorkersJobsAreThoseItHoldsNow() {
    Job held = SampleJobs.running(SampleJobs.pending("q"), "w1", 10, 20);
    Job alsoHeld = SampleJobs.running(SampleJobs.pending("r"), "w1", 10, 20);
    Job anothers = SampleJobs.running(SampleJobs.pending("q"), "w2", 10, 20);
    Job past = SampleJobs.running(SampleJobs.pending("q"), "w1", 10, 20);
    save(new ChangeSet().arrive(held, alsoHeld, anothers, past));
    save(new ChangeSet().update(SampleJobs.ended(past, JobState.COMPLETED, 30, Times.NEVER)));

    List<String> all = List.of("w1", "w2", "w3");
    Map<String, List<UUID>> byWorker = mapIn(transaction -> transaction.heldBy(all, 10));
    assertThat(byWorker).containsOnlyKeys("w1", "w2").containsEntry("w2", List.of(anothers.id()));
    assertThat(byWorker.get("w1")).containsExactlyInAnyOrder(held.id(), alsoHeld.id());
    assertThat(mapIn(transaction -> transaction.heldBy(all, 1)).values())
        .hasSize(2)
        .allSatisfy(ofOne -> assertThat(ofOne).hasSize(1));
    assertThat(mapIn(transaction -> transaction.heldBy(List.of("w3"), 1))).isEmpty();
  }

  @Test
  public void jobsAreLockedInTheOrderOfTheirIdsAndUnknownOnesAreLeftOut() {
    UUID small = new UUID(0x0100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    UUID large = new UUID(0xf100_0000_0000_7000L, 0x8000_0000_0000_0001L);
    Job second = saved(SampleJobs.pending(large, "q", Needs.NOTHING, 0, 1));
    Job first = saved(SampleJobs.pending(small, "q", GPU, 0, 1));

    assertThat(
            mapIn(transaction -> transaction.lock(List.of(large, JobIds.next(), small))).values())
        .containsExactly(first, second);
  }
}
