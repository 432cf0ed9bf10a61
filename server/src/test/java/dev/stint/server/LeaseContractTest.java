package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseContractTest {
  private static final String CLAIM = "/internal/worker/claim";
  private static final String HEARTBEAT = "/internal/worker/heartbeat";
  private static final String COMPLETE = "/internal/worker/complete";
  private static final String FAIL = "/internal/worker/fail";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  /** Each test leaves the queue empty for the next. */
  @AfterEach
  void nothingIsLeft() {
    while (Boolean.TRUE.equals(Jobs.claim(server, "cleaner").get("claimed"))) {
      // the next one
    }
  }

  @Test
  void aClaimIsAnsweredFlatWithAllThatAWorkerNeeds() {
    String jobId = Jobs.submit(server, "");

    Answer answer = Jobs.claim(server, "w1");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json())
        .contains(
            entry("claimed", true),
            entry("job_id", jobId),
            entry("stream", Jobs.QUEUE),
            entry("message_id", jobId + ":1"),
            entry("attempt", 1L),
            entry("fence", 1L),
            entry("lease_ttl_seconds", 60L),
            entry("heartbeat_interval_seconds", 20L),
            entry("task", "chat"))
        .containsKeys("attempt_id", "lease_token")
        .doesNotContainKeys("cancel", "cancel_reason");
  }

  @Test
  void aPayloadPassesThroughByteForByte() {
    String payload =
        "{ \"b\" : 1.50,\n\"a\":[ 1e3,\"\\u00e9é𝄞\" ], \"big\":12345678901234567890123 }";
    server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":" + payload + "}");

    assertThat(Jobs.claim(server, "w1").body()).contains("\"payload\":" + payload + ",");
  }

  @Test
  void aClaimThatFindsNothingSaysSo() {
    Answer answer = Jobs.claim(server, "w1");

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("{\"claimed\":false}");
  }

  @Test
  void ofAnErrorThatIsTooLongTheBeginIsKept() {
    String jobId = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");

    Answer failed =
        server.post(
            FAIL,
            lease.with(
                ",\"stream\":\"s\",\"message_id\":\"m\",\"error\":{\"code\":\"E\",\"message\":\"%s\",\"stack\":\"%s\",\"more\":[]}"
                    .formatted("m".repeat(100_000), "s".repeat(200_000))));

    assertThat(failed.status()).as(failed.body()).isEqualTo(200);
    String job = server.get("/v1/jobs/" + jobId).body();
    assertThat(job).contains("\"code\":\"E\"").contains("mmm…").contains("sss…");
    assertThat(job.length()).isLessThan(64 * 1024);
  }

  @Test
  void theFirstStreamWithAJobWins() {
    Jobs.submit(server, ",\"queue\":\"second\"");
    Jobs.submit(server, ",\"queue\":\"third\"");

    Answer answer =
        server.post(CLAIM, "{\"worker_id\":\"w1\",\"streams\":[\"first\",\"second\",\"third\"]}");

    assertThat(answer.get("stream")).isEqualTo("second");
  }

  @Test
  void aJobWithRequirementsGoesOnlyToAWorkerThatHasThem() {
    String jobId = Jobs.submit(server, ",\"queue\":\"gpus\",\"requirements\":[\"gpu\"]");
    String without = "{\"worker_id\":\"w1\",\"streams\":[\"gpus\"]%s}";

    assertThat(server.post(CLAIM, without.formatted("")).get("claimed")).isEqualTo(false);
    assertThat(
            server
                .post(CLAIM, without.formatted(",\"capabilities\":[\"ssd\",\"gpu\"]"))
                .get("job_id"))
        .isEqualTo(jobId);
  }

  @Test
  void theSameClaimIdGivesTheSameLeaseAgain() {
    Jobs.submit(server, "");
    Jobs.submit(server, "");
    String claim = "{\"worker_id\":\"w1\",\"streams\":[\"jobs:stream\"],\"claim_id\":\"c-7\"}";

    Answer first = server.post(CLAIM, claim);
    Answer again = server.post(CLAIM, claim);

    assertThat(again.json()).isEqualTo(first.json());
  }

  @Test
  void aParkedClaimIsAnsweredAsSoonAsAJobComes() throws Exception {
    CompletableFuture<Answer> parked =
        server.postLater(
            CLAIM, "{\"worker_id\":\"w1\",\"streams\":[\"later\"],\"max_wait_ms\":20000}");
    Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));

    String jobId = Jobs.submit(server, ",\"queue\":\"later\"");

    assertThat(parked.get(5, TimeUnit.SECONDS).get("job_id")).isEqualTo(jobId);
  }

  @Test
  void aParkedClaimWaitsNoLongerThanItAskedFor() {
    long begin = System.nanoTime();

    Answer answer =
        server.post(CLAIM, "{\"worker_id\":\"w1\",\"streams\":[\"none\"],\"max_wait_ms\":150}");

    assertThat(answer.get("claimed")).isEqualTo(false);
    assertThat(Duration.ofNanos(System.nanoTime() - begin))
        .isBetween(Duration.ofMillis(149), Duration.ofSeconds(5));
  }

  @Test
  void aHeartbeatExtendsTheLeaseAndTellsUntilWhen() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");

    Answer answer = server.post(HEARTBEAT, lease.with(",\"progress\":40,\"message\":\"half\""));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.json()).containsOnlyKeys("ok", "lease_expires_at").containsEntry("ok", true);
    assertThat(Instant.parse(answer.text("lease_expires_at")))
        .isBetween(Instant.now().plusSeconds(50), Instant.now().plusSeconds(61));
    assertThat(server.get("/v1/jobs/" + lease.jobId()).json())
        .contains(entry("progress", 40L), entry("message", "half"), entry("worker_id", "w1"));
  }

  @Test
  void aHeartbeatNeedsNoAttemptIdButNotAWrongOne() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    String without =
        "{\"worker_id\":\"w1\",\"job_id\":\"%s\",\"lease_token\":\"%s\"}"
            .formatted(lease.jobId(), lease.token());

    assertThat(server.post(HEARTBEAT, without).status()).isEqualTo(200);
    for (Jobs.Lease wrong : wrongLeases(lease)) {
      Answer answer = server.post(HEARTBEAT, wrong.with(""));
      assertThat(answer.status()).isEqualTo(409);
      assertThat(answer.body())
          .isEqualTo("{\"ok\":false,\"lease_expires_at\":null,\"error\":\"lease_lost\"}");
    }
  }

  private static List<Jobs.Lease> wrongLeases(Jobs.Lease lease) {
    return List.of(
        new Jobs.Lease("w2", lease.jobId(), lease.attemptId(), lease.token()),
        new Jobs.Lease("w1", lease.jobId(), lease.jobId(), lease.token()),
        new Jobs.Lease("w1", lease.jobId(), "no-uuid", lease.token()),
        new Jobs.Lease("w1", lease.jobId(), lease.attemptId(), "guess"));
  }

  @Test
  void aHeartbeatForAnUnknownJobIs404() {
    for (String id : List.of("0190b5a4-0000-7000-8000-000000000000", "no-uuid")) {
      Answer answer = server.post(HEARTBEAT, new Jobs.Lease("w1", id, id, "t").with(""));
      assertThat(answer.status()).isEqualTo(404);
      assertThat(answer.json())
          .contains(
              entry("ok", false), entry("lease_expires_at", null), entry("error", "unknown_job"));
    }
  }

  @Test
  void completeIsAcknowledgedAndRepeatedAlike() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    String report =
        lease.with(
            ",\"stream\":\"jobs:stream\",\"message_id\":\"m\",\"result\":{\"answer\": 42.0}");

    for (int i = 0; i < 2; i++) {
      Answer answer = server.post(COMPLETE, report);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.body()).isEqualTo("{\"ok\":true,\"ack\":true}");
    }
    Answer job = server.get("/v1/jobs/" + lease.jobId());
    assertThat(job.get("status")).isEqualTo("done");
    assertThat(job.body()).contains("\"result\":{\"answer\": 42.0},\"error\":null");
  }

  @Test
  void aResultMayBeAnyJsonOrMissing() {
    for (String result : List.of("", ",\"result\":null", ",\"result\":7", ",\"result\":[\"a\"]")) {
      Jobs.submit(server, "");
      Jobs.Lease lease = Jobs.lease(server, "w1");
      assertThat(server.post(COMPLETE, lease.with(result)).status()).isEqualTo(200);
      assertThat(Jobs.status(server, lease.jobId())).isEqualTo("done");
    }
  }

  @Test
  void aReportThatIsNotOfTheCurrentAttemptIsRefusedAndChangesNothing() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");

    for (Jobs.Lease wrong : wrongLeases(lease)) {
      for (Answer answer :
          List.of(
              server.post(COMPLETE, wrong.with("")),
              server.post(FAIL, wrong.with(",\"error\":{\"code\":\"x\"}")))) {
        assertThat(answer.status()).isEqualTo(409);
        assertThat(answer.body()).isEqualTo("{\"ok\":false,\"ack\":true,\"error\":\"lease_lost\"}");
      }
    }
    assertThat(Jobs.status(server, lease.jobId())).isEqualTo("running");
  }

  @Test
  void aReportForAnUnknownJobIs404ButItsMessageMayGo() {
    for (String id : List.of("0190b5a4-0000-7000-8000-000000000000", "no-uuid")) {
      Jobs.Lease unknown = new Jobs.Lease("w1", id, "0190b5a4-0000-7000-8000-000000000001", "t");
      for (Answer answer :
          List.of(
              server.post(COMPLETE, unknown.with("")),
              server.post(FAIL, unknown.with(",\"error\":{}")))) {
        assertThat(answer.status()).isEqualTo(404);
        assertThat(answer.json())
            .contains(entry("ok", false), entry("ack", true), entry("error", "unknown_job"));
      }
    }
  }

  @Test
  void aRetryableFailureRequeuesAndIsRepeatedAlike() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    String report =
        lease.with(",\"error\":{\"code\":\"E1\",\"message\":\"no\",\"retryable\":true}");

    for (int i = 0; i < 2; i++) {
      assertThat(server.post(FAIL, report).body())
          .isEqualTo("{\"ok\":true,\"ack\":true,\"requeued\":true,\"dlq\":false}");
    }
    Answer job = server.get("/v1/jobs/" + lease.jobId());
    assertThat(job.json()).contains(entry("status", "queued"), entry("error", null));
    // Else it would come back in the middle of another test.
    server.post("/v1/jobs/" + lease.jobId() + "/cancel", "");
  }

  @Test
  void aFailureThatDoesNotSayRetryableIsFinal() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    String error = "{\"code\":\"E2\", \"message\":\"broken\",\"stack\":\"a\\n\\tb\"}";

    assertThat(server.post(FAIL, lease.with(",\"error\":" + error)).body())
        .isEqualTo("{\"ok\":true,\"ack\":true,\"requeued\":false,\"dlq\":true}");
    Answer job = server.get("/v1/jobs/" + lease.jobId());
    assertThat(job.json()).contains(entry("status", "error"), entry("reason", "E2"));
    assertThat(job.body()).contains("\"error\":" + error);
  }

  @Test
  void aRetryableFailureOfTheLastAttemptIsADeadLetter() {
    Jobs.submit(server, ",\"max_attempts\":1");
    Jobs.Lease lease = Jobs.lease(server, "w1");

    assertThat(server.post(FAIL, lease.with(",\"error\":{\"retryable\":true}")).json())
        .contains(entry("requeued", false), entry("dlq", true));
  }

  @Test
  void aCancelIsToldByHeartbeatAndTheFailureThenAborts() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    server.post("/v1/jobs/" + lease.jobId() + "/cancel", "{\"reason\":\"changed my mind\"}");

    assertThat(server.post(HEARTBEAT, lease.with("")).json())
        .contains(
            entry("ok", true), entry("cancel", true), entry("cancel_reason", "changed my mind"));
    assertThat(server.post(FAIL, lease.with(",\"error\":{\"code\":\"STOPPED\"}")).body())
        .isEqualTo("{\"ok\":true,\"ack\":true,\"requeued\":false,\"dlq\":false}");
    assertThat(Jobs.status(server, lease.jobId())).isEqualTo("canceled");
  }
}
