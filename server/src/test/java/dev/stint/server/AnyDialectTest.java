package dev.stint.server;

import static dev.stint.server.Tasks.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.ServerEvents;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds in every dialect, whichever a job came by and whichever its worker speaks. */
class AnyDialectTest {
  private static final String[] WORKER = with("X-Worker-Id", "w1");

  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder);
  }

  private static String[] with(String header, String value) {
    return Stream.concat(Arrays.stream(ADMIN), Stream.of(header, value)).toArray(String[]::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/jobs         | job_id  | {'command':'true'}",
        "/api/v1/tasks | task_id | {'payload':{}}",
        "/v1/tasks     | taskId  | {'payload':{}}",
        "/v1/jobs      | job_id  | {'task':'chat','payload':{}}",
      })
  void aSubmissionMayBeSentAgainUnderItsKey(String path, String id, String body) {
    String json = body.replace('\'', '"');
    String[] key = with("Idempotency-Key", "k1");

    Answer first = server.post(path, json, key);
    Answer again = server.post(path, json, key);

    assertThat(first.status()).as(first.body()).isEqualTo(201);
    assertThat(first.header("Idempotency-Replayed")).isEmpty();
    assertThat(again.status()).as(again.body()).isEqualTo(200);
    assertThat(again.header("Idempotency-Replayed")).contains("true");
    assertThat(again.json()).isEqualTo(first.json()).containsKey(id);
    Answer conflict = server.post("/jobs", "{\"command\":\"false\"}", key);
    assertThat(conflict.status()).isEqualTo(409);
    assertThat(conflict.get("error")).isEqualTo("idempotency_conflict");
    assertThat(server.post(path, json, with("Idempotency-Key", "k".repeat(201))).status())
        .isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/jobs         | job_id  | {'command':'true','metadata':{'owner':'ann'}}",
        "/api/v1/tasks | task_id | {'payload':{},'metadata':{'owner':'ann'}}",
        "/v1/tasks     | taskId  | {'payload':{},'metadata':{'owner':'ann'}}",
      })
  void whatWasSentWithAJobIsShownAgain(String path, String id, String body) {
    String named = server.post(path, body.replace('\'', '"'), ADMIN).text(id);
    assertThat(server.get(path + "/" + named, ADMIN).get("metadata"))
        .isEqualTo(Map.of("owner", "ann"));
  }

  @Test
  void everyWorkerIsToldWhichTaskItIs() {
    String id = Jobs.submit(server, ",\"queue\":\"tasks\"");
    assertThat(server.get("/api/v1/worker/tasks/next", WORKER).json())
        .contains(entry("task_id", id), entry("task", "chat"));
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).get("task")).isEqualTo("chat");
  }

  @Test
  void aWorkerThatIsToldNoTimesIsNotHeldToShorterOnesOfTheTask() {
    String times = ",\"heartbeatIntervalMs\":5000,\"heartbeatTimeoutMs\":10000";
    long before = System.currentTimeMillis();
    String pulled =
        Tasks.submit(server, "{\"payload\":{\"n\":1},\"queue\":\"tasks\"" + times + "}");
    server.get("/api/v1/worker/tasks/next", WORKER);
    assertThat(leaseUntil(pulled)).isGreaterThanOrEqualTo(before + 60_000);

    String command =
        Tasks.submit(
            server, "{\"payload\":{\"command\":\"true\"},\"queue\":\"commands\"" + times + "}");
    server.post("/register", "{\"worker_id\":\"f1\"}", ADMIN);
    Answer next = server.get("/next-job?worker_id=f1", ADMIN);
    server.post(
        "/ack",
        "{\"worker_id\":\"f1\",\"job_id\":\"%s\",\"assignment_id\":\"%s\"}"
            .formatted(command, next.text("assignment_id")),
        ADMIN);
    assertThat(leaseUntil(command)).isGreaterThanOrEqualTo(before + 60_000);

    String told = Tasks.submit(server, "{\"payload\":{\"n\":2}" + times + "}");
    Tasks.claim(server, "").start();
    assertThat(leaseUntil(told)).isLessThan(before + 60_000);
  }

  private long leaseUntil(String id) {
    String body = server.get("/v1/jobs/" + id + "/explain", ADMIN).body();
    Matcher found = Pattern.compile("\"lease_until_ms\":(\\d+)").matcher(body);
    assertThat(found.find()).as(body).isTrue();
    return Long.parseLong(found.group(1));
  }

  @Test
  void whoBeatsAsToldKeepsAJobThatLivesShort() {
    Jobs.submit(server, ",\"ttl_s\":15");
    assertThat(Jobs.claim(server, "w1").json())
        .contains(entry("lease_ttl_seconds", 60L), entry("heartbeat_interval_seconds", 5L));
  }

  @Test
  void timesAreToldInWholeSeconds() {
    Tasks.submit(
        server, "{\"payload\":{},\"heartbeatIntervalMs\":10500,\"heartbeatTimeoutMs\":40500}");
    Answer claimed =
        server.post("/internal/worker/claim", "{\"worker_id\":\"w1\",\"streams\":[\"callbacks\"]}");
    assertThat(claimed.json())
        .contains(entry("lease_ttl_seconds", 40L), entry("heartbeat_interval_seconds", 10L));
  }

  @Test
  void aReportOfALeaseIsNotRefusedForADetail() {
    String id = Jobs.submit(server, ",\"max_attempts\":1");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    Answer beat =
        server.post("/internal/worker/heartbeat", lease.with(",\"progress\":45.7,\"message\":3"));
    assertThat(beat.status()).as(beat.body()).isEqualTo(200);
    assertThat(server.get("/v1/jobs/" + id).json())
        .contains(entry("progress", 45L), entry("message", "3"));
    for (String bad : List.of("100.5", "-0.5", "101", "\"45\"")) {
      assertThat(
              server
                  .post("/internal/worker/heartbeat", lease.with(",\"progress\":" + bad))
                  .status())
          .as(bad)
          .isEqualTo(400);
    }
    Answer failed =
        server.post(
            "/internal/worker/fail",
            lease.with(",\"error\":{\"code\":137,\"message\":{\"a\":1},\"stack\":[\"x\",\"y\"]}"));
    assertThat(failed.status()).as(failed.body()).isEqualTo(200);
    assertThat(server.get("/v1/jobs/" + id).json())
        .contains(
            entry("status", "error"),
            entry("reason", "137"),
            entry(
                "error",
                Map.of("code", 137L, "message", Map.of("a", 1L), "stack", List.of("x", "y"))));
  }

  @Test
  void aReportOfACallbackTaskIsNotRefusedForItsWorkersClock() {
    String id = Tasks.submit(server, "{\"payload\":{},\"maxAttempts\":1}");
    Tasks.Envelope task = Tasks.claim(server, "");
    String naive = "2026-01-15T10:00:00.500";
    Answer started = task.post("started", task.body(",\"startedAt\":\"" + naive + "\""));
    assertThat(started.status()).as(started.body()).isEqualTo(200);
    Answer beat =
        task.post(
            "heartbeat", task.body(",\"heartbeatAt\":\"%s\",\"progressPct\":1.5".formatted(naive)));
    assertThat(beat.status()).as(beat.body()).isEqualTo(200);
    Answer completed =
        task.post(
            "completed",
            task.body(
                ",\"completedAt\":\"%s\",\"outcome\":\"FAILED\",\"error\":{\"category\":\"USER_CODE\",\"message\":7}"
                    .formatted(naive)));
    assertThat(completed.status()).as(completed.body()).isEqualTo(200);
    assertThat(Tasks.read(server, id)).contains(entry("state", "FAILED"), entry("progressPct", 1L));
    assertThat(Tasks.events(server, id))
        .contains("\"startedAt\":\"" + naive + "\"", "\"completedAt\":\"" + naive + "\"");
    assertThat(
            server
                .post("/v1/tasks", "{\"payload\":{},\"deadline\":\"" + naive + "\"}", ADMIN)
                .status())
        .isEqualTo(400);
  }

  @Test
  void aReportByAWorkerOfTheWorkerApiIsNotRefusedForADetail() {
    String id = server.post("/api/v1/tasks", "{\"payload\":{}}", ADMIN).text("task_id");
    server.get("/api/v1/worker/tasks/next", WORKER);
    Answer failed =
        server.post(
            "/api/v1/worker/tasks/" + id + "/fail", "{\"error\":{\"why\":\"bad\"}}", WORKER);
    assertThat(failed.status()).as(failed.body()).isEqualTo(200);
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).get("traceback"))
        .isEqualTo("{\"why\":\"bad\"}");
  }

  @Test
  void anExitStatusMayHaveAllOfItsBits() {
    String id = server.post("/jobs", "{\"command\":\"true\"}", ADMIN).text("job_id");
    server.post("/register", "{\"worker_id\":\"f1\"}", ADMIN);
    String assignment = server.get("/next-job?worker_id=f1", ADMIN).text("assignment_id");
    String proof =
        "{\"worker_id\":\"f1\",\"job_id\":\"%s\",\"assignment_id\":\"%s\""
            .formatted(id, assignment);
    server.post("/ack", proof + "}", ADMIN);
    Answer failed =
        server.post("/fail", proof + ",\"exit_code\":3221225477,\"error\":[\"x\"]}", ADMIN);
    assertThat(failed.status()).as(failed.body()).isEqualTo(200);
    assertThat(server.get("/jobs/" + id, ADMIN).json())
        .contains(
            entry("status", "FAILED"),
            entry("exit_code", 3_221_225_477L),
            entry("last_error", "[\"x\"]"));
  }

  @Test
  void anOlderFailureIsNotWhyACancelledJobEnded() {
    String id = Tasks.submit(server, "{\"payload\":{}}");
    Tasks.Envelope first = Tasks.claim(server, "").start();
    first.fail("USER_CODE", ",\"message\":\"first\",\"stackTrace\":\"at x\"");
    assertThat(Tasks.read(server, id)).containsEntry("state", "RETRYING");
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).get("traceback")).isEqualTo("first\nat x");

    server.post("/v1/tasks/" + id + "/cancel", "{\"reason\":\"enough\"}", ADMIN);

    assertThat(Tasks.read(server, id))
        .contains(entry("state", "CANCELLED"), entry("reason", "enough"), entry("error", null));
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).json())
        .contains(entry("status", "REVOKED"), entry("traceback", "enough"));
    assertThat(server.get("/jobs/" + id, ADMIN).get("last_error")).isEqualTo("enough");
  }

  @Test
  void aStreamOfEventsBeginsWhereAStreamOfRedisDoes() throws Exception {
    String id = Jobs.submit(server, "");
    try (ServerEvents stream = Streams.open(server.port(), id, "0-0")) {
      assertThat(Streams.next(stream).type()).isEqualTo("hello");
      assertThat(Streams.next(stream).type()).isEqualTo("queued");
    }
    assertThat(server.get(Streams.path(id) + "?last_id=0-1").status()).isEqualTo(400);
  }

  @Test
  void aWorkerOfTheWorkerApiMayHaveManyCapabilities() {
    String id =
        server
            .post("/api/v1/tasks", "{\"payload\":{},\"requirements\":[\"c039\",\"ssd\"]}", ADMIN)
            .text("task_id");
    StringBuilder many = new StringBuilder("ssd");
    for (int i = 0; i < 99; i++) {
      many.append(",%20").append("c%03d".formatted(i));
    }
    assertThat(
            server.get("/api/v1/worker/tasks/next?capabilities=" + many + ",more", WORKER).status())
        .isEqualTo(400);
    assertThat(server.get("/api/v1/worker/tasks/next?capabilities=" + many, WORKER).get("task_id"))
        .isEqualTo(id);
  }
}
