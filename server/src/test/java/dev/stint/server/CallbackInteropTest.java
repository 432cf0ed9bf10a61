package dev.stint.server;

import static dev.stint.server.Tasks.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.server.Tasks.Envelope;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Callback tasks in other dialects' hands, and their jobs in a callback worker's. */
class CallbackInteropTest {
  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder, settings -> settings.withCancelGraceSeconds(5));
  }

  @Test
  void aLeaseWorkerRunsACallbackTask() {
    String id =
        Tasks.submit(
            server,
            "{\"payload\":{\"n\":7},\"tenantId\":\"a\",\"heartbeatIntervalMs\":10000,"
                + "\"heartbeatTimeoutMs\":40000}");
    Answer claimed =
        server.post("/internal/worker/claim", "{\"worker_id\":\"w1\",\"streams\":[\"callbacks\"]}");
    assertThat(claimed.json())
        .contains(
            entry("job_id", id),
            entry("payload", Map.of("n", 7L)),
            entry("lease_ttl_seconds", 40L),
            entry("heartbeat_interval_seconds", 10L));
    assertThat(Tasks.read(server, id)).contains(entry("state", "RUNNING"), entry("workerId", "w1"));
    Jobs.Lease lease =
        new Jobs.Lease("w1", id, claimed.text("attempt_id"), claimed.text("lease_token"));
    server.post("/v1/tasks/" + id + "/cancel", "{\"reason\":\"enough\"}", ADMIN);
    assertThat(server.post("/internal/worker/heartbeat", lease.with(",\"progress\":30")).json())
        .contains(entry("cancel", true), entry("cancel_reason", "enough"));
    assertThat(Tasks.read(server, id))
        .contains(entry("progressPct", 30L), entry("shouldCancel", true));
    server.post("/internal/worker/complete", lease.with(",\"result\":{\"ok\":1}"));
    assertThat(Tasks.read(server, id))
        .contains(entry("state", "SUCCEEDED"), entry("output", Map.of("ok", 1L)));
    assertThat(server.get("/v1/jobs/" + id).get("status")).isEqualTo("done");
    assertThat(server.get("/jobs/" + id, ADMIN).get("status")).isEqualTo("COMPLETED");
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).get("status")).isEqualTo("SUCCESS");
  }

  @Test
  void aJobOfAContractWithoutATimeToStopHasTheServersWhoeverCancelsIt() {
    for (String cancel : List.of("/v1/jobs/", "/v1/tasks/")) {
      Answer submitted =
          server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{},\"queue\":\"callbacks\"}");
      String id = submitted.text("job_id");
      Envelope claimed = Tasks.claim(server, "").start();
      assertThat(claimed.fields())
          .contains(entry("taskId", id), entry("cancelGracePeriodMs", 5_000L));
      assertThat(Tasks.read(server, id)).containsEntry("cancelGracePeriodMs", 5_000L);
      long before = System.currentTimeMillis();
      server.post(cancel + id + "/cancel", "{}", ADMIN);
      assertThat(server.get("/v1/jobs/" + id + "/explain", ADMIN).body())
          .matches(body -> graceUntilMs(body) <= before + 20_000, "ends soon");
    }
  }

  private static long graceUntilMs(String body) {
    Matcher found = Pattern.compile("\"grace_until_ms\":(\\d+)").matcher(body);
    assertThat(found.find()).as(body).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void aWorkerApiWorkerRunsACallbackTask() {
    String id = Tasks.submit(server, "{\"payload\":{\"n\":7},\"maxAttempts\":1}");
    String[] worker = {"X-API-Token", "dev-token", "X-Worker-Id", "w1"};
    Answer next = server.get("/api/v1/worker/tasks/next?queue=callbacks", worker);
    assertThat(next.json()).contains(entry("task_id", id), entry("payload", Map.of("n", 7L)));
    assertThat(Tasks.state(server, id)).isEqualTo("RUNNING");
    server.post("/api/v1/worker/tasks/" + id + "/fail", "{\"error\":\"no luck\"}", worker);
    assertThat(Tasks.read(server, id))
        .contains(
            entry("state", "FAILED"),
            entry("reason", "no luck"),
            entry("error", Map.of("message", "no luck")));
  }

  @Test
  void aFleetWorkerRunsACallbackTaskThatIsACommand() {
    String id = Tasks.submit(server, "{\"payload\":{\"command\":\"true\"}}");
    Tasks.submit(server, "{\"payload\":{\"n\":1}}");
    server.post("/register", "{\"worker_id\":\"f1\"}", ADMIN);
    Answer next = server.get("/next-job?worker_id=f1&queue=callbacks", ADMIN);
    assertThat(next.json()).contains(entry("job_id", id), entry("command", "true"));
    assertThat(Tasks.state(server, id)).isEqualTo("DISPATCHED");
    assertThat(server.get("/next-job?worker_id=f1&queue=callbacks", ADMIN).status()).isEqualTo(204);
  }

  @Test
  void aCallbackWorkerRunsAGatewayJob() {
    String id = Jobs.submit(server, "");
    assertThat(Tasks.read(server, id))
        .contains(
            entry("state", "QUEUED"),
            entry("tenantId", null),
            entry("heartbeatTimeoutMs", 90_000L));
    Envelope envelope = Tasks.claim(server, ",\"queue\":\"jobs:stream\"");
    assertThat(envelope.id()).isEqualTo(id);
    assertThat(envelope.fields())
        .contains(
            entry("task", "chat"),
            entry("payload", Map.of("n", 1L)),
            entry("runId", ""),
            entry("assetId", ""),
            entry("taskKey", ""),
            entry("tenantId", ""),
            entry("workspaceId", ""),
            entry("resources", Map.of()),
            entry("deadline", null),
            entry("heartbeatIntervalMs", 30_000L));
    assertThat(Jobs.status(server, id)).isEqualTo("queued");
    envelope.start();
    assertThat(Jobs.status(server, id)).isEqualTo("running");
    envelope.post("heartbeat", envelope.body(",\"progressPct\":50,\"message\":\"half\""));
    assertThat(server.get("/v1/jobs/" + id).json())
        .contains(entry("progress", 50L), entry("message", "half"));
    server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}");
    assertThat(envelope.post("heartbeat", envelope.body("")).get("cancelReason"))
        .isEqualTo("enough");
    assertThat(
            envelope
                .post(
                    "completed",
                    envelope.body(",\"outcome\":\"CANCELLED\",\"cancelledDuringPhase\":\"x\""))
                .get("finalState"))
        .isEqualTo("CANCELLED");
    assertThat(Jobs.status(server, id)).isEqualTo("canceled");
    String other = Jobs.submit(server, "");
    Tasks.claim(server, ",\"queue\":\"jobs:stream\"").fail("DATA_QUALITY", ",\"message\":\"bad\"");
    assertThat(server.get("/v1/jobs/" + other).json())
        .contains(
            entry("status", "error"),
            entry("error", Map.of("category", "DATA_QUALITY", "message", "bad")));
  }
}
