package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.JobContent;
import dev.stint.engine.Scope;
import dev.stint.engine.Store;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits go to a log first, which somebody has to write back while they go on. */
class SqliteLogTest {
  private static final int MIB = 1 << 20;
  private static final JobContent LARGE =
      new JobContent("test", "chat", '"' + "x".repeat(MIB) + '"', null, Scope.NONE, null);

  @TempDir Path folder;

  @Test
  void aLogThatHadToGrowIsShortAgainOnceNobodyReadsWhatItHeld() throws Exception {
    Path file = folder.resolve("stint.db");
    Path log = folder.resolve("stint.db-wal");
    try (Store store = Stores.open(file.toString(), Clock.systemUTC())) {
      try (Connection reader = DriverManager.getConnection("jdbc:sqlite:" + file);
          Statement statement = reader.createStatement()) {
        statement.execute("BEGIN");
        statement.executeQuery("SELECT count(*) FROM job").close();
        while (Files.size(log) < 200L * MIB) {
          saveLarge(store);
        }
      }
      for (int i = 0; i < 500 && Files.size(log) > 64L * MIB; i++) {
        saveLarge(store);
      }
      assertThat(Files.size(log)).isLessThanOrEqualTo(64L * MIB);
    }
  }

  private static void saveLarge(Store store) {
    store.transact(transaction -> {
      transaction.save(new ChangeSet().arrive(SampleJobs.pending("q"), LARGE, null).build());
      return true;
    });
  }

  @Test
  void theLogBeginsAnewWhileCommitsGoOn() throws Exception {
    Path file = folder.resolve("stint.db");
    Path log = folder.resolve("stint.db-wal");
    int commits = 0;
    try (Store store = Stores.open(file.toString(), Clock.systemUTC())) {
      // How far the log is behind when it begins anew is a matter of the disk.
      while (commits * (long) MIB - Files.size(log) < 200L * MIB) {
        assertThat(commits).isLessThan(2_000);
        saveLarge(store);
        commits++;
      }
      assertThat(Files.size(file)).isGreaterThan(100L * MIB);
    }
    assertThat(log).doesNotExist();
    assertThat(Files.size(file)).isGreaterThan(commits * (long) MIB);
  }

  @Test
  void theLogIsWrittenBackWhateverWentWrongBefore() throws Exception {
    Path file = folder.resolve("stint.db");
    SqliteConnections connections = new SqliteConnections(file);
    Deque<Throwable> failures =
        new ConcurrentLinkedDeque<>(
            List.of(
                new SQLException("disk full"),
                new IllegalStateException("drill"),
                new OutOfMemoryError("drill")));
    Semaphore opened = new Semaphore(0);
    SqliteCheckpoints.Opener opener =
        () -> {
          opened.release();
          switch (failures.poll()) {
            case null -> {
              return connections.checkpointer();
            }
            case SQLException e -> throw e;
            case RuntimeException e -> throw e;
            case Throwable e -> throw (Error) e;
          }
        };
    try (SessionPool writers = new SessionPool(1, () -> new Session(connections.writer(), 0));
        Connection writer = connections.writer();
        Statement statement = writer.createStatement()) {
      statement.execute("CREATE TABLE large AS SELECT zeroblob(%d) AS bytes".formatted(10 * MIB));
      writer.commit();
      SqliteCheckpoints checkpoints = new SqliteCheckpoints(opener, connections.log(), writers);
      checkpoints.start();
      for (int looks = failures.size() + 1; looks > 0; looks--) {
        for (int commits = 0; commits < 50; commits++) {
          checkpoints.committed();
        }
        assertThat(opened.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
      }
      checkpoints.close();
      assertThat(Files.size(file)).isGreaterThan(10L * MIB);
    }
  }
}
