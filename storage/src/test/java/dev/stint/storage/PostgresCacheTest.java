package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Job;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
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
              while (!someoneWaits()) {
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

  private boolean someoneWaits() {
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
