package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Fingerprint;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Store;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is done all the time finds its rows by index, on a new table as well as on a full one. */
class PlanTest {
  private static final int MANY = 20_000;

  /** The parts of a save that look rows up, and the index by which they do. */
  private static final Map<Part, String> LOOKUPS =
      Map.ofEntries(
          Map.entry(Part.MOVED_JOBS, "job_live_pkey"),
          Map.entry(Part.HELD_JOBS, "job_live_pkey"),
          Map.entry(Part.ENDED_JOBS, "job_live_pkey"),
          Map.entry(Part.REVISED_JOBS, "job_over_pkey"),
          Map.entry(Part.ALIVE_JOBS, "job_live_pkey"),
          Map.entry(Part.REMOVED_JOBS, "job_over_pkey"),
          Map.entry(Part.REMOVED_CONTENTS, "job_content_pkey"),
          Map.entry(Part.REMOVED_KEYS, "idempotency_key_of_job"),
          Map.entry(Part.REMOVED_ATTEMPTS, "attempt_pkey"),
          Map.entry(Part.REMOVED_EVENTS, "event_of_job"),
          Map.entry(Part.REMOVED_RECEIPTS, "claim_receipt_of_job"),
          Map.entry(Part.EXPIRED_RECEIPTS, "claim_receipt_expiry"),
          Map.entry(Part.REPLACED_RECEIPTS, "claim_receipt_pkey"),
          Map.entry(Part.RISEN_COUNTS, "dead_letter_pkey"),
          Map.entry(Part.RISEN, "dead_letter_pkey"));

  /** The same for what a job tells while it runs. */
  private static final Map<Part, String> STREAM_LOOKUPS =
      Map.of(Part.REMOVED_OUTPUTS, "output_pkey", Part.FADED_EVENTS, "event_of_job");

  @Test
  void postgresUsesItsIndexes() throws SQLException {
    String url = TestPostgres.shared().newDatabase();
    try (Store store = Stores.open(url, Clock.systemUTC())) {
      assertPostgresPlans(url);
      fill(store);
      assertPostgresPlans(url);
      TestPostgres.execute(url, "ANALYZE");
      assertPostgresPlans(url);
      TestPostgres.execute(url, "DELETE FROM stint.job");
      TestPostgres.execute(url, "VACUUM (TRUNCATE off, ANALYZE) stint.job_live, stint.job_over");
      assertPostgresPlans(url);
    }
  }

