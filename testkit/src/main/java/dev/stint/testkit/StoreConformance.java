package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.StoreConflictException;
import dev.stint.engine.Times;
import java.util.AbstractList;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/**
 * What every {@link Store} promises. A store's own test extends this and says how to open one.
 *
 * <p>The tests are in several files: here transactions, time and names; {@link ClaimConformance}
 * about finding work; {@link RecordConformance} about what is kept; {@link WorkerConformance} and
 * {@link OperatorConformance} about workers, lists, and what those need who run a fleet.
 */
public abstract class StoreConformance extends OutboxConformance {

  @Test
  public void whatFailsLeavesNothingBehind() {
    Job job = job("q", Needs.of(Set.of("gpu")), 0, 1);
    Store store = store();

    assertThatThrownBy(() ->
            store.transact(transaction -> {
              transaction.save(
                  new ChangeSet()
                      .arrive(job, SampleJobs.CONTENT, new IdempotencyKey("k", "h"))
                      .event(event(job, "{}"))
                      .tally("q", JobState.PENDING, 1)
                      .build());
              throw new IllegalStateException("changed my mind");
            }))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("changed my mind");

    assertThat(store.find(job.id())).isEmpty();
    assertThat(store.events(job.id(), 0, 10)).isEmpty();
    assertThat(store.tally()).isEmpty();
    assertThat(mapIn(transaction -> transaction.keys(List.of("k")))).isEmpty();
  }

  @Test
  public void whatIsCommittedStaysSoAndIsReadAgainIfItCannotBeRemembered() {
    Job job = saved(SampleJobs.pending("q"));
    Job running = SampleJobs.running(job, "w", 2_000, 3_000);
    AtomicBoolean isOver = new AtomicBoolean();
    ChangeSet changes =
        new ChangeSet()
            .updates(
                new AbstractList<>() {
                  @Override
                  public Job get(int index) {
                    if (isOver.get()) {
                      throw new LinkageError("drill");
                    }
                    return running;
                  }

                  @Override
                  public int size() {
                    return 1;
                  }
                });

    assertThat(
            store()
                .<Boolean>transact(transaction -> {
                  transaction.lock(List.of(job.id()));
                  transaction.save(changes.build());
                  isOver.set(true);
                  return true;
                }))
        .isTrue();
    assertThat(mapIn(transaction -> transaction.lock(List.of(job.id()))))
        .containsEntry(job.id(), running);
  }

  @Test
  public void aPageOfEventsEndsWhereItHasBecomeLongButHasOneAtLeast() {
    Job job = saved(SampleJobs.pending("q"));
    for (int chars : List.of(1_500_000, 1_500_000, 1_500_000, 5_000_000, 10)) {
      save(new ChangeSet().event(event(job, "\"" + "x".repeat(chars) + "\"")));
    }

    assertThat(pageSizes(job.id(), 100)).containsExactly(3, 1, 1);
    assertThat(pageSizes(job.id(), 2)).containsExactly(2, 2, 1);
  }

  /** Reads on until a page says that it is the last. */
  private List<Integer> pageSizes(UUID jobId, int limit) {
    List<Integer> sizes = new ArrayList<>();
    List<Event> page = store().events(jobId, 0, limit);
    sizes.add(page.size());
    while (Event.mayBeFollowed(page, limit)) {
      page = store().events(jobId, page.getLast().seq(), limit);
      sizes.add(page.size());
    }
    return sizes;
  }

  @Test
  public void aClassOfNeedsThatWasRolledBackIsNotTakenForTheNextOne() {
    Job rolledBack = job("q", Needs.of(Set.of("gpu")), 0, 1);
    Store store = store();
    assertThatThrownBy(() ->
            store.transact(transaction -> {
              transaction.save(new ChangeSet().arrive(rolledBack).build());
              throw new IllegalStateException();
            }))
        .isInstanceOf(IllegalStateException.class);

    Job tpu = saved(job("q", Needs.of(Set.of("tpu")), 0, 1));
    Job gpu = saved(job("q", Needs.of(Set.of("gpu")), 0, 2));

    assertThat(load(tpu.id())).isEqualTo(tpu);
    assertThat(load(gpu.id())).isEqualTo(gpu);
    assertThat(claimable("q", new Skills(false, Set.of("gpu")), 5)).containsExactly(gpu.id());
  }

