package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.testkit.Orders;
import dev.stint.testkit.StrainedEngineConformance;
import dev.stint.testkit.TestPostgres;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PostgresEngineTest extends StrainedEngineConformance {
  private static String url = "";

  private boolean emptied;

  @BeforeAll
  static void makeDatabase() {
    url = TestPostgres.shared().newDatabase();
  }

  @Override
  protected Store openStore(Clock clock) {
    if (!emptied) {
      Stores.open(url, clock).close();
      TestPostgres.execute(url, PostgresStoreTest.EMPTY_ALL);
      emptied = true;
    }
    return Stores.open(url, clock);
  }

  @Test
  void whatSomebodyElseHasLockedKeepsNobodyElseWaiting() throws Exception {
    List<UUID> locked = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      locked.add(submit());
    }
    UUID free = submit();
    List<Future<Outcome.OfCancel>> asked = new ArrayList<>();
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(
          "SELECT 1 FROM stint.job WHERE id <> '%s' AND queue = '%s' FOR UPDATE"
              .formatted(free, queue()));
      for (UUID id : locked) {
        asked.add(begin(() -> engine().execute(cancel(id), null)));
      }
      assertThat(engine().execute(cancel(free), null)).isInstanceOf(Outcome.Ended.class);
      for (Future<Outcome.OfCancel> each : asked) {
        assertThatThrownBy(each::get).hasCauseInstanceOf(StoreUnavailableException.class);
      }
      other.rollback();
    }
    assertThat(engine().execute(cancel(locked.getFirst()), null)).isInstanceOf(Outcome.Ended.class);
  }

  @Test
  void aCommitThatHangsRightAfterManyKeepsNobodyElseWaiting() throws Exception {
    UUID locked = submit();
    List<Command.Submit> many = Stream.generate(() -> Orders.submit(queue())).limit(64).toList();
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM stint.job WHERE id = '%s' FOR UPDATE".formatted(locked));
      assertThat(engine().executeAll(many, null).stream().map(Supplier::get))
          .hasOnlyElementsOfType(Outcome.Submitted.class);
      Future<Outcome.OfCancel> hanging = begin(() -> engine().execute(cancel(locked), null));
      waitUntil(() -> PostgresCacheTest.someoneWaits(url));
      submit();
      assertThat(hanging).isNotDone();
      other.rollback();
      assertThat(hanging.get()).isInstanceOf(Outcome.Ended.class);
    }
  }

  @Test
  void whoWaitsForAJobOfAWorkerHasLockedNoneBehindIt() throws Exception {
    submit();
    submit();
    String last = "z-" + queue();
    String first = "a-" + queue();
    UUID small = claim(last).job().id();
    UUID large = claim(first).job().id();
    List<Command.Beat> beats = List.of(Orders.beat(first, 1L), Orders.beat(last, 1L));
    Future<List<Outcome.OfBeat>> beaten;
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT 1 FROM stint.job WHERE id = '%s' FOR UPDATE".formatted(small));
      beaten = begin(() -> engine().executeAll(beats, null).stream().map(Supplier::get).toList());
      waitUntil(() -> PostgresCacheTest.someoneWaits(url));
      assertThat(isLockedByWhoWaits(large)).isFalse();
      other.rollback();
    }
    assertThat(beaten.get()).hasOnlyElementsOfType(Outcome.Beaten.class);
  }

  /** Not by another: a beat that has a commit of its own locks its job for a moment. */
  private static boolean isLockedByWhoWaits(UUID id) throws SQLException {
    String question =
        """
        SELECT 1 FROM stint.job JOIN pg_stat_activity AS waiting ON waiting.backend_xid = job.xmax
        WHERE job.id = '%s' AND waiting.wait_event_type = 'Lock'
        """
            .formatted(id);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        ResultSet result = statement.executeQuery(question)) {
      return result.next();
    }
  }

  @Test
  void aWaitingClaimIsToldOfAJobThatWasLockedWhenItLooked() throws Exception {
    store().hideClaimable();
    UUID id = submit();
    Outcome.Claimed claimed = claim("v");
    engine().execute(new Command.Release(id, Orders.proof(claimed.lease()), 0, null, false), null);
    assertThat(job(id).claimable()).isTrue();
    Future<Outcome.OfReport> late;
    Future<Outcome.OfClaim> waiting;
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // A report that comes too late has locked its job when it gets here.
      statement.execute("LOCK TABLE stint.event IN SHARE MODE");
      late = begin(() -> engine().execute(Orders.complete(claimed, "{}"), null));
      waitUntil(() -> PostgresCacheTest.someoneWaits(url));
      waiting = park("w", 10_000);
      waitUntil(() -> engine().parkedClaims() == 1);
      other.rollback();
    }
    assertThat(late.get()).isInstanceOf(Outcome.Stale.class);
    assertThat(jobOf(waiting.get())).isEqualTo(id);
  }

  @Test
  void ofTwoWhoRegisterAsOneWorkerForTheFirstTimeTheSecondIsRefused() throws Exception {
    String worker = "w-" + queue();
    Future<Outcome.OfRegister> registering;
    try (Connection other = DriverManager.getConnection(url);
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // It has found nobody of that name when it gets here.
      statement.execute("LOCK TABLE stint.event IN SHARE MODE");
      registering = begin(() -> engine().execute(Orders.register(worker, "mine"), null));
      waitUntil(() -> PostgresCacheTest.someoneWaits(url));
      statement.execute(
          """
          INSERT INTO stint.worker
            (worker_id, commands_only, capabilities, first_seen, last_seen, nonce_hash)
          VALUES ('%s', false, '[]', 1, 1, 'another')
          """
              .formatted(worker));
      other.commit();
    }
    assertThat(registering.get()).isInstanceOf(Outcome.NonceMismatch.class);
    assertThat(store().worker(worker).orElseThrow().nonceHash()).isEqualTo("another");
  }

  private static Command.RequestCancel cancel(UUID id) {
    return new Command.RequestCancel(id, "why", 30_000);
  }
}
