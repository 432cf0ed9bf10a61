package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.storage.ClaimTrails.Look;
import dev.stint.storage.ClaimTrails.Start;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import java.util.ArrayList;
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
    Look first = trails.look("q");
    assertThat(first.start()).isEqualTo(Start.UNKNOWN);
    trails.ended("q", first, job(5, 10_000), CLASS, true);
    Look next = trails.look("q");
    assertThat(next.start()).isEqualTo(new Start(CLASS, 5, 9_900));
    nanos.set(TimeUnit.MILLISECONDS.toNanos(999));
    trails.ended("q", next, job(5, 20_000), CLASS, true);
    assertThat(trails.look("q").start()).isEqualTo(new Start(CLASS, 5, 19_900));
    nanos.set(TimeUnit.MILLISECONDS.toNanos(1_000));
    Look due = trails.look("q");
    assertThat(due.start()).isEqualTo(new Start(CLASS, ClaimTrails.NO_PRIORITY, 0));
    trails.ended("q", due, job(5, 15_000), CLASS, true);
    assertThat(trails.look("q").start()).isEqualTo(new Start(CLASS, 5, 14_900));
    assertThat(trails.look("other").start()).isEqualTo(Start.UNKNOWN);
  }

  @Test
  void whereAJobWasPutBackOrSeveralClassesWaitItBeginsAtTheFront() {
    trails.ended("q", Look.UNKNOWN, job(5, 10_000), CLASS, true);
    trails.putBack("q");
    assertThat(trails.look("q").start().isFromTheFront()).isTrue();
    trails.ended("q", trails.look("q"), job(5, 10_000), CLASS, true);
    assertThat(trails.look("q").start().isFromTheFront()).isFalse();
    trails.ended("q", trails.look("q"), job(5, 10_000), CLASS, false);
    assertThat(trails.look("q").start().isFromTheFront()).isTrue();
    trails.ended("q", trails.look("q"), job(5, 10_000), CLASS, true);
    trails.forget();
    assertThat(trails.look("q").start().isFromTheFront()).isTrue();
  }

  @Test
  void aLookMovesOnlyTheTrailThatItBeganWith() {
    trails.ended("q", Look.UNKNOWN, job(5, 10_000), CLASS, true);
    Look look = trails.look("q");
    trails.putBack("q");
    trails.ended("q", look, job(5, 20_000), CLASS, true);
    assertThat(trails.look("q").start().isFromTheFront()).as("after a job was put back").isTrue();

    Look another = trails.look("q");
    trails.forget();
    trails.ended("q", another, job(5, 20_000), CLASS, true);
    assertThat(trails.look("q")).as("after all was forgotten").isEqualTo(Look.UNKNOWN);
  }

  @Test
  void aSecondLookOfATransactionLocksNoMoreThanItGets() {
    String url = TestPostgres.shared().newDatabase();
    try (Store store = Stores.open(url, Clock.systemUTC())) {
      List<Job> jobs = new ArrayList<>();
      ChangeSet all = new ChangeSet();
      for (int i = 0; i < 9; i++) {
        Job job = job(0, 1_000L * (i + 1));
        jobs.add(job);
        all.arrive(job);
      }
      all.saveIn(store);
      take(store, jobs.getFirst());

      List<UUID> left =
          store.transact(transaction -> {
            assertThat(transaction.lockClaimable("q", Skills.NONE, 3)).hasSize(3);
            // Another shape of claim, which wants one more than was taken.
            assertThat(transaction.lockClaimable("q", Skills.NONE, 4)).hasSize(4);
            return claimable(store, 8);
          });

      assertThat(left).containsExactlyElementsOf(jobs.subList(5, 9).stream().map(Job::id).toList());
    }
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
