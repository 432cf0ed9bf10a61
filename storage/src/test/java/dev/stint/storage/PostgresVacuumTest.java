package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What changes leave behind is taken away after enough of them, and the table stays small. */
class PostgresVacuumTest {
  private static final int JOBS = 2_000;

  private final String url = TestPostgres.shared().newDatabase();

  @Test
  void theTableOfLiveJobsStaysAsSmallAsWhatLives() throws SQLException {
    try (Store store = Stores.open(url, Clock.systemUTC());
        PostgresVacuum vacuum = new PostgresVacuum(new PostgresConnections(url), JOBS)) {
      goThrough(store);
      vacuum.changed(JOBS - 1);
      assertThat(vacuum.runOnce()).as("not yet").isZero();
      vacuum.changed(1);
      assertThat(vacuum.runOnce()).isPositive();
      long pages = pagesOfLive();

      for (int round = 0; round < 3; round++) {
        goThrough(store);
        vacuum.changed(JOBS);
        assertThat(vacuum.runOnce()).isPositive();
      }
      assertThat(pagesOfLive()).isLessThanOrEqualTo(2 * pages);
      assertThat(vacuum.runOnce()).as("nothing has changed since").isZero();
    }
  }

  @Test
  @Timeout(60)
  void aStoreDoesItByItself() throws SQLException {
    String tuples = "SELECT reltuples FROM pg_class WHERE relname = 'job_live'";
    try (Store store = Stores.open(url, Clock.systemUTC())) {
      TestPostgres.execute(url, "ALTER TABLE stint.job_live SET (autovacuum_enabled = off)");
      for (int changes = JOBS; changes < PostgresStore.CHANGES_PER_VACUUM; changes += JOBS) {
        goThrough(store);
      }
      assertThat(number(tuples)).as("never vacuumed").isEqualTo(-1);
      goThrough(store);
      while (number(tuples) == -1) {
        Thread.onSpinWait();
      }
    }
  }

  /** Jobs come and end. */
  private static void goThrough(Store store) {
    List<Job> jobs = new ArrayList<>();
    for (int i = 0; i < JOBS; i++) {
      jobs.add(SampleJobs.pending(JobIds.next(), "q", Needs.NOTHING, 0, i));
    }
    store.transact(transaction -> {
      transaction.save(new ChangeSet().arrive(jobs.toArray(new Job[0])).build());
      return true;
    });
    store.transact(transaction -> {
      transaction.lock(jobs.stream().map(Job::id).toList());
      ChangeSet changes = new ChangeSet();
      jobs.forEach(job -> changes.update(SampleJobs.ended(job, JobState.COMPLETED, 1, 9_000)));
      transaction.save(changes.build());
      return true;
    });
  }

  private long pagesOfLive() throws SQLException {
    return number("SELECT pg_relation_size('stint.job_live') / 8192");
  }

  private long number(String query) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(query)) {
      result.next();
      return result.getLong(1);
    }
  }
}
