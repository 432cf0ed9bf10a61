package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.JobContent;
import dev.stint.engine.Scope;
import dev.stint.engine.Store;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits go to a log first, which somebody has to write back while they go on. */
class SqliteLogTest {
  private static final int MIB = 1 << 20;
  private static final JobContent LARGE =
      new JobContent("test", "chat", '"' + "x".repeat(MIB) + '"', null, Scope.NONE, null);

  @TempDir Path folder;

  @Test
  void theLogBeginsAnewWhileCommitsGoOn() throws Exception {
    Path file = folder.resolve("stint.db");
    try (Store store = Stores.open(file.toString(), Clock.systemUTC())) {
      for (int i = 0; i < 400; i++) {
        store.transact(transaction -> {
          transaction.save(new ChangeSet().arrive(SampleJobs.pending("q"), LARGE, null).build());
          return true;
        });
      }
      assertThat(Files.size(folder.resolve("stint.db-wal"))).isLessThan(200L * MIB);
      assertThat(Files.size(file)).isGreaterThan(200L * MIB);
    }
    assertThat(folder.resolve("stint.db-wal")).doesNotExist();
    assertThat(Files.size(file)).isGreaterThan(400L * MIB);
  }
}
