package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Job;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the writer remembers is what is stored, whatever happens. */
class SqliteCacheTest {
  @TempDir Path folder;

  private final Job job = SampleJobs.pending("q");
  private Path file = Path.of("");
  private @Nullable Store opened;

  @BeforeEach
  void open() {
    file = folder.resolve("stint.db");
    opened = Stores.open(file.toString(), Clock.systemUTC());
    new ChangeSet().arrive(job).saveIn(store());
  }

  @AfterEach
  void close() {
    store().close();
  }

  private Store store() {
    return Objects.requireNonNull(opened);
  }

  @Test
  void whatSomebodyElseWroteIntoTheFileIsSeen() throws SQLException {
    assertThat(locked()).containsEntry(job.id(), job);
    try (Connection other = DriverManager.getConnection("jdbc:sqlite:" + file);
        Statement statement = other.createStatement()) {
      statement.execute("UPDATE job SET reason = 'by hand'");
    }
    assertThat(locked().values()).extracting(Job::reason).containsExactly("by hand");
    assertThat(claimable()).extracting(work -> work.job().reason()).containsExactly("by hand");
  }

  @Test
  void whatWasRolledBackIsNotRemembered() {
    Job running = SampleJobs.running(job, "w", 2_000, 3_000);
    assertThatThrownBy(() ->
            store()
                .transact(transaction -> {
                  transaction.lock(List.of(job.id()));
                  transaction.save(new ChangeSet().update(running).build());
                  throw new IllegalStateException("on purpose");
                }))
        .hasMessage("on purpose");
    assertThat(locked()).containsEntry(job.id(), job);
  }

  @Test
  void aTransactionSeesWhatItHasSavedItself() {
    Job running = SampleJobs.running(job, "w", 2_000, 3_000);
    List<Store.Work> left =
        store()
            .transact(transaction -> {
              transaction.lock(List.of(job.id()));
              transaction.save(new ChangeSet().update(running).build());
              assertThat(transaction.lock(List.of(job.id()))).containsEntry(job.id(), running);
              return transaction.lockClaimable("q", Skills.NONE, 10);
            });
    assertThat(left).isEmpty();
    assertThat(locked()).containsEntry(job.id(), running);
  }

  @Test
  void aRemovedJobIsForgotten() {
    new ChangeSet().remove(job.id()).saveIn(store());
    assertThat(locked()).isEmpty();
    assertThat(claimable()).isEmpty();
  }

  private Map<UUID, Job> locked() {
    return store().transact(transaction -> transaction.lock(List.of(job.id())));
  }

  private List<Store.Work> claimable() {
    return store().transact(transaction -> transaction.lockClaimable("q", Skills.NONE, 10));
  }
}
