package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a control plane remembers counts only while nobody has changed it. */
@Timeout(60)
class PostgresCacheTest {
  private static final String WAITING =
      """
      SELECT 1 FROM pg_stat_activity
      WHERE wait_event_type = 'Lock' AND datname = current_database()
      """;

  private static final String END_OTHERS =
      """
      SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND backend_type = 'client backend'
      """;

  private final String url = TestPostgres.shared().newDatabase();
  private final Store one = Stores.open(url, Clock.systemUTC());
  private final Store other = Stores.open(url, Clock.systemUTC());
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Job job = SampleJobs.pending("q");
  private final Job running = SampleJobs.running(job, "w", 2_000, 3_000);

  @BeforeEach
  void submit() {
    new ChangeSet().arrive(job).saveIn(one);
  }

  @AfterEach
  void close() {
    threads.shutdownNow();
    one.close();
    other.close();
  }

  @Test
  void whatNobodyChangedIsNotReadAgain() {
    assertThat(locked(one).get(job.id())).isSameAs(job);
    assertThat(claimable(one).getFirst().job()).isSameAs(job);
    assertThat(locked(other).get(job.id())).isEqualTo(job).isNotSameAs(job);
  }

  @Test
  void whatAnotherControlPlaneWroteIsSeen() {
    Job elsewhere = SampleJobs.running(job, "elsewhere", 2_000, 3_000);
    new ChangeSet().update(elsewhere).saveIn(other);
    assertThat(locked(one)).containsEntry(job.id(), elsewhere);
    new ChangeSet().update(running).saveIn(one);
    new ChangeSet().update(job).saveIn(other);
    assertThat(claimable(one)).extracting(Store.Work::job).containsExactly(job);
    new ChangeSet().remove(job.id()).saveIn(other);
    assertThat(locked(one)).isEmpty();
    assertThat(claimable(one)).isEmpty();
  }

  @Test
  void whoHadToWaitForAnotherSeesWhatItWrote() throws Exception {
    CountDownLatch isHeld = new CountDownLatch(1);
    Future<Boolean> writer =
        threads.submit(() ->
            other.transact(transaction -> {
              transaction.lock(List.of(job.id()));
              isHeld.countDown();
              while (!someoneWaits(url)) {
                Thread.onSpinWait();
              }
              transaction.save(new ChangeSet().update(running).build());
              return true;
            }));
    isHeld.await();
    assertThat(locked(one)).containsEntry(job.id(), running);
    assertThat(writer.get(10, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void whatWasRolledBackIsNotRemembered() {
    assertThatThrownBy(() ->
            one.transact(transaction -> {
              transaction.lock(List.of(job.id()));
              transaction.save(new ChangeSet().update(running).build());
              throw new IllegalStateException("on purpose");
            }))
        .hasMessage("on purpose");
    assertThat(locked(one)).containsEntry(job.id(), job);
  }

  @Test
  void aTransactionSeesWhatItHasSavedItself() {
    List<Store.Work> left =
        one.transact(transaction -> {
          transaction.lock(List.of(job.id()));
          transaction.save(new ChangeSet().update(running).build());
          assertThat(transaction.lock(List.of(job.id()))).containsEntry(job.id(), running);
          return transaction.lockClaimable("q", Skills.NONE, 10);
        });
    assertThat(left).isEmpty();
    assertThat(locked(one).get(job.id())).isSameAs(running);
  }

  @Test
  void needsThatAFailoverLostAreWrittenAnewForTheNextJob() throws SQLException {
    Needs needs = new Needs(false, new TreeSet<>(Set.of("gpu")), null, null, null);
    Job lost = SampleJobs.pending(JobIds.next(), "needy", needs, 0, 1_000);
    Job next = SampleJobs.pending(JobIds.next(), "needy", needs, 0, 1_000);
    new ChangeSet().arrive(lost).saveIn(one);

    failOver(
        "DELETE FROM stint.job WHERE queue = 'needy'",
        "DELETE FROM stint.needs WHERE 'gpu' = ANY(requirements)");

    reconnect();
    new ChangeSet().arrive(next).saveIn(one);
    Skills skills = new Skills(false, Set.of("gpu"));
    for (Store store : List.of(one, other)) {
      List<Store.Work> claimable =
          store.transact(transaction -> transaction.lockClaimable("needy", skills, 10));
      assertThat(claimable).extracting(Store.Work::job).containsExactly(next);
    }
    assertThat(other.list(Store.JobFilter.ALL, null, 10).items()).hasSize(2);
  }

  @Test
  void whatIsRememberedFromBeforeAFailoverIsReadAgain() throws SQLException {
    failOver();
    reconnect();
    assertThat(locked(one).get(job.id())).isEqualTo(job).isNotSameAs(job);
  }

  /** As if another server had taken over that lacks what these statements take away. */
  private void failOver(String... losses) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String loss : losses) {
        statement.execute(loss);
      }
      statement.execute(END_OTHERS);
    }
  }

  /** Who uses a connection soon after it broke is told so. */
  private void reconnect() {
    for (Store store : List.of(one, other)) {
      try {
        locked(store);
      } catch (StoreUnavailableException e) {
        locked(store);
      }
    }
  }

  /** Whether a transaction waits for what another one has locked. */
  static boolean someoneWaits(String url) {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(WAITING)) {
      return result.next();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Map<UUID, Job> locked(Store store) {
    return store.transact(transaction -> transaction.lock(List.of(job.id())));
  }

  private static List<Store.Work> claimable(Store store) {
    return store.transact(transaction -> transaction.lockClaimable("q", Skills.NONE, 10));
  }
}