  @Test
  public void whatATransactionSavedItCanLoad() {
    Job job = job("q", Needs.of(Set.of("new-here")), 0, 1);
    Job running = SampleJobs.running(job, "w1", 10, 20);

    transact(transaction -> {
      transaction.save(new ChangeSet().arrive(job).build());
      assertThat(transaction.lock(List.of(job.id()))).containsEntry(job.id(), job);
      assertThat(transaction.lockClaimable("q", new Skills(false, Set.of("new-here")), 1))
          .containsExactly(new Store.Work(job, SampleJobs.CONTENT));
      transaction.save(new ChangeSet().update(running).build());
      return true;
    });

    assertThat(load(job.id())).isEqualTo(running);
  }

  @Test
  public void readersSeeWhatWasCommittedLast() {
    Job job = saved(SampleJobs.pending("q"));
    Store store = store();
    transact(transaction -> {
      transaction.save(new ChangeSet().update(SampleJobs.running(job, "w1", 10, 20)).build());
      assertThat(store.find(job.id()).orElseThrow().job()).isEqualTo(job);
      return true;
    });
    assertThat(load(job.id()).state()).isEqualTo(JobState.RUNNING);
  }

  @Test
  public void changingAJobThatDoesNotExistFails() {
    Job nowhere = SampleJobs.pending("q");
    Job other = SampleJobs.pending("q");
    assertThatThrownBy(() -> save(new ChangeSet().arrive(other).update(nowhere)))
        .isInstanceOf(IllegalStateException.class);
    assertThat(store().find(other.id())).isEmpty();
  }

  @Test
  public void askingForNothingGivesNothing() {
    transact(transaction -> {
      assertThat(transaction.lock(List.of())).isEmpty();
      assertThat(transaction.contents(List.of())).isEmpty();
      assertThat(transaction.attempts(List.of())).isEmpty();
      assertThat(transaction.receipts(List.of())).isEmpty();
      assertThat(transaction.keys(List.of())).isEmpty();
      assertThat(transaction.lockClaimable("q", Skills.NONE, 0)).isEmpty();
      assertThat(transaction.lockDue(5)).isEmpty();
      assertThat(transaction.lockFading(5)).isEmpty();
      assertThat(transaction.nextDueAt()).isEqualTo(Times.NEVER);
      transaction.save(new ChangeSet().build());
      return true;
    });
    assertThat(store().claimable(List.of(), 5)).isEmpty();
    assertThat(store().find(JobIds.next())).isEmpty();
    assertThat(store().attempts(JobIds.next())).isEmpty();
  }

  @Test
  public void timeNeverGoesBackwards() {
    long before = store().now();
    long during = transact(Store.Transaction::now);
    long after = store().now();
    assertThat(during).isGreaterThanOrEqualTo(before);
    assertThat(after).isGreaterThanOrEqualTo(during);
  }

  @Test
  public void timeStandsStillWithinATransaction() {
    transact(transaction -> {
      long now = transaction.now();
      transaction.lock(List.of(JobIds.next()));
      assertThat(transaction.now()).isEqualTo(now);
      return true;
    });
  }

  @Test
  public void aKeyLeadsToItsJob() {
    Job job = SampleJobs.pending("q");
    IdempotencyKey key = new IdempotencyKey("a \"key\" with 'quotes' and ünïcode", "hash");
    save(new ChangeSet().arrive(job, SampleJobs.CONTENT, key));

    Map<String, Store.KeptKey> kept =
        transact(transaction -> transaction.keys(List.of(key.key(), "unknown")));
    assertThat(kept).isEqualTo(Map.of(key.key(), new Store.KeptKey(key, job.id())));
  }

  @Test
  public void theSecondJobUnderOneKeyIsAConflictAndNothingIsLeftOfIt() {
    Job first = SampleJobs.pending("q");
    Job second = SampleJobs.pending("q");
    save(new ChangeSet().arrive(first, SampleJobs.CONTENT, new IdempotencyKey("k", "h1")));

    assertThatThrownBy(() ->
            save(new ChangeSet().arrive(second, SampleJobs.CONTENT, new IdempotencyKey("k", "h2"))))
        .isInstanceOf(StoreConflictException.class);

    assertThat(store().find(second.id())).isEmpty();
    saved(second);
    assertThat(load(second.id())).isEqualTo(second);
  }

