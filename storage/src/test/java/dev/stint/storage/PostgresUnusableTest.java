package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Job;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.testkit.ChangeSet;
import dev.stint.testkit.SampleJobs;
import dev.stint.testkit.TestPostgres;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A PostgreSQL that cannot be used, or goes away, is reported in one line that says what to do. */
class PostgresUnusableTest {
  private final TestPostgres server = TestPostgres.shared();

  @Test
  void aServerThatIsNotThereIsNamed() throws IOException {
    int free = freePort();
    assertRefused(
        "jdbc:postgresql://localhost:" + free + "/jobs?user=u&password=hidden",
        "PostgreSQL at localhost:" + free + "/jobs does not answer; start it, or correct the URL");
  }

  @Test
  void anUnknownDatabaseIsNamed() {
    assertRefused(server.url("nowhere"), "/nowhere; create it, or name another");
  }

  @Test
  void anUnknownUserIsRefused() {
    assertRefused(
        "jdbc:postgresql://localhost:" + server.port() + "/postgres?user=nobody&password=hidden",
        "refused the user or the password");
  }

  @Test
  void aNewerSchemaIsRefused() {
    String url = server.newDatabase();
    open(url).close();
    TestPostgres.execute(
        url,
        """
        INSERT INTO stint.schema_history (installed_rank, version, description, type, script,
          installed_by, execution_time, success)
        VALUES (99, '99', 'later', 'SQL', 'V99', 'someone', 1, true)
        """);
    assertRefused(url, "was written by a newer version of Stint (schema 99, this one knows 10)");
  }

  @Test
  void aSchemaOfAnotherProgramIsRefused() {
    String url = server.newDatabase();
    TestPostgres.execute(url, "CREATE SCHEMA stint; CREATE TABLE stint.recipe (name text)");
    assertRefused(url, "the schema stint in");
  }

  @Test
  void aReadOnlyServerIsRefused() {
    String url = server.newDatabase();
    assertRefused(
        url + "&options=-c%20default_transaction_read_only=on",
        "is read-only; name the primary server");
  }

  @Test
  void aUserWhoMayNotMakeTheSchemaIsToldWhatToGrant() {
    String url = server.newDatabase();
    TestPostgres.execute(url, "CREATE USER guest PASSWORD 'guest'");
    assertRefused(
        url.replace("user=postgres", "user=guest") + "&password=guest",
        "grant it CREATE on the database");
  }

  @Test
  void theSchemaIsTheOneThatTheUrlSays() {
    String url = server.newDatabase();
    try (Store one = open(url + "&currentSchema=One");
        Store two = open(url + "&currentSchema=%22Two%22,public")) {
      Job job = SampleJobs.pending("q");
      save(one, job);
      assertThat(one.find(job.id())).isPresent();
      assertThat(two.find(job.id())).isEmpty();
    }
  }

  @Test
  void controlPlanesThatStartAtOnceOnAnEmptyDatabaseAllComeUp() {
    String url = server.newDatabase();
    List<CompletableFuture<Store>> starting =
        Stream.generate(() ->
                CompletableFuture.supplyAsync(
                    () -> open(url), task -> Thread.ofPlatform().start(task)))
            .limit(3)
            .toList();
    Job job = SampleJobs.pending("q");
    List<Store> stores =
        starting.stream().map(one -> one.orTimeout(60, TimeUnit.SECONDS).join()).toList();
    save(stores.getFirst(), job);
    assertThat(stores).allSatisfy(store -> assertThat(store.find(job.id())).isPresent());
    stores.forEach(Store::close);
  }

  @Test
  void aServerThatStopsIsReportedAndWorksAgainOnceItIsBack(@TempDir Path data) {
    TestPostgres first = TestPostgres.start(data, 0);
    int port = first.port();
    Job job = SampleJobs.pending("q");
    try (Store store = open(first.url("postgres"))) {
      save(store, job);
      first.close();

      assertThatThrownBy(() -> save(store, SampleJobs.pending("q")))
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> save(store, SampleJobs.pending("q")))
          .isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(() -> store.find(job.id())).isInstanceOf(StoreUnavailableException.class);
      assertThatThrownBy(store::now).isInstanceOf(StoreUnavailableException.class);

      try (TestPostgres second = TestPostgres.start(data, port)) {
        Job later = SampleJobs.pending("q");
        save(store, later);
        assertThat(store.find(job.id())).isPresent();
        assertThat(store.find(later.id())).isPresent();
        assertThat(second.port()).isEqualTo(port);
      }
    }
  }

  @Test
  void whySettingsCannotBeReadIsTold() throws IOException {
    String url = server.newDatabase();
    TestPostgres.execute(url, "CREATE USER reader PASSWORD 'hidden'");
    String guest = url.replace("user=postgres", "user=reader") + "&password=hidden";
    assertSettingsRefused(url, "start the server of this version on it once");
    open(url).close();
    TestPostgres.execute(url, "GRANT USAGE ON SCHEMA stint TO reader");
    assertSettingsRefused(guest, "the user may not read the settings in localhost");
    assertSettingsRefused(server.url("nowhere"), "/nowhere; create it, or name another");
    assertSettingsRefused(
        "jdbc:postgresql://localhost:" + server.port() + "/postgres?user=nobody&password=hidden",
        "refused the user or the password");
    int free = freePort();
    assertSettingsRefused(
        "jdbc:postgresql://localhost:" + free + "/jobs?user=u&password=hidden",
        "localhost:" + free + "/jobs does not answer");
  }

  private static void assertSettingsRefused(String url, String message) {
    assertThatThrownBy(() -> Stores.setting(url, "any"))
        .isInstanceOf(StoreUnusableException.class)
        .hasMessageContaining(message)
        .hasMessageNotContaining("hidden");
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static Store open(String url) {
    return Stores.open(url, Clock.systemUTC());
  }

  private static void save(Store store, Job job) {
    store.transact(transaction -> {
      transaction.save(new ChangeSet().arrive(job).build());
      return true;
    });
  }

  private static void assertRefused(String url, String message) {
    assertThatThrownBy(() -> open(url))
        .isInstanceOf(StoreUnusableException.class)
        .hasMessageContaining(message)
        .satisfies(e ->
            assertThat(e.getMessage())
                .doesNotContain("hidden")
                .satisfies(line -> assertThat(line.lines()).hasSize(1)));
  }
}
