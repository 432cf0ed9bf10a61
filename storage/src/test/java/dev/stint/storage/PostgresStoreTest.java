package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.StoreConflictException;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.StoreConformance;
import dev.stint.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresStoreTest extends StoreConformance {
  static final String EMPTY_ALL =
      """
      TRUNCATE stint.job, stint.job_content, stint.attempt, stint.event, stint.idempotency_key,
        stint.claim_receipt, stint.worker, stint.tally, stint.needs, stint.output,
        stint.paused_queue, stint.dead_letter, stint.dead_group
      """;

  private static String url = "";

  @BeforeAll
  static void makeDatabase() {
    url = TestPostgres.shared().newDatabase();
    Stores.open(url, Clock.systemUTC()).close();
  }

  @Override
  protected Store openEmpty() {
    TestPostgres.execute(url, EMPTY_ALL);
    return openAgain();
  }

  @Override
  protected Store openAgain() {
    return Stores.open(url, Clock.systemUTC());
  }

  @Test
  void aRowWithAStateThatIsNoneIsPassedOverByTheSweep() {
    Job spoilt = saved(SampleJobs.dueAt(SampleJobs.pending("q"), 1_000));
    Job due = SampleJobs.running(saved(SampleJobs.pending("q")), "w", 2_000, 3_000);
    save(new ChangeSet().update(due));
    TestPostgres.execute(
        url, "UPDATE stint.job SET state = 'ASLEEP', claimable = false WHERE due_at = 1000");

    assertThat(listIn(one -> one.lockDue(10))).extracting(Job::id).containsExactly(due.id());
    assertThat(numberIn(Store.Transaction::nextDueAt)).isEqualTo(due.dueAt());
    assertThatThrownBy(() -> mapIn(one -> one.lock(List.of(spoilt.id()))))
        .hasMessageContaining("is in no state that there is: ASLEEP");
  }

  @Test
  void aJobThatEndsIsKeptApartFromThoseThatLiveAndComesBackWhenItIsReplayed() throws SQLException {
    Job waiting = saved(SampleJobs.pending("q"));
    Job other = saved(SampleJobs.pending("q"));
    Job ended = SampleJobs.ended(waiting, JobState.COMPLETED, 2_000, 9_000);
    transact(one -> {
      one.lock(List.of(waiting.id()));
      one.save(new ChangeSet().update(ended).build());
      return true;
    });
    assertThat(idsIn("job_over")).containsExactly(waiting.id());
    assertThat(idsIn("job_live")).containsExactly(other.id());
    assertThat(load(waiting.id())).isEqualTo(ended);

    Job late = SampleJobs.dueAt(ended, 9_500);
    transact(one -> {
      one.lock(List.of(waiting.id()));
      one.save(new ChangeSet().update(late).build());
      return true;
    });
    assertThat(idsIn("job_over")).containsExactly(waiting.id());
    assertThat(load(waiting.id())).isEqualTo(late);

    transact(one -> {
      one.lock(List.of(waiting.id()));
      one.save(new ChangeSet().update(waiting).build());
      return true;
    });
    assertThat(idsIn("job_over")).isEmpty();
    assertThat(load(waiting.id())).isEqualTo(waiting);

    Job aborted = saved(SampleJobs.ended(SampleJobs.pending("q"), JobState.ABORTED, 1, 9_000));
    assertThat(idsIn("job_over")).containsExactly(aborted.id());
    assertThat(load(aborted.id())).isEqualTo(aborted);
  }

  @Test
  void whoWaitsForAJobThatEndsMeanwhileFindsItEnded() {
    for (boolean isRemembered : List.of(true, false)) {
      Job job = saved(SampleJobs.pending("q"));
      if (!isRemembered) {
        reopen();
      }
      Job ended = SampleJobs.ended(job, JobState.ABORTED, 2_000, 9_000);
      CompletableFuture<Map<UUID, Job>> waits = new CompletableFuture<>();
      transact(one -> {
        one.lock(List.of(job.id()));
        Thread.ofVirtual()
            .start(() -> {
              try {
                waits.complete(mapIn(two -> two.lock(List.of(job.id()))));
              } catch (RuntimeException e) {
                waits.completeExceptionally(e);
              }
            });
        while (!PostgresCacheTest.someoneWaits(url)) {
          Thread.onSpinWait();
        }
        one.save(new ChangeSet().update(ended).build());
        return true;
      });
      assertThat(waits).succeedsWithin(10, TimeUnit.SECONDS).isEqualTo(Map.of(job.id(), ended));
    }
  }

  private static List<UUID> idsIn(String table) throws SQLException {
    List<UUID> ids = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT id FROM stint." + table)) {
      while (result.next()) {
        ids.add(result.getObject(1, UUID.class));
      }
    }
    return ids;
  }

  @Test
  void aControlPlaneThatStartsAfterTheClockWasSetBackIsAsFarAsTheOthers() {
    Job job = saved(SampleJobs.pending("q"));
    save(new ChangeSet().event(SampleJobs.event(job.id(), EventType.LOST, JobState.LOST, null)));
    long others = store().now() + 3_600_000;
    TestPostgres.execute(url, "UPDATE stint.event SET at = " + others);
    reopen();
    assertThat(store().now()).isGreaterThanOrEqualTo(others);
    assertThat(numberIn(Store.Transaction::now)).isGreaterThanOrEqualTo(others);
  }

  @Test
  void whoReadsWhileATableIsHeldByAnotherIsToldToComeAgain() throws SQLException {
    Job job = saved(SampleJobs.pending("q"));
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("LOCK TABLE stint.job IN ACCESS EXCLUSIVE MODE");
      assertThatThrownBy(() -> store().find(job.id()))
          .isInstanceOf(StoreUnavailableException.class);
    }
    assertThat(store().find(job.id())).isPresent();
  }

  @Test
  void whileTheTablesAreGoneAllAreToldToComeAgain() {
    Job job = saved(SampleJobs.pending("q"));
    TestPostgres.execute(url, "ALTER SCHEMA stint RENAME TO aside");
    try {
      assertThatThrownBy(() -> store().find(job.id()))
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> saved(SampleJobs.pending("q")))
          .isInstanceOf(StoreUnavailableException.class);
    } finally {
      TestPostgres.execute(url, "ALTER SCHEMA aside RENAME TO stint");
    }
    assertThat(load(saved(SampleJobs.pending("q")).id())).isNotNull();
  }

  @Test
  void aClaimSkipsWhatAnotherTransactionHasLocked() {
    Job first = job("q", Needs.NOTHING, 9, 1);
    Job second = job("q", Needs.of(Set.of("gpu")), 5, 2);
    Job third = job("q", Needs.NOTHING, 1, 3);
    save(new ChangeSet().arrive(first, second, third));
    Skills gpu = new Skills(false, Set.of("gpu"));

    transact(one -> {
      assertThat(one.lockClaimable("q", gpu, 1)).hasSize(1);
      assertThat(elsewhere(() -> claimable("q", gpu, 1))).containsExactly(second.id());
      assertThat(elsewhere(() -> claimable("q", gpu, 9))).containsExactly(second.id(), third.id());
      return true;
    });
  }

  @Test
  void noMoreJobsAreLockedThanAreClaimed() {
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 200; i++) {
      changes.arrive(job("q", i % 2 == 0 ? Needs.NOTHING : Needs.of(Set.of("gpu")), 0, i));
    }
    save(changes);
    Skills gpu = new Skills(false, Set.of("gpu"));

    transact(one -> {
      one.lockClaimable("q", gpu, 50);
      assertThat(elsewhere(() -> claimable("q", gpu, 200))).hasSize(150);
      return true;
    });
  }

  @Test
  void aClaimLooksBehindHoweverManyOthersHaveLocked() {
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < 700; i++) {
      changes.arrive(job("q", Needs.NOTHING, 0, i));
    }
    save(changes);

    transact(one -> {
      assertThat(one.lockClaimable("q", Skills.NONE, 690)).hasSize(690);
      assertThat(elsewhere(() -> claimable("q", Skills.NONE, 1))).hasSize(1);
      assertThat(elsewhere(() -> claimable("q", Skills.NONE, 50))).hasSize(10);
      return true;
    });
  }

  @Test
  void idsAreUnderstoodAlsoWhereTheDriverSendsNothingInBinary() {
    Job job = SampleJobs.pending("q");
    try (Store spelling = Stores.open(url + "&binaryTransfer=false", Clock.systemUTC())) {
      spelling.transact(transaction -> {
        transaction.save(new ChangeSet().arrive(job).build());
        return true;
      });
      assertThat(spelling.jobs(List.of(job.id(), new UUID(1, 2)))).isEqualTo(Map.of(job.id(), job));
    }
    assertThat(load(job.id())).isEqualTo(job);
  }

  @Test
  void dueJobsThatOthersHaveLockedAreSkipped() {
    Job first = SampleJobs.dueAt(SampleJobs.pending("q"), 10);
    Job second = SampleJobs.dueAt(SampleJobs.pending("q"), 20);
    save(new ChangeSet().arrive(first, second));

    transact(one -> {
      assertThat(one.lockFading(1)).extracting(Store.Fading::id).containsExactly(first.id());
      assertThat(elsewhere(() -> listIn(two -> two.lockFading(1))))
          .extracting(Store.Fading::id)
          .containsExactly(second.id());
      return true;
    });
  }

  @Test
  void whoLocksAJobSeesWhatItsLockerCommitted() {
    Job job = saved(SampleJobs.pending("q"));
    Job running = SampleJobs.running(job, "w1", 10, 20);
    CompletableFuture<Map<UUID, Job>> waiting = new CompletableFuture<>();
    transact(one -> {
      one.lock(List.of(job.id()));
      Thread.ofVirtual().start(() -> waiting.complete(mapIn(two -> two.lock(List.of(job.id())))));
      one.save(new ChangeSet().update(running).build());
      return true;
    });
    assertThat(waiting.orTimeout(10, TimeUnit.SECONDS).join().values()).containsExactly(running);
  }

  @Test
  void twoTransactionsThatSeeEachOthersWorkersDoNotWaitInACircle() {
    save(new ChangeSet().seen("a", Skills.NONE, 1_000).seen("b", Skills.NONE, 1_000));
    for (Skills skills : Arrays.asList(Skills.NONE, null)) {
      transact(one -> {
        one.lockWorkers(List.of("b"));
        elsewhere(() ->
            transact(two -> {
              two.lockWorkers(List.of("a"));
              two.save(new ChangeSet().seen("b", skills, 5_000).build());
              return true;
            }));
        one.save(new ChangeSet().seen("a", skills, 5_000).build());
        return true;
      });
    }
    assertThat(store().worker("a").orElseThrow().lastSeen()).isEqualTo(5_000);
  }

  @Test
  void aSightingThatSaysMoreThanThatAWorkerIsStillThereIsWrittenThoughOthersHaveItLocked()
      throws Exception {
    Skills gpu = new Skills(false, Set.of("gpu"));
    save(new ChangeSet().seen("new skills", Skills.NONE, 1_000));
    assertWritten("new skills", gpu, 5_000);
    save(new ChangeSet().seen("nearly gone", gpu, 1_000));
    long late = 1_000 + ChangeSet.SILENCE_MS / 2;
    assertWritten("nearly gone", gpu, late);
    assertWritten("nearly gone", null, late + ChangeSet.SILENCE_MS / 2);
    save(new ChangeSet().worker(offline("offline")));
    assertWritten("offline", null, 5_000);
  }

  private void assertWritten(String worker, @Nullable Skills skills, long at) throws Exception {
    CompletableFuture<Boolean> seen = new CompletableFuture<>();
    transact(one -> {
      one.lockWorkers(List.of(worker));
      Thread.ofVirtual()
          .start(() -> {
            save(new ChangeSet().seen(worker, skills, at));
            seen.complete(true);
          });
      while (!seen.isDone() && !PostgresCacheTest.someoneWaits(url)) {
        Thread.onSpinWait();
      }
      return true;
    });
    seen.get(10, TimeUnit.SECONDS);
    Worker after = store().worker(worker).orElseThrow();
    assertThat(after.lastSeen()).isEqualTo(at);
    assertThat(after.online()).isTrue();
    assertThat(after.skills()).isEqualTo(skills == null ? after.skills() : skills);
  }

  private static Worker offline(String id) {
    return new Worker(
        id, Skills.NONE, 1, null, null, null, false, 1, 2, 3, 0, null, false, Times.NEVER, false);
  }

  @Test
  void twoControlPlanesShareOneDatabase() {
    try (Store other = openAgain()) {
      Job job = saved(job("q", Needs.of(Set.of("first seen here")), 0, 1));
      Skills skills = new Skills(false, Set.of("first seen here"));

      List<Store.Work> work = other.transact(there -> there.lockClaimable("q", skills, 1));
      assertThat(work).containsExactly(new Store.Work(job, SampleJobs.CONTENT));

      save(new ChangeSet().tally("q", JobState.PENDING, 3));
      other.transact(there -> {
        there.save(new ChangeSet().tally("q", JobState.PENDING, -2).build());
        return true;
      });
      assertThat(store().tally())
          .isEqualTo(Map.of(new Store.TallyKey("q", JobState.PENDING), 1L))
          .isEqualTo(other.tally());
    }
  }

  @Test
  void writersOfTheTallyDoNotWaitForEachOther() {
    save(new ChangeSet().tally("q", JobState.PENDING, 1));
    transact(one -> {
      one.save(new ChangeSet().tally("q", JobState.PENDING, 1).build());
      elsewhere(() -> {
        save(new ChangeSet().tally("q", JobState.PENDING, 1));
        return true;
      });
      return true;
    });
    assertThat(store().tally()).containsEntry(new Store.TallyKey("q", JobState.PENDING), 3L);
  }

  @Test
  void whatOneControlPlaneAnnouncesTheOthersHear() throws InterruptedException {
    try (PostgresStore other = PostgresStore.open(url)) {
      LinkedBlockingQueue<Store.Ready> heardByOther = new LinkedBlockingQueue<>();
      LinkedBlockingQueue<Store.Ready> heardBySelf = new LinkedBlockingQueue<>();
      other.onAnnouncement(heardByOther::addAll);
      store().onAnnouncement(heardBySelf::addAll);
      other.awaitListening();
      ((PostgresStore) store()).awaitListening();

      Store.Ready ready = new Store.Ready("a \"queue\"", Needs.of(Set.of("gpu", "ü")), 7);
      store().announce(List.of(ready));
      assertThat(heardByOther.poll(10, TimeUnit.SECONDS)).isEqualTo(ready);

      Store.Ready reply = new Store.Ready("back", Needs.NOTHING, 1);
      other.announce(List.of(reply));
      assertThat(heardBySelf.poll(10, TimeUnit.SECONDS)).isEqualTo(reply);
      assertThat(heardBySelf).isEmpty();
    }
  }

  @Test
  void newsOfEventsGoToThoseWhoWantThem() throws InterruptedException {
    try (PostgresStore other = PostgresStore.open(url)) {
      LinkedBlockingQueue<UUID> heard = new LinkedBlockingQueue<>();
      store().onNews(jobIds -> {});
      other.onNews(heard::addAll);
      other.awaitListening();
      ((PostgresStore) store()).awaitListening();
      Job unwanted = SampleJobs.pending("q");
      Job wanted = SampleJobs.pending("q");
      store()
          .announceNews(
              List.of(
                  SampleJobs.event(unwanted.id(), EventType.SUBMITTED, JobState.PENDING, null)));

      UUID got = null;
      for (int i = 0; got == null && i < 100; i++) {
        other.announceInterest();
        store()
            .announceNews(
                List.of(
                    SampleJobs.event(wanted.id(), EventType.SUBMITTED, JobState.PENDING, null)));
        got = heard.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(got).isEqualTo(wanted.id());
    }
  }

  @Test
  void aLongAnnouncementArrivesInParts() throws InterruptedException {
    try (PostgresStore other = PostgresStore.open(url)) {
      LinkedBlockingQueue<Store.Ready> heard = new LinkedBlockingQueue<>();
      other.onAnnouncement(heard::addAll);
      other.awaitListening();
      List<Store.Ready> sent = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        sent.add(new Store.Ready("q".repeat(300) + i, Needs.NOTHING, i + 1));
      }

      store().announce(sent);

      List<Store.Ready> received = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        received.add(heard.poll(10, TimeUnit.SECONDS));
      }
      assertThat(received).isEqualTo(sent);
    }
  }

  @Test
  void listeningGoesOnAfterTheConnectionsBroke() throws InterruptedException {
    try (PostgresStore other = PostgresStore.open(url)) {
      LinkedBlockingQueue<Store.Ready> heard = new LinkedBlockingQueue<>();
      other.onAnnouncement(heard::addAll);
      other.awaitListening();
      breakConnections();

      Store.Ready ready = new Store.Ready("q", Needs.NOTHING, 1);
      Store.Ready got = null;
      for (int i = 0; got == null && i < 100; i++) {
        store().announce(List.of(ready));
        got = heard.poll(200, TimeUnit.MILLISECONDS);
      }
      assertThat(got).isNotNull();
    }
  }

  @Test
  void announcementsGoOnWhateverAListenerThrowsAndWhateverCannotBeSent() throws Exception {
    try (PostgresStore other = PostgresStore.open(url)) {
      LinkedBlockingQueue<Store.Ready> heard = new LinkedBlockingQueue<>();
      other.onAnnouncement(ready -> {
        heard.addAll(ready);
        switch (ready.getFirst().queue()) {
          case "exception" -> throw new IllegalStateException("drill");
          case "error" -> throw new OutOfMemoryError("drill");
          default -> {}
        }
      });
      other.awaitListening();
      for (String queue : List.of("exception", "error", "last")) {
        Store.Ready ready = new Store.Ready(queue, Needs.NOTHING, 1);
        store().announce(List.of(ready));
        assertThat(heard.poll(10, TimeUnit.SECONDS)).isEqualTo(ready);
      }

      Store.Ready next = new Store.Ready("next", Needs.NOTHING, 1);
      store().announce(List.of(new Store.Ready("too long".repeat(2_000), Needs.NOTHING, 1)));
      Store.Ready got = null;
      for (int i = 0; got == null && i < 100; i++) {
        // What waits together with what cannot be sent goes with it.
        store().announce(List.of(next));
        got = heard.poll(100, TimeUnit.MILLISECONDS);
      }
      assertThat(got).isEqualTo(next);
    }
  }

  @Test
  void aTransactionWhoseConnectionBreaksIsUndoneAndTheNextOneWorks() {
    Job lost = SampleJobs.pending("q");
    assertThatThrownBy(() ->
            transact(transaction -> {
              transaction.save(new ChangeSet().arrive(lost).build());
              breakConnections();
              return transaction.lock(List.of(lost.id()));
            }))
        .isInstanceOf(StoreUnavailableException.class);

    Job kept = saved(SampleJobs.pending("q"));
    assertThat(store().find(lost.id())).isEmpty();
    assertThat(load(kept.id())).isEqualTo(kept);
  }

  @Test
  void aCommitThatIsNotAnsweredIsReported() {
    assertThatThrownBy(() ->
            transact(transaction -> {
              transaction.save(new ChangeSet().arrive(SampleJobs.pending("q")).build());
              breakConnections();
              return true;
            }))
        .isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void whoWaitsForALockInVainIsTold() {
    Job job = saved(SampleJobs.pending("q"));
    transact(one -> {
      one.lock(List.of(job.id()));
      assertThatThrownBy(() -> elsewhere(() -> transact(two -> two.lock(List.of(job.id())))))
          .hasCauseInstanceOf(StoreConflictException.InVain.class);
      return true;
    });
  }

  @Test
  void timeIsToldAfterTheLocksAlsoWhereReceiptsWereAskedForBefore() {
    transact(transaction -> {
      transaction.receipts(List.of(new ClaimReceipt.Key("w", "c")));
      long before = elsewhere(() -> store().now());
      long meanwhile = before;
      while (meanwhile == before) {
        meanwhile = elsewhere(() -> store().now());
      }
      assertThat(transaction.now()).isGreaterThanOrEqualTo(meanwhile);
      return true;
    });
  }

  @Test
  void aServerThatMayNotWriteAnyMoreIsNotKept() {
    saved(SampleJobs.pending("q"));
    String database = url.replaceAll(".*/(test_\\d+).*", "$1");
    String readOnly = "ALTER DATABASE " + database + " SET default_transaction_read_only = ";
    String elsewhere = TestPostgres.shared().newDatabase();
    TestPostgres.execute(elsewhere, readOnly + "on");
    try {
      breakConnections();
      for (int i = 0; i < 4; i++) {
        assertThatThrownBy(() -> saved(SampleJobs.pending("q")))
            .isInstanceOf(StoreUnavailableException.class);
      }
    } finally {
      TestPostgres.execute(elsewhere, readOnly + "off");
    }
    Job job = saved(SampleJobs.pending("q"));
    assertThat(load(job.id())).isEqualTo(job);
  }

  @Test
  void countsOfQueuesThatCameAndWentAreForgottenAtAStart() throws SQLException {
    save(new ChangeSet().tally("q", JobState.PENDING, 1).tally("kept", JobState.PENDING, 1));
    save(new ChangeSet().tally("q", JobState.PENDING, -1));
    assertThat(queuesInTally()).contains("q");
    openAgain().close();
    assertThat(queuesInTally()).containsExactly("kept");
  }

  private static Set<String> queuesInTally() throws SQLException {
    Set<String> queues = new TreeSet<>();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery("SELECT queue FROM stint.tally")) {
      while (result.next()) {
        queues.add(result.getString(1));
      }
    }
    return queues;
  }

  private static void breakConnections() {
    TestPostgres.shared().breakConnections(url.replaceAll(".*/(test_\\d+).*", "$1"));
  }

  /** Runs on another thread, as another writer does, and fails rather than wait for ever. */
  private static <T> T elsewhere(Supplier<T> work) {
    return CompletableFuture.supplyAsync(work, task -> Thread.ofVirtual().start(task))
        .orTimeout(8, TimeUnit.SECONDS)
        .join();
  }
}
