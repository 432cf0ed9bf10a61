package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Fingerprint;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What stores promise to those who run a fleet. */
abstract class OperatorConformance extends WorkerConformance {
  private static final @Nullable IdempotencyKey NO_KEY = null;

  @Test
  public void pausedQueuesAndWorkersThatGetNothingAreKept() {
    Store.Pause first = new Store.Pause("q ü", "because", 5);
    save(
        new ChangeSet()
            .pause("q ü", "because", 5)
            .pause("other", null, 6)
            .worker(worker("w", true))
            .worker(worker("v", false))
            .worker(revoked("r")));
    reopen();

    assertThat(store().shut())
        .isEqualTo(
            new Store.Shut(
                Map.of("q ü", first, "other", new Store.Pause("other", null, 6)),
                Set.of("w", "r")));
    assertThat(mapIn(Store.Transaction::paused)).containsOnlyKeys("q ü", "other");

    save(
        new ChangeSet()
            .pause("q ü", "another reason", 5)
            .resume("other")
            .resume("never paused")
            .worker(worker("w", false))
            .worker(worker("r", false)));
    assertThat(store().shut())
        .isEqualTo(
            new Store.Shut(Map.of("q ü", new Store.Pause("q ü", "another reason", 5)), Set.of()));
  }

  @Test
  public void aSightingLeavesADrainingWorkerDraining() {
    save(new ChangeSet().worker(worker("w", true)));
    save(new ChangeSet().seen("w", Skills.NONE, 5_000));
    save(new ChangeSet().seen("w", null, 7_000));
    assertThat(store().worker("w").orElseThrow().draining()).isTrue();
  }

  @Test
  public void jobsAreFoundByQueueTaskTimeAndTextInTheirMetadata() {
    long begin = 1_700_000_000_000L;
    Job early = made("a", begin, "chat", "{\"owner\":\"Ada 100%\"}");
    Job middle = made("b", begin + 3_600_000, "code", "{\"owner\":\"grace_h ÆGIR\"}");
    Job late = made("a", begin + 7_200_000, null, null);

    assertThat(found(filter("a", null, 0, Times.NEVER, null)))
        .containsExactly(late.id(), early.id());
    assertThat(found(filter(null, "code", 0, Times.NEVER, null))).containsExactly(middle.id());
    assertThat(found(filter(null, null, begin + 1, Times.NEVER, null)))
        .containsExactly(late.id(), middle.id());
    assertThat(found(filter(null, null, 0, begin + 7_199_999, null)))
        .containsExactly(middle.id(), early.id());
    assertThat(found(filter(null, null, begin, begin, null))).containsExactly(early.id());
    assertThat(found(filter(null, null, begin + 1, begin + 2, null))).isEmpty();
    assertThat(found(filter(null, null, 0, Times.NEVER, "ADA"))).containsExactly(early.id());
    assertThat(found(filter(null, null, 0, Times.NEVER, "100%"))).containsExactly(early.id());
    assertThat(found(filter(null, null, 0, Times.NEVER, "grace_"))).containsExactly(middle.id());
    assertThat(found(filter(null, null, 0, Times.NEVER, "Ægir"))).containsExactly(middle.id());
    assertThat(found(filter(null, null, 0, Times.NEVER, "graceXh"))).isEmpty();
    assertThat(found(filter(null, null, 0, Times.NEVER, "'\"!"))).isEmpty();
    assertThat(
            found(
                new Store.JobFilter(
                    Set.of(JobState.PENDING, JobState.LOST),
                    "a",
                    "chat",
                    null,
                    0,
                    Times.NEVER,
                    "ada")))
        .containsExactly(early.id());
  }

  @Test
  public void aPageEndsWhereItHasBecomeLongAndTheNextGoesOnThere() {
    JobContent content =
        new JobContent("t", null, "\"" + "x".repeat(4_000_000) + "\"", null, Scope.NONE, null);
    for (int i = 0; i < 6; i++) {
      save(new ChangeSet().arrive(job("q", Needs.NOTHING, 0, 1_000), content, NO_KEY));
    }

    Store.Page<Store.JobView, UUID> page = store().list(Store.JobFilter.ALL, null, 10);
    Store.Page<Store.JobView, UUID> rest = store().list(Store.JobFilter.ALL, page.next(), 10);

    assertThat(page.items()).hasSize(5);
    assertThat(page.isLong()).isTrue();
    assertThat(rest.items()).hasSize(1);
    assertThat(rest.isLong()).isFalse();
    assertThat(rest.next()).isNull();
  }

