package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GatewayContractTest {
  private static final String JOBS = "/v1/jobs";
  private static final String MINIMAL = "{\"task\":\"chat\",\"payload\":{}}";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() {
    server =
        TestServer.start(
            folder,
            s ->
                new Settings(
                    s.address(),
                    s.db(),
                    null,
                    60,
                    s.tasks(),
                    3,
                    3_600,
                    30,
                    s.retentionDays(),
                    s.fleet(),
                    s.callback(),
                    s.streams(),
                    s.security(),
                    null));
  }

  @Test
  void aSubmittedJobIsAnsweredWhole() {
    long before = System.currentTimeMillis();

    Answer answer = server.post(JOBS, MINIMAL);

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json())
        .contains(
            entry("task", "chat"),
            entry("payload", java.util.Map.of()),
            entry("status", "queued"),
            entry("ttl_s", 3_600L),
            entry("result", null),
            entry("error", null),
            entry("queue", "jobs:stream"),
            entry("priority", 0L),
            entry("attempts", 0L),
            entry("max_attempts", 3L),
            entry("metadata", null),
            entry("requirements", List.of()),
            entry("scheduled_at", null),
            entry("worker_id", null),
            entry("progress", null));
    assertThat((Long) answer.get("created_ts")).isBetween(before, System.currentTimeMillis());
    assertThat(answer.get("updated_ts")).isEqualTo(answer.get("created_ts"));
    assertThat(server.get(JOBS + "/" + answer.text("job_id")).json()).isEqualTo(answer.json());
  }

  @Test
  void allOptionalFieldsAreTaken() {
    long inAnHour = System.currentTimeMillis() / 1_000 + 3_600;

    Answer answer =
        server.post(
            JOBS,
            """
            {"task":"embed","payload":{"a":[1,{"b":null}]},"ttl_s":60,"queue":"q2","priority":-5,
             "scheduled_at":%d,"requirements":["gpu","a100"],"max_attempts":9,
             "metadata":{"team":"x"},"unknown":[1,2]}
            """
                .formatted(inAnHour));

    assertThat(answer.json())
        .contains(
            entry("ttl_s", 60L),
            entry("queue", "q2"),
            entry("priority", -5L),
            entry("scheduled_at", inAnHour),
            entry("requirements", List.of("a100", "gpu")),
            entry("max_attempts", 9L),
            entry("metadata", java.util.Map.of("team", "x")));
  }

  @Test
  void optionalFieldsThatAreNullAreAsAbsent() {
    Answer answer =
        server.post(
            JOBS,
            """
            {"task":"chat","payload":{},"ttl_s":null,"queue":null,"priority":null,
             "scheduled_at":null,"requirements":null,"max_attempts":null,"metadata":null}
            """);

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.json())
        .contains(entry("queue", "jobs:stream"), entry("ttl_s", 3_600L), entry("priority", 0L));
  }

  @Test
  void aRepeatedIdempotencyKeyGivesTheSameJob() {
    Answer first = server.post(JOBS, MINIMAL, "Idempotency-Key", "k1");
    Answer again = server.post(JOBS, MINIMAL, "Idempotency-Key", "k1");

    assertThat(first.status()).isEqualTo(201);
    assertThat(first.header("Idempotency-Replayed")).isEmpty();
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.header("Idempotency-Replayed")).contains("true");
    assertThat(again.json()).isEqualTo(first.json());
  }

  @Test
  void fiftyEqualRequestsAtOnceAreOneJob() throws Exception {
    List<Future<Answer>> answers = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 50; i++) {
        answers.add(threads.submit(() -> server.post(JOBS, MINIMAL, "Idempotency-Key", "same")));
      }
    }
    Set<String> ids = new HashSet<>();
    int made = 0;
    for (Future<Answer> answer : answers) {
      ids.add(answer.get().text("job_id"));
      made += answer.get().status() == 201 ? 1 : 0;
      assertThat(answer.get().status()).isIn(200, 201);
    }
    assertThat(ids).hasSize(1);
    assertThat(made).isEqualTo(1);
    assertThat(server.get("/metrics").body())
        .contains("stint_events_total{type=\"submitted\"} 1.0");
  }

  @Test
  void anIdempotencyKeyForAnotherBodyIsAConflict() {
    server.post(JOBS, MINIMAL, "Idempotency-Key", "k1");

    Answer answer =
        server.post(JOBS, "{\"task\":\"plan\",\"payload\":{}}", "Idempotency-Key", "k1");

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.get("error")).isEqualTo("idempotency_conflict");
  }

  @Test
  void anIdempotencyKeyHasToBePlain() {
    for (String key : List.of(" ", "k".repeat(201))) {
      Answer answer = server.post(JOBS, MINIMAL, "Idempotency-Key", key);
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.text("message")).contains("Idempotency-Key");
    }
  }

  @Test
  void aTaskThatIsNotConfiguredIsRefused() {
    Answer answer = server.post(JOBS, "{\"task\":\"bake\",\"payload\":{}}");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text("message")).contains("`task`").contains("chat, code, embed");
  }

  @Test
  void aPayloadOfMoreThan200KbIsTooLarge() {
    String most = "{\"a\":\"" + "x".repeat(200 * 1024 - 8) + "\"}";
    String tooMuch = "{\"a\":\"" + "x".repeat(200 * 1024 - 7) + "\"}";

    assertThat(server.post(JOBS, "{\"task\":\"chat\",\"payload\":" + most + "}").status())
        .isEqualTo(201);
    Answer answer = server.post(JOBS, "{\"task\":\"chat\",\"payload\":" + tooMuch + "}");
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.get("error")).isEqualTo("too_large");
  }

  @Test
  void ofManyJobsAFullQueueRefusesOnlyThoseThatDoNotFit() {
    String many = String.join(",", java.util.Collections.nCopies(4, MINIMAL));

    Answer answer = server.post(JOBS + "/batch", "{\"jobs\":[" + many + "]}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).containsPattern("(\"status\":201.*){3}\"status\":429");
    assertThat(answer.body()).contains("\"headers\":{\"Retry-After\":");
  }

  @Test
  void aFullQueueIs429AndSaysWhenToComeAgain() {
    for (int i = 0; i < 3; i++) {
      Jobs.submit(server, "");
    }

    Answer answer = server.post(JOBS, MINIMAL);

    assertThat(answer.status()).isEqualTo(429);
    assertThat(answer.get("error")).isEqualTo("queue_full");
    assertThat(answer.header("Retry-After")).contains("60");
    Jobs.lease(server, "w1");
    Jobs.submit(server, "");
    assertThat(server.post(JOBS, MINIMAL).header("Retry-After").map(Integer::valueOf).orElseThrow())
        .isBetween(1, 59);
    assertThat(server.post(JOBS, "{\"task\":\"chat\",\"payload\":{},\"queue\":\"q2\"}").status())
        .isEqualTo(201);
  }

  @Test
  void whatIsNoJobIs404() {
    for (String id : List.of("0190b5a4-0000-7000-8000-000000000000", "no-uuid", "1-1-1-1-1")) {
      assertThat(server.get(JOBS + "/" + id).status()).isEqualTo(404);
      assertThat(server.post(JOBS + "/" + id + "/cancel", "{}").status()).isEqualTo(404);
    }
  }

  @Test
  void aWaitingJobIsCancelledAtOnceAndAgainWithoutHarm() {
    String jobId = Jobs.submit(server, "");

    for (int i = 0; i < 2; i++) {
      Answer answer = server.post(JOBS + "/" + jobId + "/cancel", "{\"reason\":\"why not\"}");
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.get("status")).isEqualTo("canceled");
    }
  }

  @Test
  void cancelNeedsNoBody() {
    String jobId = Jobs.submit(server, "");

    assertThat(server.post(JOBS + "/" + jobId + "/cancel", "").get("status")).isEqualTo("canceled");
  }

  @Test
  void aRunningJobIsAskedToStop() {
    String jobId = Jobs.submit(server, "");
    Jobs.lease(server, "w1");

    Answer answer = server.post(JOBS + "/" + jobId + "/cancel", "{\"reason\":\"late\"}");

    assertThat(answer.status()).isEqualTo(202);
    assertThat(answer.json())
        .contains(
            entry("status", "running"),
            entry("cancel_requested", true),
            entry("cancel_reason", "late"));
  }

  @Test
  void aFinishedJobStaysAsItIsWhenCancelled() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    server.post("/internal/worker/complete", lease.with(""));

    Answer answer = server.post(JOBS + "/" + lease.jobId() + "/cancel", "{}");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.get("status")).isEqualTo("done");
  }
}
