package dev.stint.server;

import static dev.stint.server.Tasks.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.Json;
import dev.stint.server.Tasks.Envelope;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The callback contract over HTTP: every JSON sample of its document, request and answer. */
class CallbackContractTest {
  private static final String SHORT =
      "{\"heartbeatIntervalMs\":40,\"heartbeatTimeoutMs\":80,\"maxAttempts\":%d}";

  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder);
  }

  @Test
  void theEnvelopeHasEveryFieldOfTheDocument() {
    String id =
        Tasks.submit(
            server,
            """
            {"runId": "run_01HGW5N7XHJM4GX29KZRXQP6N8", "taskKey": {"asset": "raw.events"},
             "tenantId": "acme", "workspaceId": "prod", "assetId": "asset_1",
             "resources": {"cpu": 2, "memoryBytes": 1024}, "payload": {"day": "2025-01-15"}}
            """);
    Envelope envelope = Tasks.claim(server, "");
    assertThat(envelope.fields())
        .contains(
            entry("taskId", id),
            entry("runId", "run_01HGW5N7XHJM4GX29KZRXQP6N8"),
            entry("assetId", "asset_1"),
            entry("taskKey", Map.of("asset", "raw.events")),
            entry("tenantId", "acme"),
            entry("workspaceId", "prod"),
            entry("attempt", 1L),
            entry("resources", Map.of("cpu", 2L, "memoryBytes", 1024L)),
            entry("deadline", null),
            entry("payload", Map.of("day", "2025-01-15")),
            entry("callbackBaseUrl", "http://127.0.0.1:" + server.port()),
            entry("heartbeatIntervalMs", 30_000L),
            entry("heartbeatTimeoutMs", 90_000L),
            entry("cancelGracePeriodMs", 30_000L));
    assertThat(Instant.parse(envelope.text("enqueuedAt"))).isBefore(Instant.now().plusSeconds(1));
    assertThat(Instant.parse(envelope.text("tokenExpiresAt")))
        .isBetween(Instant.now().plusSeconds(3_500), Instant.now().plusSeconds(3_601));
    assertThat(envelope.token()).startsWith("eyJ");
    Map<String, @Nullable Object> task = Tasks.read(server, id);
    assertThat(task)
        .containsEntry("state", "DISPATCHED")
        .containsEntry("callbackBaseUrl", "http://127.0.0.1:" + server.port())
        .doesNotContainKeys("taskToken", "tokenExpiresAt");
    for (String field : List.of("runId", "assetId", "taskKey", "resources", "enqueuedAt")) {
      assertThat(task).containsEntry(field, envelope.fields().get(field));
    }
  }

  @Test
  void startedIsAcknowledgedAndMayBeRepeated() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "");
    String sample =
        """
        {
          "attempt": 1,
          "workerId": "worker-abc123",
          "startedAt": "2025-01-15T10:00:00Z"
        }
        """;
    Answer answer = envelope.post("started", sample);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json()).containsOnlyKeys("acknowledged", "serverTime");
    assertThat(answer.get("acknowledged")).isEqualTo(true);
    assertThat(Instant.parse(answer.text("serverTime"))).isAfter(Instant.now().minusSeconds(60));
    assertThat(envelope.post("started", sample).status()).isEqualTo(200);
    assertThat(Tasks.read(server, id))
        .containsEntry("state", "RUNNING")
        .containsEntry("workerId", "worker-abc123");
    assertThat(Tasks.events(server, id)).contains("{\"startedAt\":\"2025-01-15T10:00:00Z\"}");
  }

  @Test
  void startedIsAConflictIfTheTaskWasCancelledBefore() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "");
    Answer cancelled = server.post("/v1/tasks/" + id + "/cancel", "{}", ADMIN);
    assertThat(cancelled.status()).isEqualTo(202);
    assertThat(cancelled.json()).containsOnly(entry("taskId", id), entry("state", "CANCELLED"));
    Answer answer = envelope.post("started", envelope.body(""));
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.json())
        .isEqualTo(
            Json.read(
                """
                {
                  "error": "task_already_terminal",
                  "state": "CANCELLED",
                  "message": "Task was cancelled before worker started"
                }
                """));
    assertThat(server.post("/v1/tasks/" + id + "/cancel", "{}", ADMIN).status()).isEqualTo(202);
  }

  @Test
  void aHeartbeatTellsProgressAndWhetherToStop() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    String sample =
        """
        {
          "attempt": 1,
          "workerId": "worker-abc123",
          "heartbeatAt": "2025-01-15T10:05:00Z",
          "progressPct": 45,
          "message": "Processing partition 5 of 10"
        }
        """;
    Answer answer = envelope.post("heartbeat", sample);
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json()).containsOnlyKeys("acknowledged", "shouldCancel", "serverTime");
    assertThat(answer.json()).contains(entry("acknowledged", true), entry("shouldCancel", false));
    assertThat(Tasks.read(server, id))
        .contains(entry("progressPct", 45L), entry("message", "Processing partition 5 of 10"));
    assertThat(Tasks.events(server, id)).contains("\"heartbeatAt\":\"2025-01-15T10:05:00Z\"");

    assertThat(server.post("/v1/tasks/" + id + "/cancel", "{}", ADMIN).get("state"))
        .isEqualTo("RUNNING");
    Answer cancelling = envelope.post("heartbeat", envelope.body(""));
    assertThat(cancelling.json())
        .containsOnlyKeys("acknowledged", "shouldCancel", "cancelReason", "serverTime");
    assertThat(cancelling.json())
        .contains(
            entry("acknowledged", true),
            entry("shouldCancel", true),
            entry("cancelReason", "user_requested"));
    assertThat(envelope.post("started", envelope.body("")).get("shouldCancel")).isEqualTo(true);
  }

  @Test
  void aHeartbeatAfterTheTimeoutIsGone() throws InterruptedException {
    String id = Tasks.submit(server, SHORT.formatted(1));
    Envelope envelope = Tasks.claim(server, "").start();
    Waits.until(() -> "FAILED".equals(Tasks.state(server, id)));
    Answer answer = envelope.post("heartbeat", envelope.body(""));
    assertThat(answer.status()).isEqualTo(410);
    assertThat(answer.json())
        .containsOnly(entry("error", "task_expired"), entry("message", "Task has ended as FAILED"));
    assertThat(Tasks.read(server, id)).containsEntry("reason", "HEARTBEAT_TIMEOUT");
    assertThat(Tasks.events(server, id)).contains("\"to\":\"ZOMBIE\"");

    String retried = Tasks.submit(server, SHORT.formatted(2));
    Envelope first = Tasks.claim(server, "").start();
    Waits.until(() -> "QUEUED".equals(Tasks.state(server, retried)));
    assertThat(first.post("heartbeat", first.body("")).json())
        .isEqualTo(
            Json.read(
                """
                {
                  "error": "task_expired",
                  "message": "Task exceeded heartbeat timeout"
                }
                """));
  }

  @Test
  void aSuccessIsKeptWithItsOutputAndItsMetrics() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    String sample =
        """
        {
          "attempt": 1,
          "workerId": "worker-abc123",
          "outcome": "SUCCEEDED",
          "completedAt": "2025-01-15T10:30:00Z",
          "output": {
            "materializationId": "mat_01HGW5N7XHJM4GX29KZRXQP6NA",
            "rowCount": 1000000,
            "byteSize": 52428800,
            "outputPath": "gs://bucket/tenant/workspace/assets/raw/events/2025-01-15/"
          },
          "metrics": {
            "cpuTimeMs": 45000,
            "peakMemoryBytes": 2147483648,
            "ioReadBytes": 10485760,
            "ioWriteBytes": 52428800
          }
        }
        """;
    for (int times = 0; times < 2; times++) {
      Answer answer = envelope.post("completed", sample);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.json()).containsOnlyKeys("acknowledged", "finalState", "serverTime");
      assertThat(answer.json())
          .contains(entry("acknowledged", true), entry("finalState", "SUCCEEDED"));
    }
    Map<String, @Nullable Object> sent = object(sample);
    Map<String, @Nullable Object> task = Tasks.read(server, id);
    assertThat(task)
        .contains(
            entry("state", "SUCCEEDED"),
            entry("reason", null),
            entry("error", null),
            entry("output", sent.get("output")),
            entry("metrics", sent.get("metrics")))
        .containsKeys("createdAt", "startedAt", "completedAt");
    assertThat(Tasks.events(server, id)).contains("{\"completedAt\":\"2025-01-15T10:30:00Z\"}");
    assertThat(server.post("/v1/tasks/" + id + "/cancel", "{}", ADMIN).json())
        .contains(entry("error", "task_already_terminal"), entry("state", "SUCCEEDED"));
  }

  @Test
  void aFailureIsTriedAgainAndItsMetricsAreKeptPerAttempt() throws InterruptedException {
    String id = Tasks.submit(server, "{\"maxAttempts\":2}");
    Envelope first = Tasks.claim(server, "").start();
    String sample =
        """
        {
          "attempt": %d,
          "workerId": "worker-abc123",
          "outcome": "FAILED",
          "completedAt": "2025-01-15T10:30:00Z",
          "error": {
            "category": "USER_CODE",
            "message": "KeyError: 'missing_column'",
            "stackTrace": "Traceback (most recent call last):\\n  File ...",
            "retryable": true
          },
          "metrics": {
            "cpuTimeMs": 5000,
            "peakMemoryBytes": 1073741824
          }
        }
        """;
    assertThat(first.post("completed", sample.formatted(1)).get("finalState"))
        .isEqualTo("RETRYING");
    assertThat(first.post("completed", sample.formatted(1)).get("finalState"))
        .isEqualTo("RETRYING");
    Waits.until(() -> "QUEUED".equals(Tasks.state(server, id)));
    Envelope second = Tasks.claim(server, "").start();
    assertThat(second.attempt()).isEqualTo(2);
    assertThat(second.post("completed", sample.formatted(2)).get("finalState")).isEqualTo("FAILED");
    Map<String, @Nullable Object> sent = object(sample.formatted(2));
    Map<String, @Nullable Object> task = Tasks.read(server, id);
    assertThat(task)
        .contains(
            entry("state", "FAILED"),
            entry("reason", "USER_CODE"),
            entry("error", sent.get("error")),
            entry("metrics", sent.get("metrics")));
    List<?> attempts = (List<?>) Objects.requireNonNull(task.get("attempts"));
    assertThat(attempts).hasSize(2);
    assertThat(attempts)
        .allSatisfy(attempt ->
            assertThat(((Map<?, ?>) attempt).get("metrics")).isEqualTo(sent.get("metrics")));
    assertThat(Tasks.events(server, id)).contains("\"completedAt\":\"2025-01-15T10:30:00Z\"");
  }

  @Test
  void anAttemptThatWasReplacedIsToldSoAndWhatItSaysIsKept() throws InterruptedException {
    String id = Tasks.submit(server, SHORT.formatted(2));
    Envelope old = Tasks.claim(server, "").start();
    Waits.until(() -> "QUEUED".equals(Tasks.state(server, id)));
    Envelope current = Tasks.claim(server, "");
    assertThat(current.attempt()).isEqualTo(2);
    for (String callback : List.of("started", "heartbeat")) {
      Answer refused = old.post(callback, old.body(""));
      assertThat(refused.status()).isEqualTo(409);
      assertThat(refused.json())
          .contains(
              entry("error", "attempt_mismatch"),
              entry("expectedAttempt", 2L),
              entry("receivedAttempt", 1L));
    }
    assertThat(current.succeed().get("finalState")).isEqualTo("SUCCEEDED");
    Answer late =
        old.post("completed", old.body(",\"outcome\":\"SUCCEEDED\",\"output\":{\"x\":9}"));
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.json())
        .isEqualTo(
            Json.read(
                """
                {
                  "error": "attempt_mismatch",
                  "expectedAttempt": 2,
                  "receivedAttempt": 1,
                  "message": "A newer attempt has already completed"
                }
                """));
    assertThat(Tasks.read(server, id)).containsEntry("output", Map.of("n", 1L));
    assertThat(Tasks.events(server, id)).contains("\"event\":\"late_result\"", "{\"x\":9}");
  }

  @Test
  void aRepeatedClaimTellsOfACancelToo() {
    String id = Tasks.submit(server, "{}");
    Envelope first = Tasks.claim(server, ",\"claimId\":\"c1\"").start();
    assertThat(first.fields()).doesNotContainKeys("shouldCancel", "cancelReason");
    server.post("/v1/tasks/" + id + "/cancel", "{\"reason\":\"too dear\"}", ADMIN);
    assertThat(Tasks.claim(server, ",\"claimId\":\"c1\"").fields())
        .contains(
            entry("taskId", id), entry("shouldCancel", true), entry("cancelReason", "too dear"));
  }

  @Test
  void aWorkerThatStopsSaysWhereItWas() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    server.post("/v1/tasks/" + id + "/cancel", "{\"reason\":\"too dear\"}", ADMIN);
    Answer answer =
        envelope.post(
            "completed",
            """
            {
              "attempt": 1,
              "workerId": "worker-abc123",
              "outcome": "CANCELLED",
              "completedAt": "2025-01-15T10:15:00Z",
              "cancelledDuringPhase": "processing",
              "partialProgress": {
                "recordsProcessed": 500000,
                "lastCheckpoint": "partition-5"
              }
            }
            """);
    assertThat(answer.get("finalState")).isEqualTo("CANCELLED");
    assertThat(Tasks.read(server, id))
        .contains(
            entry("state", "CANCELLED"),
            entry("reason", "too dear"),
            entry("cancelledDuringPhase", "processing"),
            entry(
                "partialProgress",
                Map.of("recordsProcessed", 500_000L, "lastCheckpoint", "partition-5")));
    assertThat(envelope.post("heartbeat", envelope.body("")).status()).isEqualTo(410);
  }

  @Test
  void whoDoesNotStopInTimeFailsTheTaskAndSuccessIsFaster() throws InterruptedException {
    String slow = Tasks.submit(server, "{\"cancelGracePeriodMs\":50}");
    Tasks.claim(server, "").start();
    server.post("/v1/tasks/" + slow + "/cancel", "{}", ADMIN);
    Waits.until(() -> "FAILED".equals(Tasks.state(server, slow)));
    assertThat(Tasks.read(server, slow)).containsEntry("reason", "CANCEL_TIMEOUT");

    String fast = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    server.post("/v1/tasks/" + fast + "/cancel", "{}", ADMIN);
    assertThat(envelope.succeed().get("finalState")).isEqualTo("SUCCEEDED");
  }

  @ParameterizedTest
  @CsvSource({
    "USER_CODE,,RETRYING",
    "DATA_QUALITY,,FAILED",
    "INFRASTRUCTURE,,RETRYING",
    "CONFIGURATION,,FAILED",
    "TIMEOUT,,RETRYING",
    "CANCELLED,,FAILED",
    "DATA_QUALITY,true,RETRYING",
    "USER_CODE,false,FAILED"
  })
  void theKindOfErrorDecidesUnlessTheWorkerDoes(
      String category, @Nullable Boolean retryable, String expected) {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "").start();
    String own = retryable == null ? "" : ",\"retryable\":" + retryable;
    assertThat(envelope.fail(category, own).get("finalState")).isEqualTo(expected);
    assertThat(Tasks.read(server, id))
        .contains(entry("state", expected), entry("reason", category));
  }

  @Test
  void pastItsDeadlineATaskHasTimedOut() throws InterruptedException {
    String id = Tasks.submit(server, "{\"deadline\":\"" + Instant.now().plusMillis(300) + "\"}");
    Envelope envelope = Tasks.claim(server, "").start();
    Waits.until(() -> "FAILED".equals(Tasks.state(server, id)));
    assertThat(Tasks.read(server, id)).containsEntry("reason", "TIMEOUT");
    Answer late = envelope.succeed();
    assertThat(late.status()).isEqualTo(409);
    assertThat(late.json())
        .contains(entry("error", "task_already_terminal"), entry("state", "FAILED"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"heartbeatIntervalMs\":50000} heartbeatTimeoutMs",
        "{\"heartbeatIntervalMs\":100,\"heartbeatTimeoutMs\":199} heartbeatTimeoutMs",
        "{\"tokenTtlSeconds\":7201} tokenTtlSeconds",
        "{\"tokenTtlSeconds\":0} tokenTtlSeconds",
        "{\"deadline\":\"2001-01-01T00:00:00Z\"} deadline",
        "{\"deadline\":\"2999-01-01T00:00:00Z\",\"tokenTtlSeconds\":7200} deadline",
        "{\"deadline\":\"tomorrow\"} deadline",
        "{\"deadline\":5} deadline",
        "{\"maxAttempts\":0} maxAttempts",
        "{\"payload\":[]} payload",
        "{\"tenantId\":\"\"} tenantId",
        "{\"dispatchUrl\":\"there\"} dispatchUrl"
      })
  void aWrongTaskIsRefusedByTheNameOfTheField(String sample) {
    int space = sample.lastIndexOf(' ');
    Answer answer = server.post("/v1/tasks", sample.substring(0, space), ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.text("message")).contains("`" + sample.substring(space + 1) + "`");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "started|{\"workerId\":\"w\"}|attempt",
        "started|{\"attempt\":1}|workerId",
        "started|{\"attempt\":1,\"workerId\":\"w\",\"startedAt\":\"now\"}|startedAt",
        "heartbeat|{\"attempt\":1,\"workerId\":\"w\",\"progressPct\":101}|progressPct",
        "completed|{\"attempt\":1,\"workerId\":\"w\"}|outcome",
        "completed|{\"attempt\":1,\"workerId\":\"w\",\"outcome\":\"DONE\"}|outcome",
        "completed|{\"attempt\":1,\"workerId\":\"w\",\"outcome\":\"FAILED\"}|error",
        "completed|{\"attempt\":1,\"workerId\":\"w\",\"outcome\":\"FAILED\","
            + "\"error\":{\"category\":\"BAD_LUCK\"}}|error.category"
      })
  void aWrongReportIsRefusedByTheNameOfTheField(String callback, String body, String field) {
    String id = Tasks.submit(server, "{}");
    Answer answer = Tasks.claim(server, "").post(callback, body);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.text("message")).contains("`" + field + "`");
    assertThat(Tasks.state(server, id)).isEqualTo("DISPATCHED");
  }

  @Test
  void anUndispatchedTaskIsTakenBackAndItsTokenStaysUselessForTheSameAttempt(@TempDir Path other)
      throws InterruptedException {
    try (TestServer quick =
        TestServer.start(other, s -> s.withFleet(new Settings.Fleet(60, 10, 1)))) {
      String id = Tasks.submit(quick, "{}");
      Envelope first = Tasks.claim(quick, "");
      Waits.until(() -> "QUEUED".equals(Tasks.state(quick, id)));
      for (String callback : List.of("started", "completed")) {
        Answer late = first.post(callback, first.body(",\"outcome\":\"SUCCEEDED\""));
        assertThat(late.status()).isEqualTo(409);
        assertThat(late.get("error")).isEqualTo("task_expired");
        assertThat(late.text("message")).contains("waits to be run again");
      }
      assertThat(first.post("heartbeat", first.body("")).status()).isEqualTo(410);
      Envelope second = Tasks.claim(quick, "");
      assertThat(second.attempt()).isEqualTo(first.attempt());
      Answer stale = first.post("started", first.body(""));
      assertThat(stale.status()).isEqualTo(409);
      assertThat(stale.get("error")).isEqualTo("attempt_mismatch");
      assertThat(second.start().succeed().get("finalState")).isEqualTo("SUCCEEDED");
    }
  }

  @Test
  void aPageOfLongEventsEndsEarlyAndSaysWhereToGoOn() {
    String id = Tasks.submit(server, "{}");
    Envelope envelope = Tasks.claim(server, "");
    assertThat(server.post("/v1/tasks/" + id + "/cancel", "{}", ADMIN).status()).isEqualTo(202);
    int late = 6;
    String output = ",\"outcome\":\"SUCCEEDED\",\"output\":\"" + "x".repeat(900_000) + "\"";
    for (int i = 0; i < late; i++) {
      assertThat(envelope.post("completed", envelope.body(output)).status()).isEqualTo(409);
    }
    Answer first = events(id, 0);
    List<Object> words = new ArrayList<>(words(first));
    assertThat(words).startsWith("submitted", "assigned", "cancelled").hasSizeLessThan(3 + late);
    Long next = (Long) first.get("next");
    while (next != null) {
      Answer page = events(id, next);
      words.addAll(words(page));
      next = (Long) page.get("next");
    }
    assertThat(words).hasSize(3 + late).endsWith("late_result");
  }

  private Answer events(String id, long after) {
    return server.get("/v1/tasks/" + id + "/events?limit=100&after=" + after, ADMIN);
  }

  private static List<Object> words(Answer page) {
    return ((List<?>) Objects.requireNonNull(page.get("events")))
        .stream().<Object>map(event -> ((Map<?, ?>) event).get("event")).toList();
  }

  private static Map<String, @Nullable Object> object(String json) {
    return new Answer(200, name -> Optional.empty(), json).json();
  }
}