  @Test
  public void theOldestOfAQueueIsFoundWhateverItsNeedsAndPriority() {
    assertThat(store().oldestClaimable("q", 50)).isEmpty();
    saved(job("q", Needs.NOTHING, 9, 5_000));
    Job oldest = saved(job("q", Needs.of(Set.of("gpu")), -5, 1_000));
    saved(job("q", Needs.of(Set.of("gpu")), 0, 3_000));
    saved(job("other", Needs.NOTHING, 0, 10));
    saved(SampleJobs.running(job("q", Needs.NOTHING, 0, 1), "w", 1, 60_000));

    assertThat(store().oldestClaimable("q", 50))
        .contains(new Store.Waiting(oldest.id(), "q", 1_000));
    assertThat(store().oldestClaimable("q", 1)).isPresent();
  }

  @Test
  public void itIsKnownHowManyLikeItGoFirst() {
    Job last = saved(job("q", Needs.NOTHING, 0, 3_000));
    saved(job("q", Needs.NOTHING, 0, 2_000));
    saved(job("q", Needs.NOTHING, 5, 9_000));
    saved(job("q", Needs.NOTHING, -1, 1));
    saved(job("q", Needs.of(Set.of("gpu")), 9, 1));
    assertThat(store().aheadOf(last, 10)).isEqualTo(2);
    assertThat(store().aheadOf(last, 1)).isEqualTo(1);
  }

  @Test
  public void failedJobsAreCountedByGroupAsTheyComeAndGo() {
    Store.DeadLetter a1 = letter("aaaa", new UUID(7, 1), 10);
    Store.DeadLetter a2 = letter("aaaa", new UUID(7, 2), 20);
    Store.DeadLetter b1 = letter("bbbb", new UUID(7, 3), 30);
    save(new ChangeSet().dead(a1).dead(b1));
    save(new ChangeSet().dead(a2));
    reopen();

    List<Store.DeadGroup> groups = store().deadGroups(null, 10);
    assertThat(groups)
        .containsExactly(
            new Store.DeadGroup("bbbb", "code bbbb", "shape", 1, 30, b1.sample()),
            new Store.DeadGroup("aaaa", "code aaaa", "shape", 2, 10, a2.sample()));
    assertThat(store().deadGroups(null, 1)).containsExactly(groups.getFirst());
    assertThat(store().deadGroups(new Store.DeadPlace(30, "bbbb"), 5))
        .containsExactly(groups.getLast());
    assertThat(store().deadJobs("aaaa", null, 10))
        .containsExactly(a2.sample().jobId(), a1.sample().jobId());
    assertThat(store().deadJobs("aaaa", a2.sample().jobId(), 10))
        .containsExactly(a1.sample().jobId());

    save(new ChangeSet().risen(a1.sample().jobId()).risen(b1.sample().jobId()));
    assertThat(store().deadGroups(null, 10))
        .extracting(Store.DeadGroup::fingerprint, Store.DeadGroup::count)
        .containsExactly(org.assertj.core.api.Assertions.tuple("aaaa", 1L));
    assertThat(store().deadJobs("bbbb", null, 10)).isEmpty();

    // One that fails anew leaves its old group in the same save.
    save(
        new ChangeSet()
            .risen(a2.sample().jobId())
            .dead(letter("bbbb", a2.sample().jobId(), 40))
            .risen(JobIds.next()));
    assertThat(store().deadGroups(null, 10))
        .extracting(Store.DeadGroup::fingerprint)
        .containsExactly("bbbb");
  }

  private static Store.DeadLetter letter(String fingerprint, UUID jobId, long at) {
    return new Store.DeadLetter(
        new Fingerprint(fingerprint, "code " + fingerprint, "shape"),
        new Store.DeadSample(jobId, "q", "message of " + jobId, at));
  }

  private Job made(String queue, long at, @Nullable String task, @Nullable String metadata) {
    UUID id = new UUID(JobIds.firstAt(at).getMostSignificantBits() | 0x7000, -1);
    Job job = SampleJobs.pending(id, queue, Needs.NOTHING, 0, at);
    save(
        new ChangeSet()
            .arrive(job, new JobContent("t", task, "{}", metadata, Scope.NONE, null), NO_KEY));
    return job;
  }

  private static Store.JobFilter filter(
      @Nullable String queue,
      @Nullable String task,
      long since,
      long until,
      @Nullable String text) {
    return new Store.JobFilter(Set.of(), queue, task, null, since, until, text);
  }

  private List<UUID> found(Store.JobFilter filter) {
    return store().list(filter, null, 10).items().stream().map(view -> view.job().id()).toList();
  }

  private static Worker revoked(String id) {
    return new Worker(
        id, Skills.NONE, 1, null, null, null, true, 1, 2, 3, 0, null, true, 10, false);
  }

  private static Worker worker(String id, boolean draining) {
    return new Worker(
        id, Skills.NONE, 1, null, null, null, false, 1, 2, 3, 0, null, true, 10, draining);
  }
}