  @Test
  public void removingAJobFreesItsKeyForAnArrivalOfTheSameSave() {
    Job first = SampleJobs.pending("q");
    Job second = SampleJobs.pending("q");
    IdempotencyKey key = new IdempotencyKey("k", "h");
    save(new ChangeSet().arrive(first, SampleJobs.CONTENT, key));

    save(new ChangeSet().arrive(second, SampleJobs.CONTENT, key).remove(first.id()));

    assertThat(mapIn(transaction -> transaction.keys(List.of("k"))))
        .isEqualTo(Map.of("k", new Store.KeptKey(key, second.id())));
  }

  @Test
  public void theSameJobTwiceIsAConflict() {
    Job job = saved(SampleJobs.pending("q"));
    assertThatThrownBy(() -> saved(job)).isInstanceOf(StoreConflictException.class);
  }

  @Test
  public void aReceiptIsGivenUntilItExpires() {
    long now = store().now();
    UUID job = JobIds.next();
    ClaimReceipt lasting =
        new ClaimReceipt(new ClaimReceipt.Key("w\"1", "c1"), job, 4, now + 300_000);
    ClaimReceipt expired = new ClaimReceipt(new ClaimReceipt.Key("w\"1", "c2"), job, 5, now);
    save(new ChangeSet().receipt(lasting).receipt(expired));

    assertThat(
            mapIn(transaction ->
                transaction.receipts(
                    List.of(
                        lasting.key(),
                        expired.key(),
                        new ClaimReceipt.Key("w2", "c1"),
                        new ClaimReceipt.Key("c1", "w\"1")))))
        .isEqualTo(Map.of(lasting.key(), lasting));
  }

  @Test
  public void aReceiptThatAnotherWriterHasGivenMeanwhileIsNotReplaced() {
    long now = store().now();
    var key = new ClaimReceipt.Key("w1", "c1");
    ClaimReceipt given = new ClaimReceipt(key, JobIds.next(), 1, now + 300_000);
    ClaimReceipt another = new ClaimReceipt(key, JobIds.next(), 2, now + 300_000);
    save(new ChangeSet().receipt(given));

    assertThatThrownBy(() -> save(new ChangeSet().receipt(another)))
        .isInstanceOf(StoreConflictException.class);
    assertThat(mapIn(transaction -> transaction.receipts(List.of(key)))).containsValue(given);

    transact(transaction -> {
      transaction.receipts(List.of(key));
      transaction.save(new ChangeSet().receipt(another).build());
      return true;
    });
    assertThat(mapIn(transaction -> transaction.receipts(List.of(key)))).containsValue(another);
  }

  @Test
  public void aNewerReceiptUnderTheSameNameReplacesTheOlder() {
    long now = store().now();
    var key = new ClaimReceipt.Key("w1", "c1");
    save(new ChangeSet().receipt(new ClaimReceipt(key, JobIds.next(), 1, now)));
    ClaimReceipt newer = new ClaimReceipt(key, JobIds.next(), 2, now + 300_000);
    save(
        new ChangeSet()
            .receipt(new ClaimReceipt(key, JobIds.next(), 9, now + 300_000))
            .receipt(newer));

    assertThat(mapIn(transaction -> transaction.receipts(List.of(key))))
        .isEqualTo(Map.of(key, newer));
  }

  @Test
  public void theTallyIsTheSumOfAllChanges() {
    save(new ChangeSet().tally("a", JobState.PENDING, 3).tally("b", JobState.PENDING, 1));
    save(new ChangeSet().tally("a", JobState.PENDING, -1).tally("a", JobState.RUNNING, 1));
    save(new ChangeSet().tally("b", JobState.PENDING, -1));

    assertThat(store().tally())
        .isEqualTo(
            Map.of(
                new Store.TallyKey("a", JobState.PENDING), 2L,
                new Store.TallyKey("a", JobState.RUNNING), 1L));
  }

  private static Event event(Job job, String data) {
    return SampleJobs.event(job.id(), EventType.SUBMITTED, JobState.PENDING, data);
  }
}
