package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.StoreConflictException;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What goes to PostgreSQL together, so that a transaction waits for it twice and not four times.
 */
@Timeout(60)
class PostgresTripsTest {
  private final String url = TestPostgres.shared().newDatabase();
  private final Store one = Stores.open(url, Clock.systemUTC());
  private final Store other = Stores.open(url, Clock.systemUTC());
  private final Job job = SampleJobs.pending("q");
  private final Job running = SampleJobs.running(job, "w", 2_000, 3_000);

  @AfterEach
  void close() {
    one.close();
    other.close();
  }

  @Test
  void whatIsSavedLastIsCommittedAtOnce() {
    new ChangeSet().arrive(job).saveIn(one);
    during(transaction -> {
      transaction.lock(List.of(job.id()));
      transaction.saveLast(new ChangeSet().update(running).build());
      assertThat(stored()).isEqualTo(running);
    });
    during(transaction ->
        assertThat(transaction.lock(List.of(job.id())).get(job.id())).isSameAs(running));
  }

  @Test
  void whatFailsAfterTheLastSaveCountsAsInDoubt() {
    assertThatThrownBy(() ->
            during(transaction -> {
              transaction.saveLast(new ChangeSet().arrive(job).build());
              throw new IllegalStateException("on purpose");
            }))
        .isInstanceOf(StoreUnavailableException.class)
        .hasRootCauseMessage("on purpose");
    assertThat(stored()).isEqualTo(job);
  }

  @Test
  void aChangeOfAJobThatNobodyLockedIsLookedAtBeforeItIsCommitted() {
    assertThatThrownBy(() ->
            during(transaction ->
                transaction.saveLast(new ChangeSet().arrive(job).update(unknown()).build())))
        .isInstanceOf(IllegalStateException.class);
    assertThat(other.find(job.id())).isEmpty();
  }

  private static Job unknown() {
    return SampleJobs.pending("q");
  }

  @Test
  void anExpectedLookIsMadeTogetherWithTheLocks() {
    Job held = SampleJobs.pending("other");
    new ChangeSet().arrive(job).arrive(held).saveIn(one);
    during(transaction -> {
      transaction.willLook("q", Skills.NONE, 1);
      assertThat(transaction.lock(List.of(held.id()))).containsKey(held.id());
      assertThat(claimable(other, 1)).isEmpty();
      assertThat(transaction.lockClaimable("q", Skills.NONE, 1))
          .extracting(Store.Work::job)
          .containsExactly(job);
    });
    assertThat(claimable(other, 1)).containsExactly(job);
  }

  @Test
  void anExpectedLookIsMadeTogetherWithTheClock() {
    new ChangeSet().arrive(job).saveIn(one);
    during(transaction -> {
      transaction.willLook("q", Skills.NONE, 1);
      assertThat(transaction.now()).isPositive();
      assertThat(claimable(other, 1)).isEmpty();
      assertThat(transaction.lockClaimable("q", Skills.NONE, 1))
          .extracting(Store.Work::job)
          .containsExactly(job);
    });
  }

  @Test
  void whoLooksForMoreThanWasExpectedFindsIt() {
    Job second = SampleJobs.pending("q");
    new ChangeSet().arrive(job).arrive(second).saveIn(one);
    during(transaction -> {
      transaction.willLook("q", Skills.NONE, 1);
      assertThat(transaction.now()).isPositive();
      assertThat(transaction.lockClaimable("q", Skills.NONE, 2))
          .extracting(Store.Work::job)
          .containsExactlyInAnyOrder(job, second);
    });
  }

  /** Somebody who has the ended job may wait for one that the look has locked. */
  @Test
  void whoHasLookedDoesNotWaitForOthers() {
    Job waiting = SampleJobs.pending("q");
    new ChangeSet().arrive(job).arrive(waiting).saveIn(one);
    Job ended = SampleJobs.ended(job, JobState.COMPLETED, 2_000, 9_000);
    new ChangeSet().update(ended).saveIn(other);

    other.transact(transaction -> {
      transaction.lock(List.of(job.id()));
      assertThatThrownBy(() ->
              during(looker -> {
                looker.willLook("q", Skills.NONE, 1);
                looker.lock(List.of(job.id()));
              }))
          .isInstanceOf(StoreConflictException.class)
          .isNotInstanceOf(StoreConflictException.InVain.class);
      return true;
    });
    assertThat(claimable(one, 2)).containsExactly(waiting);
  }

  private void during(Consumer<Store.Transaction> work) {
    one.transact(transaction -> {
      work.accept(transaction);
      return true;
    });
  }

  private Job stored() {
    return other.find(job.id()).orElseThrow().job();
  }

  private static List<Job> claimable(Store store, int limit) {
    return store.transact(transaction ->
        transaction.lockClaimable("q", Skills.NONE, limit).stream().map(Store.Work::job).toList());
  }
}
