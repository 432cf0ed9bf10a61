package dev.stint.server;

import static dev.stint.server.Tasks.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.contracts.Access;
import dev.stint.server.Tasks.Envelope;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may report on a task, and who may claim it. */
class CallbackTokenTest {
  private static final String SECRET = "0123456789abcdef0123456789abcdef-this";
  private static final String FORMER = "0123456789abcdef0123456789abcdef-then";

  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = start(folder, SECRET, null);
  }

  private static TestServer start(Path folder, String secret, @Nullable String previous) {
    return TestServer.start(
        folder, s -> s.withSecurity(new Settings.Security(secret, previous, 1_000_000, null)));
  }

  @Test
  void aTokenIsRenewedByHeartbeatBeforeItExpiresAndIsVoidAfter() throws InterruptedException {
    Tasks.submit(server, "{\"tokenTtlSeconds\":2}");
    Envelope envelope = Tasks.claim(server, "").start();
    assertThat(envelope.post("heartbeat", envelope.body("")).json()).doesNotContainKey("taskToken");
    AtomicReference<String> renewed = new AtomicReference<>();
    Waits.until(() -> {
      Answer beat = envelope.post("heartbeat", envelope.body(""));
      if (beat.get("taskToken") != null) {
        renewed.set(beat.text("taskToken"));
        assertThat(beat.json()).containsKey("tokenExpiresAt");
      }
      return renewed.get() != null;
    });
    Waits.until(() -> envelope.post("heartbeat", envelope.body("")).status() == 401);
    Answer answer =
        envelope.postWith(renewed.get(), "completed", envelope.body(",\"outcome\":\"SUCCEEDED\""));
    assertThat(answer.get("finalState")).isEqualTo("SUCCEEDED");
  }

  @Test
  void aTokenIsGoodForItsTaskItsAttemptAndItsCallbacksAlone() {
    Tasks.submit(server, "{}");
    Tasks.submit(server, "{}");
    Envelope mine = Tasks.claim(server, "");
    Envelope other = Tasks.claim(server, "");
    for (String callback : List.of("started", "heartbeat", "completed")) {
      Answer foreign = other.postWith(mine.token(), callback, other.body(""));
      assertThat(foreign.status()).isEqualTo(403);
      assertThat(foreign.get("error")).isEqualTo("other_task");
      Answer wrong = mine.post(callback, "{\"attempt\":2,\"workerId\":\"w\"}");
      assertThat(wrong.status()).isEqualTo(403);
      assertThat(wrong.get("error")).isEqualTo("other_attempt");
    }
    assertThat(mine.start().succeed().status()).isEqualTo(200);
  }

  @Test
  void othersTokensAreNoTaskTokensAndAnAdminReportsInAWorkersPlace() {
    Tokens tokens = new Tokens(List.of(SECRET), Clock.systemUTC());
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "");
    for (Access.Role role : List.of(Access.Role.WORKER, Access.Role.PRODUCER)) {
      String jwt = tokens.issue(role, "worker-abc123", Duration.ofMinutes(5));
      assertThat(envelope.postWith(jwt, "started", envelope.body("")).status()).isEqualTo(403);
    }
    String path = "/v1/tasks/" + id + "/";
    String asAnother = "{\"attempt\":1,\"workerId\":\"worker-other\"}";
    assertThat(server.post(path + "started", asAnother, ADMIN).get("error")).isEqualTo("not_held");
    assertThat(server.post(path + "started", envelope.body(""), ADMIN).status()).isEqualTo(200);
    assertThat(server.post(path + "heartbeat", envelope.body(""), ADMIN).json())
        .contains(entry("acknowledged", true))
        .doesNotContainKey("taskToken");
    assertThat(
            server
                .post(path + "completed", envelope.body(",\"outcome\":\"SUCCEEDED\""), ADMIN)
                .get("finalState"))
        .isEqualTo("SUCCEEDED");
  }

  @Test
  void tokensOfTheFormerSecretAreStillTakenWhileItIsKnown() {
    Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    server.close();
    server = start(folder, FORMER, SECRET);
    Envelope again = new Envelope(server, envelope.fields());
    assertThat(again.post("heartbeat", again.body("")).status()).isEqualTo(200);
    server.close();
    server = start(folder, FORMER, null);
    Envelope late = new Envelope(server, envelope.fields());
    assertThat(late.post("heartbeat", late.body("")).status()).isEqualTo(401);
  }

  @Test
  void aClaimTakesTheTasksOfTheTenantAndWorkspaceItNames() throws Exception {
    Answer nothing = server.post("/v1/tasks/claim", "{\"workerId\":\"w\"}", ADMIN);
    assertThat(nothing.status()).isEqualTo(204);
    String first = Tasks.submit(server, "{\"tenantId\":\"a\",\"workspaceId\":\"x\"}");
    String second = Tasks.submit(server, "{\"tenantId\":\"b\",\"workspaceId\":\"x\"}");
    String third = Tasks.submit(server, "{\"tenantId\":\"b\",\"workspaceId\":\"y\"}");
    String fourth = Tasks.submit(server, "{\"queue\":\"other\"}");
    assertThat(Tasks.claim(server, ",\"tenantId\":\"b\",\"workspaceId\":\"y\"").id())
        .isEqualTo(third);
    assertThat(Tasks.claim(server, ",\"tenantId\":\"b\"").id()).isEqualTo(second);
    assertThat(
            server
                .post("/v1/tasks/claim", "{\"workerId\":\"w\",\"tenantId\":\"b\"}", ADMIN)
                .status())
        .isEqualTo(204);
    assertThat(Tasks.claim(server, "").id()).isEqualTo(first);
    assertThat(Tasks.claim(server, ",\"queue\":\"other\"").id()).isEqualTo(fourth);
  }

  @Test
  void aWaitingClaimIsWokenByItsTenantsTaskAndNotByAnothers() throws Exception {
    var waiting =
        server.postLater(
            "/v1/tasks/claim",
            "{\"workerId\":\"w\",\"tenantId\":\"b\",\"maxWaitMs\":20000}",
            ADMIN);
    Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));
    Tasks.submit(server, "{\"tenantId\":\"a\"}");
    String mine = Tasks.submit(server, "{\"tenantId\":\"b\"}");
    assertThat(waiting.get().text("taskId")).isEqualTo(mine);
    assertThat(Tasks.claim(server, "").fields()).containsEntry("tenantId", "a");
  }
}
