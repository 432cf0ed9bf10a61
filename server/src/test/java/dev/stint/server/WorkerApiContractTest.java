package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.Json;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The worker-api contract over HTTP, to the field. */
class WorkerApiContractTest {
  private static final String[] ADMIN = {"X-API-Token", "dev-token"};
  private static final String NEXT = "/api/v1/worker/tasks/next";

  private final Map<String, String> tokens = new HashMap<>();

  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder);
  }

  @Test
  void aTaskGoesFromPendingToSuccessAsTheDocumentSaysIt() {
    String id = submit("{\"payload\":{\"phone_number\":\"+1\"},\"eta\":30}");
    assertThat(server.get("/api/v1/tasks/" + id, ADMIN).get("status")).isEqualTo("PENDING");

    Answer next = as("w1").get(NEXT);
    assertThat(next.status()).isEqualTo(200);
    assertThat(next.json())
        .contains(
            entry("task_id", id),
            entry("payload", Map.of("phone_number", "+1")),
            entry("eta", 30L));
    assertThat(Instant.parse(next.text("created_at"))).isBefore(Instant.now().plusSeconds(1));
    assertThat(as("w1").get(NEXT).status()).isEqualTo(204);
    assertThat(task(id)).contains(entry("status", "STARTED"), entry("worker_id", "w1"));

    Answer patched =
        as("w1").patch(id, "{\"status\":\"PROCESSING\",\"progress\":40,\"message\":\"m\"}");
    assertThat(patched.json())
        .isEqualTo(
            Json.read(
                "{\"message\":\"Status updated\",\"task_id\":\"%s\",\"status\":\"PROCESSING\"}"
                    .formatted(id)));
    assertThat(task(id)).contains(entry("status", "PROCESSING"), entry("progress", 40L));

    Answer completed = as("w1").complete(id, "{\"result\":{\"scam_score\":0.85}}");
    assertThat(completed.json())
        .isEqualTo(Json.read("{\"message\":\"Task completed\",\"task_id\":\"%s\"}".formatted(id)));
    assertThat(as("w1").complete(id, "{\"result\":{\"scam_score\":0.85}}").status()).isEqualTo(200);
    assertThat(task(id))
        .contains(
            entry("status", "SUCCESS"),
            entry("result", Map.of("scam_score", 0.85)),
            entry("retries", 0L),
            entry("traceback", null))
        .containsKeys("task_id", "payload", "created_at", "started_at", "completed_at");
  }

  @Test
  void aFailureIsRetriedAsOftenAsTheTaskSays() throws InterruptedException {
    String once = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    Answer failed = as("w1").fail(once, "{\"error\":\"ValueError: no\\n  at x\"}");
    assertThat(failed.json())
        .isEqualTo(
            Json.read(
                "{\"message\":\"Task marked as failed\",\"task_id\":\"%s\"}".formatted(once)));
    assertThat(task(once))
        .contains(
            entry("status", "FAILURE"),
            entry("retries", 1L),
            entry("traceback", "ValueError: no\n  at x"));

    String twice = submit("{\"payload\":{},\"max_retries\":1}");
    as("w1").get(NEXT);
    as("w1").fail(twice, "{\"error\":\"first\"}");
    assertThat(task(twice)).contains(entry("status", "RETRY"));
    Waits.until(() -> as("w1").get(NEXT + "?wait_ms=1000").status() == 200);
    as("w1").fail(twice, "{\"error\":\"second\"}");
    assertThat(task(twice)).contains(entry("status", "FAILURE"), entry("retries", 2L));
  }

  @Test
  void aReportThatEndedAnEarlierAttemptOfTheSameWorkerMayBeRepeated() throws InterruptedException {
    String id = submit("{\"payload\":{},\"max_retries\":1}");
    as("w1").get(NEXT);
    as("w1").fail(id, "{\"error\":\"first\"}");
    Waits.until(() -> as("w1").get(NEXT + "?wait_ms=1000").status() == 200);
    as("w1").complete(id, "{\"result\":1}");
    assertThat(as("w1").fail(id, "{\"error\":\"first\"}").status()).isEqualTo(200);
    assertThat(as("w1").complete(id, "{\"result\":1}").status()).isEqualTo(200);
    assertThat(task(id)).contains(entry("status", "SUCCESS"), entry("result", 1L));
    assertThat(server.get("/events?job_id=" + id + "&event=late_result", ADMIN).get("events"))
        .isEqualTo(List.of());
  }

  @Test
  void aTaskThatIsCancelledBetweenTwoAttemptsEndsThen() throws InterruptedException {
    String id = submit("{\"payload\":{},\"max_retries\":1}");
    as("w1").get(NEXT);
    as("w1").fail(id, "{\"error\":\"first\"}");
    Thread.sleep(20);
    Instant before = Instant.now().minusMillis(5);
    server.post("/v1/jobs/" + id + "/cancel", "{}", ADMIN);
    assertThat(task(id)).containsEntry("status", "REVOKED");
    assertThat(Instant.parse(String.valueOf(task(id).get("completed_at")))).isAfter(before);
  }

  @Test
  void anotherWorkersTaskIsNotTouchedAndThatIsNoted() {
    String id = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    as("w2").get(NEXT);

    assertThat(as("w2").complete(id, "{\"result\":1}").status()).isEqualTo(409);
    assertThat(as("w2").fail(id, "{}").get("error")).isEqualTo("not_held");
    assertThat(as("w2").patch(id, "{\"status\":\"MINE\"}").status()).isEqualTo(409);
    assertThat(task(id)).contains(entry("status", "STARTED"), entry("worker_id", "w1"));
    assertThat(server.get("/events?job_id=" + id + "&event=report_refused", ADMIN).body())
        .contains("\"worker_id\":\"w2\"");
    String none = "0190b5a4-0000-7000-8000-000000000000";
    assertThat(as("w2").complete(none, "{}").status()).isEqualTo(404);
    assertThat(as("w2").complete("abc123", "{}").status()).isEqualTo(404);
  }

  @Test
  void aHeartbeatKeepsAllThatAWorkerHoldsAndTellsWhatToStop() {
    String id = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    Answer heard = as("w1").post("/api/v1/worker/heartbeat", "{}");
    assertThat(heard.json())
        .isEqualTo(Json.read("{\"message\":\"Heartbeat received\",\"worker_id\":\"w1\"}"));
    server.post("/v1/jobs/" + id + "/cancel", "{}");
    assertThat(as("w1").post("/api/v1/worker/heartbeat", "").get("cancel")).isEqualTo(List.of(id));
    as("w1").fail(id, "{\"error\":\"stopped\"}");
    assertThat(task(id)).contains(entry("status", "REVOKED"));
  }

  @Test
  void aRepeatedPollTellsOfACancelToo() {
    String id = submit("{\"payload\":{}}");
    String poll = NEXT + "?claim_id=c1";
    assertThat(as("w1").get(poll).json()).doesNotContainKeys("cancel", "cancel_reason");
    server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}");
    assertThat(as("w1").get(poll).json())
        .contains(entry("task_id", id), entry("cancel", true), entry("cancel_reason", "enough"));
  }

  @Test
  void aHeartbeatMayBeTheFirstThatIsSeenOfAWorker() {
    String beat = "/api/v1/worker/heartbeat";
    Answer heard = server.post(beat, "{}", ADMIN[0], ADMIN[1], "X-Worker-Id", "w7");
    assertThat(heard.json())
        .isEqualTo(Json.read("{\"message\":\"Heartbeat received\",\"worker_id\":\"w7\"}"));
    assertThat(server.get("/api/v1/admin/workers", ADMIN).body())
        .contains("\"worker_id\":\"w7\"", "\"active\":true");
  }

  @Test
  void aRevokedWorkersTasksGoOnToOthersAtOnce() throws InterruptedException {
    String id = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    server.send(server.request("/api/v1/admin/workers/w1", ADMIN).DELETE());
    assertThat(as("w1").complete(id, "{}").status()).isEqualTo(401);
    Waits.until(() -> id.equals(as("w2").get(NEXT + "?wait_ms=1000").json().get("task_id")));
    as("w2").complete(id, "{}");
    assertThat(task(id)).contains(entry("status", "SUCCESS"), entry("worker_id", "w2"));
  }

  @Test
  void aCapabilityMayBeNamedTwiceAndAnErrorMayBeLong() {
    String id = submit("{\"payload\":{}}");
    assertThat(as("w1").get(NEXT + "?capabilities=gpu,gpu").get("task_id")).isEqualTo(id);
    String tooLong = "{\"error\":\"" + "x".repeat(70_000) + "\"}";
    assertThat(as("w1").fail(id, tooLong).status()).isEqualTo(200);
    assertThat(task(id))
        .contains(entry("status", "FAILURE"), entry("traceback", "x".repeat(65_536) + "…"));
  }

  @Test
  void aPollMayWait() throws Exception {
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(() -> as("w1").get(NEXT + "?wait_ms=20000"));
    Thread.sleep(200);
    String id = submit("{\"payload\":{}}");
    assertThat(waiting.get().get("task_id")).isEqualTo(id);
  }

  @Test
  void theSixFiguresAreToldAndShownToPrometheus() {
    String done = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    as("w1").complete(done, "{}");
    String failed = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    as("w1").fail(failed, "{}");
    submit("{\"payload\":{}}");
    submit("{\"payload\":{}}");
    as("w1").get(NEXT);

    Answer stats = server.get("/api/v1/admin/queue/stats", ADMIN);
    assertThat(stats.json())
        .isEqualTo(
            Json.read(
                "{\"pending\":1,\"processing\":1,\"failed\":1,\"active_workers\":1,"
                    + "\"throughput_per_min\":1,\"error_rate\":0.25}"));
    assertThat(server.get("/metrics").body())
        .contains("stint_jobs{queue=\"tasks\",state=\"pending\"} 1.0")
        .contains("stint_jobs{queue=\"tasks\",state=\"running\"} 1.0")
        .contains("stint_jobs{queue=\"tasks\",state=\"failed\"} 1.0")
        .contains("stint_workers_active 1.0")
        .contains("stint_throughput_per_minute{queue=\"tasks\"} 1.0")
        .contains("stint_error_rate{queue=\"tasks\"} 0.25");
  }

  @Test
  void workersAreListedWithTheirNames() {
    as("w1").get(NEXT);
    Answer workers = server.get("/api/v1/admin/workers", ADMIN);
    Map<?, ?> worker =
        (Map<?, ?>) ((List<?>) Objects.requireNonNull(workers.get("workers"))).getFirst();
    assertThat(worker.get("worker_id")).isEqualTo("w1");
    assertThat(worker.get("name")).isEqualTo("name of w1");
    assertThat(worker.get("active")).isEqualTo(true);
    assertThat(worker.keySet())
        .extracting(Object::toString)
        .containsExactlyInAnyOrder("worker_id", "name", "registered_at", "last_active", "active");
    assertThat(workers.body()).doesNotContain("token").doesNotContain("hash");
  }

  @Test
  void anAdminMayActForAWorkerItNames() {
    String id = submit("{\"payload\":{}}");
    assertThat(server.get(NEXT, ADMIN).status()).isEqualTo(400);
    Answer next = server.get(NEXT, ADMIN[0], ADMIN[1], "X-Worker-Id", "w7");
    assertThat(next.get("task_id")).isEqualTo(id);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"status\":\"\"}",
        "{\"status\":\"lower\"}",
        "{\"status\":\"SUCCESS\"}",
        "{\"status\":\"FAILURE\"}",
        "{\"status\":\"REVOKED\"}",
        "{\"status\":\"A1\"}",
        "{\"status\":\"AAAAAAAAAABBBBBBBBBBCCCCCCCCCCDDD\"}",
        "{\"status\":\"OK\",\"progress\":101}",
        "{\"status\":\"OK\",\"progress\":\"half\"}"
      })
  void aStatusThatNoWorkerMaySetIsRefused(String body) {
    String id = submit("{\"payload\":{}}");
    as("w1").get(NEXT);
    assertThat(as("w1").patch(id, body).status()).isEqualTo(400);
    assertThat(task(id)).contains(entry("status", "STARTED"));
  }

  /** The document's concurrency test, and a larger one. */
  @ParameterizedTest
  @CsvSource({"10, 100", "100, 5000"})
  void noTaskIsRunTwiceAndNoneIsLost(int workers, int tasks) throws Exception {
    Set<String> submitted = ConcurrentHashMap.newKeySet();
    Set<String> done = ConcurrentHashMap.newKeySet();
    Set<String> twice = ConcurrentHashMap.newKeySet();
    for (int i = 0; i < workers; i++) {
      as("w" + i);
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < 10; i++) {
        running.add(
            threads.submit(() -> {
              for (int n = 0; n < tasks / 10; n++) {
                submitted.add(submit("{\"payload\":{\"n\":1}}"));
              }
            }));
      }
      for (int i = 0; i < workers; i++) {
        Worker worker = as("w" + i);
        running.add(
            threads.submit(() -> {
              while (done.size() < tasks) {
                Answer next = worker.get(NEXT + "?wait_ms=500");
                if (next.status() == 200) {
                  String id = next.text("task_id");
                  if (!done.add(id)) {
                    twice.add(id);
                  }
                  assertThat(worker.complete(id, "{}").status()).isEqualTo(200);
                }
              }
            }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    }
    assertThat(twice).isEmpty();
    assertThat(done).isEqualTo(submitted).hasSize(tasks);
    assertThat(server.get("/api/v1/admin/queue/stats", ADMIN).json())
        .contains(entry("pending", 0L), entry("processing", 0L), entry("failed", 0L));
  }

  private String submit(String body) {
    Answer answer = server.post("/api/v1/tasks", body, ADMIN);
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.get("status")).isEqualTo("PENDING");
    return answer.text("task_id");
  }

  private Map<String, @Nullable Object> task(String id) {
    return server.get("/api/v1/tasks/" + id, ADMIN).json();
  }

  /** A worker with a token of its own. */
  private Worker as(String id) {
    String token =
        tokens.computeIfAbsent(
            id,
            absent ->
                server
                    .post(
                        "/api/v1/admin/workers",
                        "{\"name\":\"name of %s\",\"worker_id\":\"%s\"}".formatted(absent, absent),
                        ADMIN)
                    .text("token"));
    return new Worker("Bearer " + token);
  }

  private final class Worker {
    private final String[] headers;

    Worker(String authorization) {
      headers = new String[] {"Authorization", authorization};
    }

    Answer get(String path) {
      return server.get(path, headers);
    }

    Answer post(String path, String body) {
      return server.post(path, body, headers);
    }

    Answer patch(String id, String body) {
      return server.send(
          server
              .request("/api/v1/worker/tasks/" + id + "/status", headers)
              .method("PATCH", HttpRequest.BodyPublishers.ofString(body)));
    }

    Answer complete(String id, String body) {
      return post("/api/v1/worker/tasks/" + id + "/complete", body);
    }

    Answer fail(String id, String body) {
      return post("/api/v1/worker/tasks/" + id + "/fail", body);
    }
  }
}
