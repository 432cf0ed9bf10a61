package dev.stint.storage;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.SettableClock;
import dev.stint.testkit.StoreConformance;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SqliteStoreTest extends StoreConformance {
  private final SettableClock clock = new SettableClock(1_750_000_000_000L);

  @TempDir Path directory;

  @Override
  protected Store openEmpty() {
    try {
      Files.deleteIfExists(directory.resolve("stint.db"));
      return openAgain();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  protected Store openAgain() {
    return Stores.open(directory.resolve("stint.db").toString(), clock);
  }

  @Test
  void aRowWithAStateThatIsNoneIsPassedOverByTheSweep() throws SQLException {
    Job spoilt = saved(SampleJobs.dueAt(SampleJobs.pending("q"), 1_000));
    Job due = SampleJobs.running(saved(SampleJobs.pending("q")), "w", 2_000, 3_000);
    save(new ChangeSet().update(due));
    changeByHand("UPDATE job SET state = 'ASLEEP', claimable = 0 WHERE due_at = 1000");

    assertThat(listIn(one -> one.lockDue(10))).extracting(Job::id).containsExactly(due.id());
    assertThat(numberIn(Store.Transaction::nextDueAt)).isEqualTo(due.dueAt());
    assertThatThrownBy(() -> mapIn(one -> one.lock(List.of(spoilt.id()))))
        .hasMessageContaining("is in no state that there is: ASLEEP");
  }

  private void changeByHand(String sql) throws SQLException {
    try (Connection other =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("stint.db"));
        Statement statement = other.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void aClockThatIsSetBackDoesNotTurnTimeBack() {
    long before = store().now();
    clock.advance(Duration.ofMinutes(-1));
    assertThat(store().now()).isEqualTo(before);
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(before);
    clock.advance(Duration.ofSeconds(32));
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(before + 30_000);
    clock.advance(Duration.ofMinutes(20));
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(clock.millis());
  }

  @Test
  void aClockThatWasSetBackBeforeTheStartDoesNotTurnTimeBackEither() throws SQLException {
    Job job = saved(SampleJobs.pending("q"));
    save(new ChangeSet().event(SampleJobs.event(job.id(), EventType.LOST, JobState.LOST, null)));
    long before = clock.millis();
    changeByHand("UPDATE event SET at = " + before);
    clock.advance(Duration.ofHours(-1));
    reopen();
    assertThat(store().now()).isEqualTo(before);
    clock.advance(Duration.ofSeconds(16));
    assertThat(numberIn(Store.Transaction::now)).isEqualTo(before + 15_000);

    clock.advance(Duration.ofDays(-2));
    reopen();
    assertThat(store().now()).isEqualTo(clock.millis());
  }

  @Test
  void aClockThatJumpedAheadAndIsPutRightDoesNotHoldTimeUp() {
    clock.advance(Duration.ofHours(6));
    long before = store().now();
    clock.advance(Duration.ofHours(-6));
    assertThat(store().now()).isEqualTo(before);
    clock.advance(Duration.ofSeconds(16));
    assertThat(store().now()).isEqualTo(before + 15_000);
  }

  @Test
  void readingsThatCameOutOfOrderAreNoClockThatWasSetBack() {
    long before = store().now();
    clock.advance(Duration.ofSeconds(-4));
    assertThat(store().now()).isEqualTo(before);
    clock.advance(Duration.ofSeconds(5));
    assertThat(store().now()).isEqualTo(before + 1_000);
  }

  @Test
  void whoeverLooksForLongKeepsNoOtherRequestWaiting() throws Exception {
    whileFourLook(
        4,
        work -> ((SqliteStore) store()).read(work),
        () -> {
          Thread other = Thread.ofVirtual().start(() -> {});
          assertThat(other.join(Duration.ofSeconds(20))).isTrue();
        });
    assertThat(store().find(UUID.randomUUID())).isEmpty();
  }

  @Test
  void whoeverSearchesLeavesConnectionsToEverybodyElse() throws Exception {
    whileFourLook(
        2,
        work -> ((SqliteStore) store()).search(work),
        () -> assertThat(store().find(UUID.randomUUID())).isEmpty());
  }

  /**
   * Begins four looks without an end, of which so many are let in, and does something meanwhile.
   */
  private static void whileFourLook(int letIn, Consumer<SqlWork<Boolean>> reader, Doing meanwhile)
      throws Exception {
    Queue<Statement> looking = new ConcurrentLinkedQueue<>();
    CountDownLatch begun = new CountDownLatch(letIn);
    List<Thread> looks = new ArrayList<>();
    try {
      for (int i = 0; i < 4; i++) {
        looks.add(
            Thread.ofVirtual()
                .start(() -> reader.accept(session -> lookForEver(session, looking, begun))));
      }
      assertThat(begun.await(20, SECONDS)).isTrue();
      meanwhile.run();
      assertThat(looks).allMatch(Thread::isAlive);
    } finally {
      while (looks.stream().anyMatch(Thread::isAlive)) {
        for (Statement statement : looking) {
          statement.cancel();
        }
        Thread.onSpinWait();
      }
    }
  }

  private interface Doing {
    void run() throws Exception;
  }

  private static boolean lookForEver(
      Session session, Queue<Statement> looking, CountDownLatch begun) throws SQLException {
    PreparedStatement forEver =
        session.prepare(
            """
            WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number)
            SELECT count(*) FROM number
            """);
    looking.add(forEver);
    begun.countDown();
    try (ResultSet result = forEver.executeQuery()) {
      return result.next();
    } catch (SQLException e) {
      return false; // cancelled
    }
  }

  @Test
  void oneTransactionAtATimeIsAllThatOneFileCanUse() {
    assertThat(store().writers()).isEqualTo(1);
  }
}