  private static void assertPostgresPlans(String url) throws SQLException {
    Dialect dialect = new PostgresDialect();
    // Only the simple protocol can explain a statement without values for its parameters.
    try (Session session = new PostgresConnections(url + "&preferQueryMode=simple").writer()) {
      assertPlan(session, PostgresClaims.LOCK_CLAIMABLE, "job_claim", "job_live_pkey");
      assertPlan(session, PostgresClaims.LOCK_CLAIMABLE_OF, "job_claim", "job_live_pkey");
      assertPlan(session, dialect.lockJobs(), "job_live_pkey", "job_over_pkey");
      assertPlan(session, PostgresDialect.LOCK_VERSIONS, "job_live_pkey");
      assertPlan(session, dialect.works(), "job_live_pkey", "job_content_pkey");
      assertPlan(session, dialect.lockDue(), "job_due");
      assertPlan(session, dialect.lockFading(), "job_fading", "job_over_fading");
      assertPlan(session, dialect.heldBy(), "job_held");
      assertPlan(session, dialect.contents(), "job_content_pkey");
      assertPlan(session, dialect.attempts(), "attempt_pkey");
      assertPlan(session, dialect.receipts(), "claim_receipt_pkey");
      assertPlan(session, dialect.keys(), "idempotency_key_pkey");
      assertPlan(session, SqlReads.FIND, "job_live_pkey", "job_over_pkey");
      assertPlan(session, SqlLists.LAST_JOB_LOOKED_AT, "job_live_pkey", "job_over_pkey");
      assertPlan(session, MirrorReads.AFTER, "job_live_pkey", "job_over_pkey");
      assertPlan(session, SqlTransaction.LATEST_FADING, "job_fading", "job_over_fading");
      assertPlan(session, SqlTransaction.HASTEN, "job_fading", "job_over_fading");
      assertPlan(
          session,
          SqlTransaction.nextDueAt("job", JobTable.FADING),
          "job_fading",
          "job_over_fading");
      String urgent = SqlTransaction.nextDueAt(dialect.live(), JobTable.URGENT);
      assertPlanOfLive(session, urgent, "job_due");
      assertPlanOfLive(session, SqlLists.HELD, "job_held");
      assertPlanOfLive(session, SqlReads.CLAIMABLE_CLASSES, "job_claim");
      assertPlanOfLive(session, SqlReads.CLAIMABLE_COUNT, "job_claim");
      assertPlanOfLive(session, OperatorReads.FIRST_BELOW, "job_claim");
      assertPlanOfLive(session, OperatorReads.FIRST_IN_LINE, "job_claim");
      assertPlanOfLive(session, MirrorReads.CLAIMABLE_BY_ALL, "job_claim");
      assertPlanOfLive(session, dialect.save(Part.MOVED_JOBS), "job_live_pkey");
      assertPlan(session, DeadTable.JOBS, "dead_letter");
      assertPlan(session, dialect.jobs(), "job_live_pkey", "job_over_pkey");
      assertPlan(session, dialect.outputMarks(), "output_pkey");
      assertPlan(session, dialect.lastEventSeqs(), "event_of_job");
      assertPlan(session, dialect.mirrored(), "job_live_pkey", "job_content_pkey", "attempt_pkey");
      assertPlan(session, dialect.eventsAfter(), "event_of_job", "Cond: ((job_id = wanted.id)");
      assertPlan(
          session, dialect.save(Part.RELAYED), "outbox_pkey", "Cond: ((seq >= relayed.first)");
      for (Map.Entry<Part, String> lookup : STREAM_LOOKUPS.entrySet()) {
        assertPlan(session, dialect.save(lookup.getKey()), lookup.getValue());
      }
      for (Part part : List.of(Part.HELD_JOBS, Part.ENDED_JOBS, Part.ALIVE_JOBS)) {
        BitSet onlyIds = part.columns().places(Set.of("id"));
        assertPlan(session, PostgresShapes.text(part, onlyIds), "job_live_pkey");
      }
      for (Map.Entry<Part, String> lookup : LOOKUPS.entrySet()) {
        assertPlan(session, dialect.save(lookup.getKey()), lookup.getValue());
      }
    }
  }

  /** Those that are over are many: who asks for others must not look at them. */
  private static void assertPlanOfLive(Session session, String sql, String index)
      throws SQLException {
    assertThat(assertPlan(session, sql, index)).doesNotContain("job_over");
  }

  private static String assertPlan(Session session, String sql, String... indexes)
      throws SQLException {
    AtomicInteger parameter = new AtomicInteger();
    String numbered =
        Pattern.compile("\\?").matcher(sql).replaceAll(mark -> "\\$" + parameter.incrementAndGet());
    StringBuilder plan = new StringBuilder();
    try (Statement statement = session.connection().createStatement();
        ResultSet result = statement.executeQuery("EXPLAIN (GENERIC_PLAN) " + numbered)) {
      while (result.next()) {
        plan.append(result.getString(1)).append('\n');
      }
    }
    assertThat(plan.toString().replace("Seq Scan on needs", "a look at all classes"))
        .doesNotContain("Seq Scan on")
        .doesNotContainPattern("Join Filter: .*\\b(given|candidate)\\.id\\b")
        .contains(indexes);
    return plan.toString();
  }

