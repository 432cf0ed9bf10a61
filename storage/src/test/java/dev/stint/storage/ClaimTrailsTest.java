package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.storage.ClaimTrails.Start;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ClaimTrailsTest {
  private static final long CLASS = 7;

  private final AtomicLong nanos = new AtomicLong();
  private final ClaimTrails trails = new ClaimTrails(nanos::get);

  @Test
  void aLookBeginsWhereTheLastOneEndedAndOnceASecondAtTheFront() {
    Start first = trails.start("q");
    assertThat(first).isEqualTo(Start.UNKNOWN);
    trails.ended("q", first, job(5, 10_000), CLASS, true);
    Start next = trails.start("q");
    assertThat(next).isEqualTo(new Start(CLASS, 5, 9_900));
    nanos.set(TimeUnit.MILLISECONDS.toNanos(999));
    trails.ended("q", next, job(5, 20_000), CLASS, true);
    assertThat(trails.start("q")).isEqualTo(new Start(CLASS, 5, 19_900));
    nanos.set(TimeUnit.MILLISECONDS.toNanos(1_000));
    Start due = trails.start("q");
    assertThat(due).isEqualTo(new Start(CLASS, ClaimTrails.NO_PRIORITY, 0));
    trails.ended("q", due, job(5, 15_000), CLASS, true);
    assertThat(trails.start("q")).isEqualTo(new Start(CLASS, 5, 14_900));
    assertThat(trails.start("other")).isEqualTo(Start.UNKNOWN);
  }

  @Test
  void whereAJobWasPutBackOrSeveralClassesWaitItBeginsAtTheFront() {
    trails.ended("q", Start.UNKNOWN, job(5, 10_000), CLASS, true);
    trails.putBack("q");
    assertThat(trails.start("q").isFromTheFront()).isTrue();
    trails.ended("q", trails.start("q"), job(5, 10_000), CLASS, true);
    assertThat(trails.start("q").isFromTheFront()).isFalse();
    trails.ended("q", trails.start("q"), job(5, 10_000), CLASS, false);
    assertThat(trails.start("q").isFromTheFront()).isTrue();
    trails.ended("q", trails.start("q"), job(5, 10_000), CLASS, true);
    trails.forget();
    assertThat(trails.start("q").isFromTheFront()).isTrue();
  }

  @Test
  void nothingIsMissedThatWaitsBeforeTheTrail() {
    String url = TestPostgres.shared().newDatabase();
    try (Store one = Stores.open(url, Clock.systemUTC());
        Store other = Stores.open(url, Clock.systemUTC())) {
      Job old = job(0, 1_000);
      Job late = job(0, 50_000);
      Job later = job(0, 60_000);
      new ChangeSet().arrive(old).arrive(late).arrive(later).saveIn(one);
      take(one, old);
      take(one, late);

      new ChangeSet().update(old).saveIn(other);
      assertThat(claimable(one, 2)).containsExactly(old.id(), later.id());

      Job urgent = job(9, 2_000);
      new ChangeSet().arrive(urgent).saveIn(other);
      assertThat(claimable(one, 1)).containsExactly(urgent.id());
      take(one, urgent);
      new ChangeSet().update(late).saveIn(one);
      assertThat(claimable(one, 3)).containsExactly(old.id(), late.id(), later.id());
    }
  }

  /** Claims the first job, which is to be this one. */
  private static void take(Store store, Job job) {
    store.transact(transaction -> {
      List<Store.Work> found = transaction.lockClaimable("q", Skills.NONE, 1);
      assertThat(found).extracting(work -> work.job().id()).containsExactly(job.id());
      transaction.save(new ChangeSet().update(SampleJobs.running(job, "w", 2_000, 3_000)).build());
      return true;
    });
  }

  private static List<UUID> claimable(Store store, int limit) {
    return store.transact(transaction ->
        transaction.lockClaimable("q", Skills.NONE, limit).stream()
            .map(work -> work.job().id())
            .toList());
  }

  private static Job job(int priority, long createdAt) {
    return SampleJobs.pending(JobIds.next(), "q", Needs.NOTHING, priority, createdAt);
  }
}
