package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Needs;
import dev.stint.engine.Store;
import dev.stint.engine.Worker;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A database of the first schema, with something in it, is taken over whole. */
class UpgradeTest {
  private static final UUID JOB = UUID.fromString("01900000-0000-7000-8000-000000000001");
  private static final UUID WAITING = UUID.fromString("01900000-0000-7000-8000-000000000002");
  private static final String WORKER =
      "INSERT INTO worker (worker_id, commands_only, capabilities, first_seen, last_seen)"
          + " VALUES ('w', %s, '[\"gpu\"]', 1, 2)";
  private static final String EVENT =
      "INSERT INTO event (job_id, at, type, to_state, fence)"
          + " VALUES (%s, 5, 'submitted', 'PENDING', 0)";

  @Test
  void inSqlite(@TempDir Path folder) throws SQLException {
    String file = folder.resolve("stint.db").toString();
    String url = "jdbc:sqlite:" + file;
    execute(url, "PRAGMA application_id = " + SqliteFile.APPLICATION_ID);
    Flyway.configure()
        .dataSource(url, "", "")
        .locations("classpath:dev/stint/storage/sqlite")
        .table("schema_history")
        .target("1")
        .load()
        .migrate();
    String id = "x'" + JOB.toString().replace("-", "") + "'";
    execute(url, WORKER.formatted("0"), EVENT.formatted(id), EVENT.formatted(id));
    execute(
        url, failed(id, "disk full"), failed("randomblob(16)", "E"), failed("randomblob(16)", "E"));
    execute(url, "DELETE FROM event WHERE seq = 2");
    execute(url, "INSERT INTO needs (id, command, requirements) VALUES (7, 0, '[\"gpu\"]')");

    try (Store store = Stores.open(file, Clock.systemUTC())) {
      assertTakenOver(store);
    }
    assertThat(firstOf(url, "SELECT group_concat(id) FROM needs")).isEqualTo("7");
  }

  @Test
  void sqliteStillChecksThatWhoIsHeldAndNobodyElseHasALease(@TempDir Path folder)
      throws SQLException {
    String file = folder.resolve("stint.db").toString();
    String url = "jdbc:sqlite:" + file;
    try (Store store = Stores.open(file, Clock.systemUTC())) {
      arrive(store);
    }
    assertLeasesAreChecked(url, "job");
    assertThat(firstOf(url, "PRAGMA integrity_check")).isEqualTo("ok");
    assertThat(firstOf(url, "SELECT sql FROM sqlite_schema WHERE name = 'job'"))
        .containsOnlyOnce("CHECK");
  }

  @Test
  void postgresStillChecksThatWhoIsHeldAndNobodyElseHasALease() throws SQLException {
    String url = TestPostgres.shared().newDatabase();
    try (Store store = Stores.open(url, Clock.systemUTC())) {
      arrive(store);
    }
    assertLeasesAreChecked(url, "stint.job");
    assertThat(
            firstOf(
                url,
                "SELECT count(*) FROM pg_constraint"
                    + " WHERE contype = 'c' AND conrelid = 'stint.job_live'::regclass"))
        .isEqualTo("1");
  }

  private static void arrive(Store store) {
    store.transact(transaction -> {
      transaction.save(
          new ChangeSet().arrive(SampleJobs.pending(JOB, "q", Needs.NOTHING, 0, 1)).build());
      return true;
    });
  }

  private static void assertLeasesAreChecked(String url, String table) throws SQLException {
    String update = "UPDATE " + table + " SET ";
    for (String wrong :
        List.of("state = 'RUNNING'", "lease_token = 't'", "state = 'LOST', claimable = true")) {
      assertThatThrownBy(() -> execute(url, update + wrong))
          .as(wrong)
          .isInstanceOf(SQLException.class)
          .hasMessageMatching("(?is).*check constraint.*");
    }
    execute(url, update + "state = 'LOST', claimable = false");
  }

