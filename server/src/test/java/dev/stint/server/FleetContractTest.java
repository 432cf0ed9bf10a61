package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.Json;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fleet contract over HTTP, to the field. */
class FleetContractTest {
  private static final String[] TOKEN = {"X-API-Token", "dev-token"};
  private static final String ARTIFACTS =
      ",\"artifact_id\":\"a1\",\"stdout_path\":\"/l/o\",\"stdout_tmp_path\":\"/l/o.tmp\","
          + "\"stderr_path\":\"/l/e\",\"stderr_tmp_path\":\"/l/e.tmp\"";

  @TempDir private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init") // set before each test
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder, s -> s.withFleet(new Settings.Fleet(2, 1, 1)));
  }

  @Test
  void aSubmittedJobIsPendingAndShownWithEveryField() {
    Answer submitted =
        post(
            "/jobs",
            """
            {"command":"sleep","args":["2",""],"working_dir":"/tmp","timeout_ms":5000,
             "priority":10,"needs_gpu":true,"requirements":["ssd"],"max_attempts":5}
            """);
    assertThat(submitted.status()).isEqualTo(201);
    assertThat(submitted.json()).containsOnlyKeys("job_id", "status");
    assertThat(submitted.get("status")).isEqualTo("PENDING");

    Answer job = get("/jobs/" + submitted.text("job_id"));

    assertThat(job.json())
        .contains(
            entry("job_id", submitted.text("job_id")),
            entry("status", "PENDING"),
            entry("command", "sleep"),
            entry("args", List.of("2", "")),
            entry("working_dir", "/tmp"),
            entry("timeout_ms", 5000L),
            entry("priority", 10L),
            entry("scheduled_at", 0L),
            entry("needs_gpu", true),
            entry("requirements", List.of("gpu", "ssd")),
            entry("attempt_count", 0L),
            entry("max_attempts", 5L),
            entry("queue", "commands"))
        .containsKeys(
            "created_at",
            "updated_at",
            "worker_id",
            "assignment_id",
            "assignment_expires_at",
            "last_error",
            "result_path",
            "artifact_id",
            "artifact_stdout_tmp_path",
            "artifact_stdout_path",
            "artifact_stdout_sha256",
            "artifact_stderr_tmp_path",
            "artifact_stderr_path",
            "artifact_stderr_sha256",
            "updated_by",
            "heartbeat_age_seconds");
  }

  @Test
  void aJobIsAssignedAcknowledgedAndCompletedWithItsArtifacts() {
    String id = submit("{\"command\":\"true\"}");
    register("w1");

    Answer next = get("/next-job?worker_id=w1");
    assertThat(next.status()).isEqualTo(200);
    assertThat(next.json())
        .contains(
            entry("job_id", id),
            entry("command", "true"),
            entry("args", List.of()),
            entry("status", "ASSIGNED"),
            entry("attempt", 1L),
            entry("fence", 1L))
        .containsKeys("assignment_id", "assignment_expires_at");
    assertThat(status(id)).isEqualTo("ASSIGNED");
    assertThat(get("/jobs/" + id).json()).containsEntry("fence", 1L);
    assertThat(get("/next-job?worker_id=w1").status()).isEqualTo(204);
    String assignment = next.text("assignment_id");

    Answer ack = post("/ack", report(id, "w1", assignment, ""));
    assertThat(ack.json()).contains(entry("ok", true), entry("status", "RUNNING"));
    assertThat(post("/ack", report(id, "w1", assignment, "")).status()).isEqualTo(200);

    String completion =
        report(
            id,
            "w1",
            assignment,
            ARTIFACTS + ",\"stdout_sha256\":\"ab\",\"exit_code\":0,\"completion_seq\":3");
    Answer done = post("/complete", completion);
    assertThat(done.json())
        .contains(entry("ok", true), entry("applied", true), entry("status", "COMPLETED"));
    assertThat(get("/jobs/" + id).json()).containsEntry("fence", 1L);
    Answer again = post("/complete", completion);
    assertThat(again.status()).isEqualTo(200);
    assertThat(again.get("applied")).isEqualTo(false);

    assertThat(get("/jobs/" + id).json())
        .contains(
            entry("status", "COMPLETED"),
            entry("worker_id", "w1"),
            entry("updated_by", "w1"),
            entry("artifact_id", "a1"),
            entry("artifact_stdout_path", "/l/o"),
            entry("artifact_stdout_tmp_path", "/l/o.tmp"),
            entry("artifact_stdout_sha256", "ab"),
            entry("exit_code", 0L));
  }

  @Test
  void aCompletionWithoutItsArtifactsChangesNothing() {
    String id = submit("{\"command\":\"true\"}");
    String assignment = take("w1", id);
    for (String artifacts :
        List.of(
            "",
            ARTIFACTS.replace("\"artifact_id\":\"a1\",", ""),
            ARTIFACTS.replace("/l/o.tmp", "/l/o.temp"),
            ARTIFACTS.replace(",\"stderr_tmp_path\":\"/l/e.tmp\"", ""))) {
      assertThat(post("/complete", report(id, "w1", assignment, artifacts)).status())
          .as(artifacts)
          .isEqualTo(400);
    }
    assertThat(status(id)).isEqualTo("RUNNING");
  }

  @Test
  void aWrongAssignmentIsRefusedWhileTheJobLivesAndHarmlessAfter() {
    String id = submit("{\"command\":\"true\"}");
    String assignment = take("w1", id);
    String wrong = "0190b5a4-0000-7000-8000-000000000000";

    for (String path : List.of("/ack", "/complete", "/fail", "/release")) {
      Answer answer = post(path, report(id, "w1", wrong, ARTIFACTS));
      assertThat(answer.status()).as(path).isEqualTo(409);
      assertThat(answer.get("error")).isEqualTo("assignment_mismatch");
    }
    assertThat(post("/complete", report(id, "w2", assignment, ARTIFACTS)).status()).isEqualTo(409);
    post("/complete", report(id, "w1", assignment, ARTIFACTS));
    assertThat(post("/fail", report(id, "w1", wrong, "")).get("applied")).isEqualTo(false);
    assertThat(status(id)).isEqualTo("COMPLETED");
  }

  @Test
  void aFailureIsFinalUnlessItSaysOtherwise() {
    String id = submit("{\"command\":\"false\"}");
    String assignment = take("w1", id);
    Answer retry =
        post("/fail", report(id, "w1", assignment, ",\"error\":\"try\",\"retryable\":true"));
    assertThat(retry.json()).contains(entry("applied", true), entry("status", "RETRYING"));
    assertThat(get("/jobs/" + id).get("last_error")).isEqualTo("try");

    String second = submit("{\"command\":\"false\",\"priority\":5}");
    String hers = take("w1", second);
    Answer failed =
        post("/fail", report(second, "w1", hers, ",\"error\":\"exit 3\\nmore\",\"exit_code\":3"));
    assertThat(failed.get("status")).isEqualTo("FAILED");
    assertThat(get("/jobs/" + second).json())
        .contains(entry("last_error", "exit 3\nmore"), entry("exit_code", 3L));
  }

  @Test
  void aJobThatIsGivenBackUsesUpNoAttempt() {
    String id = submit("{\"command\":\"true\",\"max_attempts\":1}");
    String assignment = take("w1", id);
    assertThat(post("/release", report(id, "w1", assignment, "")).get("status"))
        .isEqualTo("PENDING");
    take("w2", id);
    assertThat(get("/jobs/" + id).get("attempt_count")).isEqualTo(1L);
  }

  @Test
  void onlyAWorkerWithAllRequirementsGetsAJobAndHigherPriorityGoesFirst() {
    String gpu = submit("{\"command\":\"a\",\"needs_gpu\":true,\"priority\":9}");
    String low = submit("{\"command\":\"b\",\"priority\":1}");
    String high = submit("{\"command\":\"c\",\"priority\":5}");
    String later =
        submit("{\"command\":\"d\",\"priority\":99,\"scheduled_at\":%d}".formatted(inAnHour()));

    register("cpu");
    assertThat(get("/next-job?worker_id=cpu").get("job_id")).isEqualTo(high);
    assertThat(get("/next-job?worker_id=cpu").get("job_id")).isEqualTo(low);
    assertThat(get("/next-job?worker_id=cpu").status()).isEqualTo(204);
    post("/register", "{\"worker_id\":\"gpu\",\"worker_capabilities\":[\"gpu\",\"ssd\"]}");
    assertThat(get("/next-job?worker_id=gpu").get("job_id")).isEqualTo(gpu);
    assertThat(get("/next-job?worker_id=gpu").status()).isEqualTo(204);
    assertThat(status(later)).isEqualTo("PENDING");
  }

  @Test
  void aFleetWorkerGetsNoJobThatIsNoCommandAndAnyWorkerGetsTheCommand() {
    server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"a\":1},\"queue\":\"commands\"}");
    register("w1");
    assertThat(get("/next-job?worker_id=w1").status()).isEqualTo(204);
    Answer asCommand =
        server.post(
            "/v1/jobs",
            "{\"task\":\"tool\",\"payload\":{\"command\":\"ls\"},\"queue\":\"commands\"}");
    assertThat(get("/next-job?worker_id=w1").get("job_id")).isEqualTo(asCommand.get("job_id"));

    submit("{\"command\":\"ls\",\"args\":[\"-l\"],\"queue\":\"mixed\"}");
    Answer leased =
        server.post("/internal/worker/claim", "{\"worker_id\":\"l\",\"streams\":[\"mixed\"]}");
    assertThat((Map<?, ?>) Objects.requireNonNull(leased.get("payload")))
        .isEqualTo(
            json("{\"command\":\"ls\",\"args\":[\"-l\"],\"working_dir\":null,\"timeout_ms\":0}"));
  }

  @Test
  void aPollMayWaitForAJob() throws Exception {
    register("w1");
    CompletableFuture<Answer> waiting =
        CompletableFuture.supplyAsync(() -> get("/next-job?worker_id=w1&wait_ms=20000"));
    Thread.sleep(200);
    String id = submit("{\"command\":\"true\"}");
    assertThat(waiting.get().get("job_id")).isEqualTo(id);
  }

  @Test
  void aLostAnswerLosesNoJob() {
    String id = submit("{\"command\":\"true\"}");
    register("w1");
    Answer first = get("/next-job?worker_id=w1&claim_id=c1");
    Answer second = get("/next-job?worker_id=w1&claim_id=c1");
    assertThat(second.get("job_id")).isEqualTo(id);
    assertThat(second.get("assignment_id")).isEqualTo(first.get("assignment_id"));
  }

  @Test
  void anAssignmentThatNobodyAcknowledgesGoesBackAndCountsNothing() throws InterruptedException {
    String id = submit("{\"command\":\"true\"}");
    register("w1");
    get("/next-job?worker_id=w1");
    Waits.until(() -> status(id).equals("PENDING"));
    assertThat(get("/jobs/" + id).get("attempt_count")).isEqualTo(0L);
    assertThat(events("/events?job_id=" + id)).contains("assignment_expired");
    Answer again = get("/next-job?worker_id=w1");
    assertThat(again.json()).contains(entry("attempt", 1L), entry("fence", 2L));
  }

  @Test
  void aSilentWorkerGoesOfflineAndItsJobGoesOnToAnother() throws InterruptedException {
    String id = submit("{\"command\":\"true\"}");
    take("w1", id);
    Waits.until(() -> status(id).equals("PENDING"));
    assertThat(events("/events?job_id=" + id))
        .containsExactly("requeued", "recovered", "lost", "started", "assigned", "submitted");
    Waits.until(() -> "OFFLINE".equals(worker("w1").get("status")));
    assertThat(events("/events?worker_id=w1&event=worker_offline")).hasSize(1);
    String second = take("w2", id);
    post("/complete", report(id, "w2", second, ARTIFACTS));
    assertThat(status(id)).isEqualTo("COMPLETED");
    assertThat(get("/jobs/" + id).get("attempt_count")).isEqualTo(2L);
  }

  @Test
  void aHeartbeatKeepsTheJobAndItsMetricsAndAStaleOneIsIgnored() throws InterruptedException {
    String id = submit("{\"command\":\"true\"}");
    take("w1", id);
    for (int seq = 1; seq <= 8; seq++) {
      Answer beat =
          post(
              "/heartbeat",
              """
              {"worker_id":"w1","seq":%d,"current_job_id":"%s","metrics":{"cpu":%d}}
              """
                  .formatted(seq, id, seq));
      assertThat(beat.json()).contains(entry("ok", true), entry("applied", true));
      assertThat((Map<?, ?>) Objects.requireNonNull(beat.get("current_job")))
          .isEqualTo(json("{\"job_id\":\"" + id + "\",\"action\":\"continue\"}"));
      Thread.sleep(400);
    }
    assertThat(status(id)).isEqualTo("RUNNING");
    assertThat(worker("w1"))
        .contains(
            entry("status", "ONLINE"),
            entry("current_job_id", id),
            entry("heartbeat_metrics", Map.of("cpu", 8L)));
    Answer stale = post("/heartbeat", "{\"worker_id\":\"w1\",\"seq\":8,\"metrics\":{\"cpu\":99}}");
    assertThat(stale.get("applied")).isEqualTo(false);
    assertThat(worker("w1").get("heartbeat_metrics")).isEqualTo(Map.of("cpu", 8L));
    assertThat(post("/heartbeat", "{\"worker_id\":\"nobody\",\"seq\":1}").status()).isEqualTo(404);
  }

  @Test
  void aWorkerIsToldToStopWhatWasCancelledAndToDropWhatItLost() {
    String id = submit("{\"command\":\"true\"}");
    String assignment = take("w1", id);
    assertThat(server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}").status())
        .isEqualTo(202);
    Answer beat = post("/heartbeat", "{\"worker_id\":\"w1\",\"current_job_ids\":[\"" + id + "\"]}");
    assertThat((List<?>) Objects.requireNonNull(beat.get("jobs")))
        .isEqualTo(
            List.of(
                json(
                    "{\"job_id\":\"%s\",\"action\":\"continue\",\"cancel\":true,\"cancel_reason\":\"enough\"}"
                        .formatted(id))));
    assertThat(post("/fail", report(id, "w1", assignment, "")).get("status")).isEqualTo("ABORTED");
    Answer after =
        post("/heartbeat", "{\"worker_id\":\"w1\",\"current_job_ids\":[\"" + id + "\"]}");
    assertThat(after.body()).contains("\"action\":\"abandon\"");
  }

  @Test
  void aWorkerIsToldWhatToStopAlsoIfItsHeartbeatDoesNotNameIt() {
    String id = submit("{\"command\":\"true\"}");
    take("w1", id);
    String beat = "{\"worker_id\":\"w1\"}";
    assertThat(post("/heartbeat", beat).get("jobs")).isEqualTo(List.of());
    server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}");
    Object told =
        json(
            "{\"job_id\":\"%s\",\"action\":\"continue\",\"cancel\":true,\"cancel_reason\":\"enough\"}"
                .formatted(id));
    Answer answer = post("/heartbeat", beat);
    assertThat(answer.get("jobs")).isEqualTo(List.of(Objects.requireNonNull(told)));
    assertThat(answer.get("current_job")).isEqualTo(told);
  }

  @Test
  void aRetryWaitsForNothingAndAReportOfAJobThatHasEndedChangesNothing() {
    String id = submit("{\"command\":\"true\",\"max_attempts\":6}");
    String boom = ",\"retryable\":true,\"error\":\"boom\"";
    String first = "";
    for (int i = 0; i < 4; i++) {
      String assignment = take("w1", id);
      first = first.isEmpty() ? assignment : first;
      Answer failed = post("/fail", report(id, "w1", assignment, boom));
      assertThat(failed.json()).contains(entry("applied", true), entry("status", "RETRYING"));
      Answer again = post("/fail", report(id, "w1", assignment, boom));
      assertThat(again.json()).contains(entry("applied", true), entry("status", "RETRYING"));
    }
    post("/complete", report(id, "w1", take("w1", id), ARTIFACTS));
    assertThat(post("/fail", report(id, "w1", first, boom)).json())
        .contains(entry("applied", false), entry("status", "COMPLETED"));
  }

  @Test
  void aRepeatedClaimTellsOfACancelToo() {
    String id = submit("{\"command\":\"true\"}");
    register("w1");
    String claim = "/next-job?worker_id=w1&claim_id=c1";
    Answer first = get(claim);
    assertThat(first.json()).doesNotContainKeys("cancel", "cancel_reason");
    post("/ack", report(id, "w1", first.text("assignment_id"), ""));
    server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}");
    assertThat(get(claim).json())
        .contains(entry("job_id", id), entry("cancel", true), entry("cancel_reason", "enough"));
  }

  @Test
  void abortTakesAJobAWorkerOrBoth() {
    String waiting = submit("{\"command\":\"a\"}");
    Answer aborted = post("/abort", "{\"job_id\":\"" + waiting + "\",\"reason\":\"no more\"}");
    assertThat(aborted.json()).isEqualTo(json("{\"ok\":true,\"aborted\":[\"" + waiting + "\"]}"));
    assertThat(get("/jobs/" + waiting).json())
        .contains(entry("status", "ABORTED"), entry("last_error", "no more"));
    assertThat(post("/abort", "{\"job_id\":\"" + waiting + "\"}").status()).isEqualTo(409);

    String held = submit("{\"command\":\"b\"}");
    String assignment = take("w1", held);
    String both = "{\"job_id\":\"" + held + "\",\"worker_id\":\"%s\"}";
    assertThat(post("/abort", both.formatted("w2")).get("error")).isEqualTo("not_held");
    assertThat(post("/abort", "{\"worker_id\":\"w1\"}").get("aborted")).isEqualTo(List.of(held));
    assertThat(get("/jobs/" + held).json())
        .contains(entry("worker_id", null), entry("assignment_id", null));
    assertThat(worker("w1").get("current_job_id")).isNull();
    // Its worker reports all the same: nothing changes, and what it said is kept.
    assertThat(post("/complete", report(held, "w1", assignment, ARTIFACTS)).get("applied"))
        .isEqualTo(false);
    assertThat(events("/events?job_id=" + held + "&event=late_result")).hasSize(1);
    assertThat(post("/abort", "{}").status()).isEqualTo(400);
    assertThat(post("/abort", "{\"job_id\":\"nope\"}").status()).isEqualTo(404);
    assertThat(post("/abort", "{\"worker_id\":\"nobody\"}").get("error"))
        .isEqualTo("unknown_worker");
    assertThat(post("/abort", "{\"worker_id\":\"w1\"}").get("aborted")).isEqualTo(List.of());
  }

  @Test
  void anotherNonceIsNotLetIn() {
    assertThat(post("/register", "{\"worker_id\":\"w\",\"nonce\":\"n1\"}").status()).isEqualTo(200);
    Answer other = post("/register", "{\"worker_id\":\"w\",\"nonce\":\"n2\"}");
    assertThat(other.status()).isEqualTo(403);
    assertThat(other.get("error")).isEqualTo("nonce_mismatch");
    assertThat(post("/register", "{\"worker_id\":\"w\"}").status()).isEqualTo(403);
    assertThat(post("/register", "{\"worker_id\":\"w\",\"nonce\":\"n1\"}").status()).isEqualTo(200);
    assertThat(events("/events?worker_id=w&event=worker_refused")).hasSize(2);
  }

  @Test
  void anEmptyStringIsAsAFieldThatIsNotThere() {
    assertThat(post("/register", "{\"worker_id\":\"w1\",\"nonce\":\"\"}").status()).isEqualTo(200);
    String failing = submit("{\"command\":\"a\"}");
    String its = take("w1", failing);
    String empty = ",\"stdout_path\":\"\",\"stdout_tmp_path\":\"\",\"stdout_sha256\":\"\"";
    assertThat(post("/fail", report(failing, "w1", its, empty)).status()).isEqualTo(200);

    String job = submit("{\"command\":\"b\"}");
    String assignment = take("w1", job);
    String nowhere =
        """
        ,"artifact_id":"a","stdout_path":"","stdout_tmp_path":".tmp","stderr_path":"e","stderr_tmp_path":"e.tmp"
        """;
    assertThat(post("/complete", report(job, "w1", assignment, nowhere)).status()).isEqualTo(400);
    String abort = "{\"job_id\":\"%s\",\"worker_id\":\"\",\"reason\":\"\"}";
    assertThat(post("/abort", abort.formatted(job)).status()).isEqualTo(200);
    assertThat(post("/abort", abort.formatted("")).status()).isEqualTo(400);
    String plain = submit("{\"command\":\"ls\",\"queue\":\"\",\"working_dir\":\"\"}");
    assertThat(get("/jobs/" + plain).json())
        .contains(entry("queue", "commands"), entry("working_dir", null));
  }

  @Test
  void aCommandWithItsArgumentsHasAtMost200KbAsAnyPayload() {
    String arg = "\"" + "x".repeat(100 * 1024) + "\"";
    String job = "{\"command\":\"echo\",\"args\":[%s]}";
    assertThat(post("/jobs", job.formatted(arg)).status()).isEqualTo(201);
    Answer tooMuch = post("/jobs", job.formatted(arg + "," + arg));
    assertThat(tooMuch.status()).isEqualTo(413);
    assertThat(tooMuch.text("message")).contains("`args`", "200 KB");
  }

  @Test
  void aHeartbeatWithoutANumberOrWithZeroAlwaysCounts() {
    register("w1");
    String zero = "{\"worker_id\":\"w1\",\"seq\":0}";
    assertThat(post("/heartbeat", zero).get("applied")).isEqualTo(true);
    assertThat(post("/heartbeat", "{\"worker_id\":\"w1\",\"seq\":7}").get("applied"))
        .isEqualTo(true);
    assertThat(post("/heartbeat", zero).get("applied")).isEqualTo(true);
    assertThat(post("/heartbeat", "{\"worker_id\":\"w1\",\"seq\":7}").get("applied"))
        .isEqualTo(false);
  }

  @Test
  void whyAJobWasAbortedIsShownAlsoIfItHadFailedBefore() {
    String id = submit("{\"command\":\"a\"}");
    String assignment = take("w1", id);
    String boom = ",\"error\":\"boom\",\"retryable\":true";
    assertThat(post("/fail", report(id, "w1", assignment, boom)).status()).isEqualTo(200);
    assertThat(get("/jobs/" + id).get("last_error")).isEqualTo("boom");

    post("/abort", "{\"job_id\":\"" + id + "\",\"reason\":\"no more\"}");

    assertThat(get("/jobs/" + id).json())
        .contains(entry("status", "ABORTED"), entry("last_error", "no more"));
  }

  @Test
  void aLongErrorIsKeptInPart() {
    String id = submit("{\"command\":\"a\"}");
    String assignment = take("w1", id);
    String tooLong = ",\"error\":\"\\u0000" + "x".repeat(200_000) + "\"";
    assertThat(post("/fail", report(id, "w1", assignment, tooLong)).status()).isEqualTo(200);
    assertThat(get("/jobs/" + id).text("last_error")).isEqualTo("x".repeat(65_536) + "…");
  }

  @Test
  void aWorkerThatComesBackReplaysWhatItDidAndLearnsWhatItStillHas() {
    String done = submit("{\"command\":\"a\"}");
    String hers = take("w1", done);
    String failed = submit("{\"command\":\"b\"}");
    String its = take("w1", failed);
    String running = submit("{\"command\":\"c\"}");
    take("w1", running);
    String gone = submit("{\"command\":\"d\"}");
    take("w1", gone);
    String body =
        """
        {"worker_id":"w1","current_job_id":"%s","current_job_ids":["%s","elsewhere"],
         "completed_jobs":[
          {"job_id":"%s","assignment_id":"%s","status":"COMPLETED"%s},
          {"job_id":"%s","assignment_id":"%s","status":"FAILED","error":"no"},
          {"job_id":"%s","assignment_id":"%s","status":"COMPLETED"},
          {"job_id":"nope","assignment_id":"x","status":"FAILED"},
          {"assignment_id":"x","status":"FAILED"}]}
        """
            .formatted(running, running, done, hers, ARTIFACTS, failed, its, gone, its);

    Answer back = post("/reconnect", body);

    assertThat(back.status()).isEqualTo(200);
    assertThat(back.get("current_job"))
        .isEqualTo(json("{\"job_id\":\"" + running + "\",\"action\":\"continue\"}"));
    assertThat((List<?>) Objects.requireNonNull(back.get("current_jobs"))).hasSize(2);
    assertThat(actions(back))
        .containsExactly("accepted", "accepted", "rejected", "rejected", "rejected");
    assertThat(status(done)).isEqualTo("COMPLETED");
    assertThat(status(failed)).isEqualTo("FAILED");
    assertThat(status(running)).isEqualTo("RUNNING");
    assertThat(status(gone)).isIn("LOST", "RETRYING", "PENDING");
    assertThat(actions(post("/reconnect", body)))
        .containsExactly("duplicate", "duplicate", "rejected", "rejected", "rejected");
  }

  @Test
  void listsAreFilteredAndPaged() {
    for (int i = 0; i < 5; i++) {
      submit("{\"command\":\"a\"}");
    }
    String held = submit("{\"command\":\"b\",\"priority\":1}");
    take("w1", held);
    Answer first = get("/jobs?status=PENDING&limit=3");
    assertThat(ids(first)).hasSize(3).doesNotContain(held);
    Answer rest = get("/jobs?status=PENDING&limit=3&cursor=" + first.text("next_cursor"));
    assertThat(ids(rest)).hasSize(2).doesNotContainAnyElementsOf(ids(first));
    assertThat(rest.get("next_cursor")).isNull();
    assertThat(ids(get("/jobs?worker_id=w1"))).containsExactly(held);
    assertThat(ids(get("/jobs?worker_id=w1&status=COMPLETED"))).isEmpty();
    assertThat(events("/events?limit=2")).hasSize(2);
    assertThat(events("/events?component=reconciler")).isEmpty();
    assertThat(events("/events?component=api&event=submitted")).hasSize(6);
  }

  @Test
  void theRequestsNameStandsInTheEventsItCaused() {
    Answer submitted =
        server.post("/jobs", "{\"command\":\"a\"}", TOKEN[0], TOKEN[1], "X-Request-Id", "req-4711");
    assertThat(submitted.header("X-Request-Id")).contains("req-4711");
    Map<String, @Nullable Object> event =
        objects(get("/events?job_id=" + submitted.text("job_id")), "events").getFirst();
    assertThat(event)
        .contains(
            entry("request_id", "req-4711"),
            entry("event", "submitted"),
            entry("component", "api"),
            entry("level", "info"),
            entry("job_id", submitted.text("job_id")))
        .containsKeys("id", "ts", "worker_id", "details");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/jobs?status=NOPE",
        "/jobs?limit=0",
        "/jobs?limit=x",
        "/jobs?cursor=x",
        "/events?event=nope",
        "/events?component=nope",
        "/events?limit=1001",
        "/events?cursor=-1",
        "/next-job",
        "/next-job?worker_id=",
        "/next-job?worker_id=w&wait_ms=-1",
        "/next-job?worker_id=%00"
      })
  void nonsenseInAQueryIsNamed(String path) {
    Answer answer = get(path);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.text("message")).startsWith("`");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"command\":\"\"}",
        "{\"command\":\" \"}",
        "{\"command\":1}",
        "{\"command\":\"a\\u0000\"}",
        "{\"command\":\"a\",\"args\":\"b\"}",
        "{\"command\":\"a\",\"args\":[1]}",
        "{\"command\":\"a\",\"args\":[{}]}",
        "{\"command\":\"a\",\"timeout_ms\":-1}",
        "{\"command\":\"a\",\"scheduled_at\":\"soon\"}",
        "{\"command\":\"a\",\"needs_gpu\":\"yes\"}",
        "{\"command\":\"a\",\"max_attempts\":0}",
        "{\"command\":\"a\",\"requirements\":[\"\"]}"
      })
  void nonsenseInASubmissionIsRefused(String body) {
    assertThat(post("/jobs", body).status()).isEqualTo(400);
    assertThat(ids(get("/jobs"))).isEmpty();
  }

  private String submit(String body) {
    return post("/jobs", body).text("job_id");
  }

  private void register(String worker) {
    assertThat(post("/register", "{\"worker_id\":\"" + worker + "\"}").status()).isEqualTo(200);
  }

  /** Lets a worker register, take the job that is next, and acknowledge it. */
  private String take(String worker, String expected) {
    register(worker);
    // A fifth attempt would come after four seconds or more if there were a wait that doubles.
    Answer next = get("/next-job?wait_ms=3000&worker_id=" + worker);
    assertThat(next.get("job_id")).isEqualTo(expected);
    String assignment = next.text("assignment_id");
    assertThat(post("/ack", report(expected, worker, assignment, "")).status()).isEqualTo(200);
    return assignment;
  }

  private static String report(String job, String worker, String assignment, String more) {
    return "{\"job_id\":\"%s\",\"worker_id\":\"%s\",\"assignment_id\":\"%s\"%s}"
        .formatted(job, worker, assignment, more);
  }

  private String status(String job) {
    return get("/jobs/" + job).text("status");
  }

  private Map<String, @Nullable Object> worker(String id) {
    return objects(get("/workers"), "workers").stream()
        .filter(worker -> id.equals(worker.get("worker_id")))
        .findFirst()
        .orElseThrow();
  }

  private List<String> events(String path) {
    return objects(get(path), "events").stream()
        .map(event -> String.valueOf(event.get("event")))
        .toList();
  }

  private static List<String> ids(Answer answer) {
    return objects(answer, "jobs").stream().map(job -> String.valueOf(job.get("job_id"))).toList();
  }

  private static List<String> actions(Answer answer) {
    return objects(answer, "actions").stream().map(a -> String.valueOf(a.get("action"))).toList();
  }

  @SuppressWarnings("unchecked") // objects are maps with strings for names
  private static List<Map<String, @Nullable Object>> objects(Answer answer, String name) {
    return (List<Map<String, @Nullable Object>>) Objects.requireNonNull(answer.get(name), name);
  }

  private static @Nullable Object json(String text) {
    return Json.read(text);
  }

  private static long inAnHour() {
    return System.currentTimeMillis() / 1_000 + Duration.ofHours(1).toSeconds();
  }

  private Answer get(String path) {
    return server.get(path, TOKEN);
  }

  private Answer post(String path, String body) {
    return server.post(path, body, TOKEN);
  }
}