  @Test
  void sqliteUsesItsIndexes(@TempDir Path directory) throws SQLException {
    String file = directory.resolve("stint.db").toString();
    try (Store store = Stores.open(file, Clock.systemUTC())) {
      assertSqlitePlans(directory.resolve("stint.db"));
      fill(store);
      assertSqlitePlans(directory.resolve("stint.db"));
    }
  }

  private static void assertSqlitePlans(Path file) throws SQLException {
    Dialect dialect = new SqliteDialect();
    try (Connection connection = new SqliteConnections(file).reader()) {
      assertPlan(connection, SqliteDialect.CLAIMABLE, "COVERING INDEX job_claim");
      assertPlan(connection, SqliteDialect.CLASSES_OF, "SEARCH needs USING COVERING INDEX");
      assertPlan(connection, dialect.works(), "SEARCH job USING PRIMARY KEY");
      assertPlan(connection, SqlReads.CLAIMABLE_CLASSES, "COVERING INDEX job_claim");
      assertPlan(connection, dialect.lockJobs(), "SEARCH job USING PRIMARY KEY");
      assertPlan(connection, SqliteDialect.PRESENT, "SEARCH job USING PRIMARY KEY");
      assertPlan(connection, dialect.lockDue(), "INDEX job_due");
      assertPlan(connection, dialect.lockFading(), "INDEX job_fading");
      assertPlan(connection, dialect.heldBy(), "INDEX job_held");
      assertPlan(connection, dialect.contents(), "SEARCH job_content USING INDEX");
      assertPlan(connection, dialect.attempts(), "SEARCH attempt USING INDEX");
      assertPlan(connection, dialect.receipts(), "SEARCH receipt USING PRIMARY KEY");
      assertPlan(connection, dialect.keys(), "SEARCH kept USING PRIMARY KEY");
      assertPlan(connection, dialect.outputMarks(), "SEARCH output USING PRIMARY KEY");
      assertPlan(connection, dialect.lastEventSeqs(), "COVERING INDEX event_of_job");
      for (Part part : STREAM_LOOKUPS.keySet()) {
        assertPlan(connection, dialect.save(part), "SEARCH");
      }
      for (Part part : LOOKUPS.keySet()) {
        assertPlan(connection, dialect.save(part), "SEARCH");
      }
    }
  }

  private static void assertPlan(Connection connection, String sql, String expected)
      throws SQLException {
    List<String> plan = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement("EXPLAIN QUERY PLAN " + sql);
        ResultSet result = statement.executeQuery()) {
      while (result.next()) {
        plan.add(result.getString("detail"));
      }
    }
    assertThat(plan)
        .anySatisfy(step -> assertThat(step).contains(expected))
        .noneSatisfy(step ->
            assertThat(step)
                .startsWith("SCAN")
                .doesNotContain("VIRTUAL TABLE", "present", "CONSTANT", "wanted"));
  }

  private static void fill(Store store) {
    List<Needs> classes = List.of(Needs.NOTHING, Needs.of(Set.of("gpu")));
    for (int i = 0; i < MANY; i += 1_000) {
      ChangeSet changes = new ChangeSet();
      for (int k = i; k < i + 1_000; k++) {
        Job job =
            SampleJobs.pending(JobIds.next(), "q" + k % 3, classes.get(k % 2), k % 10, 1_000 + k);
        Job due = SampleJobs.dueAt(job, k % 2 == 0 ? 5_000 + k : Long.MAX_VALUE);
        changes.arrive(
            switch (k % 4) {
              case 0 -> SampleJobs.running(due, "w" + k % 100, k, k + 9);
              case 1 -> SampleJobs.ended(job, JobState.COMPLETED, k, 9_000 + k);
              default -> due;
            });
        changes.attempt(SampleJobs.completed(job.id(), 1, "{}"));
        changes.dead(
            new Store.DeadLetter(
                new Fingerprint("f" + k % 50, "E", "it broke"),
                new Store.DeadSample(job.id(), "q", "it broke", k)));
      }
      store.transact(transaction -> {
        transaction.save(changes.build());
        return true;
      });
    }
  }
}