  @Test
  void inPostgres() throws SQLException {
    String url = TestPostgres.shared().newDatabase();
    execute(url, "CREATE SCHEMA stint");
    Flyway.configure()
        .dataSource(url, null, null)
        .locations("classpath:dev/stint/storage/postgres")
        .table("schema_history")
        .defaultSchema("stint")
        .target("1")
        .load()
        .migrate();
    String path = "SET search_path TO stint";
    String id = "'" + JOB + "'";
    execute(url, path, WORKER.formatted("false"), EVENT.formatted(id), EVENT.formatted(id));
    execute(
        url,
        path,
        failed(id, "disk full"),
        failed("gen_random_uuid()", "E"),
        failed("gen_random_uuid()", "E"),
        waiting("'" + WAITING + "'"));
    execute(url, path, "DELETE FROM event WHERE seq = 2");
    execute(
        url,
        path,
        "INSERT INTO needs (command, requirements, fingerprint) VALUES (false, ARRAY['gpu'],"
            + " encode(sha256(convert_to('false[\"gpu\"]', 'UTF8')), 'hex'))");

    try (Store store = Stores.open(url, Clock.systemUTC())) {
      assertTakenOver(store);
      assertThat(store.jobs(List.of(JOB, WAITING)))
          .hasEntrySatisfying(JOB, job -> assertThat(job.state()).isEqualTo(JobState.FAILED))
          .hasEntrySatisfying(WAITING, job -> assertThat(job.claimable()).isTrue());
    }
    assertThat(firstOf(url, "SELECT count(*) FROM stint.job_over")).isEqualTo("3");
    assertThat(firstOf(url, "SELECT id FROM stint.job_live WHERE queue = 'old'"))
        .isEqualTo(WAITING.toString());
    assertThat(firstOf(url, "SELECT string_agg(id::text, ',') FROM stint.needs")).isEqualTo("1");
  }

  /** A job of the first schema that has FAILED. */
  private static String failed(String id, String reason) {
    return """
    INSERT INTO job (id, queue, needs_id, priority, created_at, ttl_ms, max_attempts, max_losses,
      backoff_initial_ms, backoff_cap_ms, own_lease_ttl_ms, own_heartbeat_ms, cancel_grace_ms,
      lost_wait_ms, state, claimable, attempts, failures, losses, fence, enqueues, reason,
      late_reports, updated_at)
    VALUES (%s, 'q', 1, 0, 1, 0, 1, -1, 0, 0, 0, 0, 0, 0, 'FAILED', false, 1, 1, 0, 1, 1, '%s', 0, 7)
    """
        .formatted(id, reason);
  }

  /** A job of the first schema that may be claimed. */
  private static String waiting(String id) {
    return failed(id, "").replace("'FAILED', false", "'PENDING', true").replace("'q'", "'old'");
  }

  private static void assertTakenOver(Store store) {
    assertThat(store.deadGroups(null, 10))
        .extracting(Store.DeadGroup::code, Store.DeadGroup::count, group -> group.sample().queue())
        .containsExactlyInAnyOrder(tuple("disk full", 1L, "q"), tuple("E", 2L, "q"));
    assertThat(store.deadJobs("before:disk full", null, 10)).containsExactly(JOB);

    assertThat(store.events(JOB, 0, 10)).extracting(Event::seq).containsExactly(1L);
    Worker worker = store.worker("w").orElseThrow();
    assertThat(worker.skills().capabilities()).containsExactly("gpu");
    assertThat(worker.online()).isFalse();
    assertThat(worker.dueAt()).isEqualTo(2);
    store.transact(transaction -> {
      transaction.save(
          new ChangeSet()
              .event(
                  new Event(
                      0, null, 9, EventType.WORKER_OFFLINE, null, null, 0, "w", null, null, null))
              .build());
      return true;
    });
    // A class of needs that was there is the class of such jobs from now on, too.
    Job gpu = SampleJobs.pending(JobIds.next(), "q", Needs.of(Set.of("gpu")), 0, 1);
    store.transact(transaction -> {
      transaction.save(new ChangeSet().arrive(gpu).build());
      return true;
    });
    // The number of an event that is gone is not given again.
    assertThat(
            store.history(new Store.EventFilter(null, "w", null, null), Long.MAX_VALUE, 1).items())
        .extracting(Event::seq)
        .containsExactly(3L);
  }

  private static String firstOf(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(sql)) {
      assertThat(result.next()).isTrue();
      return result.getString(1);
    }
  }

  private static void execute(String url, String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
