package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store whose disk is full says so, keeps what it has, and goes on when there is room. */
class SqliteDiskTest {
  @TempDir Path directory;

  @Test
  void aFullDiskLosesNothingAndIsOverWhenThereIsRoom() throws SQLException {
    try (SqliteStore store = open()) {
      Job kept = SampleJobs.pending("q");
      save(store, kept, "{}");
      Job tooMuch = SampleJobs.pending("q");
      for (int i = 0; i < 3; i++) {
        limitPages(store, 1);
        assertThatThrownBy(() -> save(store, tooMuch, "x".repeat(2_000_000)))
            .isInstanceOf(StoreUnavailableException.class);
      }
      assertThat(store.find(kept.id())).isPresent();
      assertThat(store.find(tooMuch.id())).isEmpty();
      List<Store.Work> work = store.transact(one -> one.lockClaimable("q", Skills.NONE, 9));
      assertThat(work).hasSize(1);

      limitPages(store, 1_000_000);
      save(store, tooMuch, "x".repeat(2_000_000));
      assertThat(store.find(tooMuch.id())).isPresent();
    }
  }

  @Test
  void aDiskThatIsReallyFullIsNoDifferent() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=3m", "none", disk.toString()),
        "only root may mount a small disk");
    try (SqliteStore store =
        SqliteStore.open(disk.resolve("stint.db").toString(), Clock.systemUTC())) {
      Job kept = SampleJobs.pending("q");
      save(store, kept, "{}");
      byte[] filler = new byte[1_500_000];
      Files.write(disk.resolve("filler"), filler);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> save(store, SampleJobs.pending("q"), "x".repeat(2_000_000)))
            .isInstanceOf(StoreUnavailableException.class);
        assertThat(store.find(kept.id())).isPresent();
      }
      Files.delete(disk.resolve("filler"));
      Job later = SampleJobs.pending("q");
      save(store, later, "x".repeat(500_000));
      assertThat(store.find(later.id())).isPresent();
    } finally {
      run("umount", disk.toString());
    }
  }

  @Test
  void whatWasRemovedReplacedOrEmptiedIsNotWrittenToUntilItIsBack() throws IOException {
    Path file = directory.resolve("stint.db");
    Path aside = directory.resolve("aside.db");
    try (SqliteStore store = open()) {
      Job kept = SampleJobs.pending("q");
      save(store, kept, "{}");
      Files.move(file, aside);
      assertNothingIsTaken(store);
      Files.copy(aside, file);
      assertNothingIsTaken(store);
      Files.move(aside, file, StandardCopyOption.REPLACE_EXISTING);

      Job later = SampleJobs.pending("q");
      save(store, later, "{}");
      assertThat(store.find(later.id())).isPresent();
      assertThat(store.now()).isPositive();

      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      assertNothingIsTaken(store);
    }
  }

  private static void assertNothingIsTaken(Store store) {
    assertThatThrownBy(() -> save(store, SampleJobs.pending("q"), "{}"))
        .isInstanceOf(StoreUnavailableException.class)
        .hasMessageContaining("was removed, replaced or emptied while in use");
    assertThatThrownBy(store::now).isInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aStartOnAFullDiskIsRefusedInOneLine() throws Exception {
    Path disk = Files.createDirectory(directory.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=3m", "none", disk.toString()),
        "only root may mount a small disk");
    try {
      assertThatThrownBy(() -> Files.write(disk.resolve("filler"), new byte[8 << 20]))
          .isInstanceOf(IOException.class);
      assertThatThrownBy(
              () -> SqliteStore.open(disk.resolve("stint.db").toString(), Clock.systemUTC()))
          .isInstanceOf(StoreUnusableException.class)
          .hasMessageContaining("cannot be opened: ")
          .hasMessageEndingWith("; make room on its disk");
    } finally {
      run("umount", disk.toString());
    }
  }

  @Test
  void aStartOnAFileThatAnotherProgramHoldsIsRefusedInOneLine() throws SQLException {
    open().close();
    try (Connection other =
            DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("stint.db"));
        Statement statement = other.createStatement()) {
      statement.execute("BEGIN EXCLUSIVE");
      assertThatThrownBy(this::open)
          .isInstanceOf(StoreUnusableException.class)
          .hasMessageContaining("stint.db cannot be opened: ")
          .hasMessageEndingWith("; end the other program that has it open");
    }
    open().close();
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  @Test
  void everyCommitIsOnTheDiskBeforeItIsAnswered() throws SQLException {
    try (SqliteStore store = open()) {
      assertThat(pragma(store, "synchronous")).isEqualTo("2");
      assertThat(pragma(store, "journal_mode")).isEqualTo("wal");
    }
  }

  private SqliteStore open() {
    return SqliteStore.open(directory.resolve("stint.db").toString(), Clock.systemUTC());
  }

  private static void save(Store store, Job job, String payload) {
    JobContent content = new JobContent("lease", null, payload, null, Scope.NONE, null);
    store.transact(transaction -> {
      transaction.save(new ChangeSet().arrive(job, content, null).build());
      return true;
    });
  }

  /** Lets the file have so many pages at most, but never fewer than it has. */
  private static void limitPages(SqliteStore store, long pages) throws SQLException {
    pragma(store, "max_page_count = " + pages);
  }

  private static String pragma(SqliteStore store, String pragma) throws SQLException {
    SessionPool.Slot slot = store.writerSessions().take();
    try {
      Connection connection = store.writerSessions().session(slot).connection();
      try (Statement statement = connection.createStatement();
          ResultSet result = statement.executeQuery("PRAGMA " + pragma)) {
        return result.getString(1);
      } finally {
        connection.commit();
      }
    } finally {
      store.writerSessions().give(slot, true);
    }
  }
}
