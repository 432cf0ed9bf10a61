package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many jobs and leases in one call: each fares as it would have fared alone. */
class ManyAtOnceTest {
  private static final String SUBMIT = "/v1/jobs/batch";
  private static final String CLAIM = "/v1/leases/claim";
  private static final String HEARTBEAT = "/v1/leases/heartbeat";
  private static final String SETTLE = "/v1/leases/settle";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  @Test
  void aThousandJobsAreSubmittedClaimedAndSettledInAFewCalls() {
    submit(1_000);

    Set<@Nullable Object> done = new HashSet<>();
    List<Map<String, @Nullable Object>> held = claim("w1", 100, "");
    while (!held.isEmpty()) {
      held.forEach(job -> assertThat(done.add(job.get("job_id"))).isTrue());
      Answer answer = settle("w1", held, "\"result\":{\"ok\":true}", wish(100, ""));
      assertThat(list(answer, "results"))
          .hasSize(held.size())
          .allSatisfy(result -> assertThat(result).containsEntry("status", 200L));
      held = list(answer, "jobs");
    }

    assertThat(done).hasSize(1_000);
    assertThat(done).allSatisfy(id -> assertThat(Jobs.status(server, id + "")).isEqualTo("done"));
  }

  @Test
  void aJobThatWasThereBeforeIsToldWithoutLongJson() {
    String job =
        "{\"jobs\":[{\"task\":\"chat\",\"payload\":{\"x\":\"%s\"},\"idempotency_key\":\"k\"}]}"
            .formatted("x".repeat(5_000));
    Answer first = server.post(SUBMIT, job);
    Answer again = server.post(SUBMIT, job);

    Map<String, @Nullable Object> known = body(list(again, "results").getFirst());
    assertThat(known)
        .containsEntry("job_id", body(list(first, "results").getFirst()).get("job_id"))
        .containsEntry("omitted", List.of("payload"));
    assertThat(again.body()).doesNotContain("xxx");
  }

  @Test
  void eachJobHasAnOutcomeOfItsOwn() {
    String good = "{\"task\":\"chat\",\"payload\":{\"n\":1},\"idempotency_key\":\"k\"}";
    Answer answer =
        server.post(
            SUBMIT,
            "{\"jobs\":[%s,{\"task\":\"dance\",\"payload\":{}},%s,%s]}"
                .formatted(good, good, good.replace("1", "2")));

    List<Map<String, @Nullable Object>> results = list(answer, "results");
    assertThat(results)
        .extracting(result -> result.get("status"))
        .containsExactly(201L, 400L, 200L, 409L);
    assertThat(body(results.get(1)))
        .containsEntry("error", "invalid_request")
        .hasEntrySatisfying("message", said -> assertThat(said.toString()).contains("`task`"));
    assertThat(results.get(2).get("headers")).isEqualTo(Map.of("Idempotency-Replayed", "true"));
    assertThat(body(results.get(2)).get("job_id")).isEqualTo(body(results.get(0)).get("job_id"));
    assertThat(body(results.get(3))).containsEntry("error", "idempotency_conflict");
  }

  @Test
  void aClaimGivesNoMoreThanAskedForAndNothingIfNothingIsThere() {
    submit(5);

    assertThat(claim("w1", 3, "")).hasSize(3);
    assertThat(claim("w1", 3, "")).hasSize(2);
    assertThat(server.post(CLAIM, wishOf("w1", 3, "")).body()).isEqualTo("{\"jobs\":[]}");
  }

  @Test
  void theSameClaimIdGivesTheSameLeasesAgain() {
    submit(5);

    List<Object> first = tokens(claim("w1", 3, ",\"claim_id\":\"c1\""));

    assertThat(tokens(claim("w1", 3, ",\"claim_id\":\"c1\""))).isEqualTo(first);
    assertThat(tokens(claim("w1", 3, ",\"claim_id\":\"c2\"")))
        .hasSize(2)
        .doesNotContainAnyElementsOf(first);
  }

  @Test
  void aClaimThatWaitsIsWokenAndTakesAllThatHasCome() throws Exception {
    CompletableFuture<Answer> waiting =
        server.postLater(CLAIM, wishOf("w1", 10, ",\"max_wait_ms\":20000"));
    Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));

    submit(4);

    assertThat(list(waiting.get(20, TimeUnit.SECONDS), "jobs")).hasSizeBetween(1, 4);
  }

  @Test
  void heartbeatsAreAnsweredOneByOne() {
    submit(3);
    List<Map<String, @Nullable Object>> held = claim("w1", 3, "");
    server.post("/v1/jobs/" + held.get(1).get("job_id") + "/cancel", "{\"reason\":\"enough\"}");

    Answer answer =
        server.post(
            HEARTBEAT,
            "{\"worker_id\":\"w1\",\"leases\":[%s,%s,%s,{\"job_id\":7}]}"
                .formatted(
                    lease(held.get(0), "\"progress\":40"),
                    lease(held.get(1), ""),
                    lease(held.get(2), "")
                        .replace("\"lease_token\":\"", "\"lease_token\":\"not-")));

    List<Map<String, @Nullable Object>> results = list(answer, "results");
    assertThat(results)
        .extracting(result -> result.get("status"))
        .containsExactly(200L, 200L, 409L, 400L);
    assertThat(body(results.get(0))).containsEntry("ok", true).doesNotContainKey("cancel");
    assertThat(body(results.get(1)))
        .containsEntry("cancel", true)
        .containsEntry("cancel_reason", "enough");
    assertThat(body(results.get(2))).containsEntry("error", "lease_lost");
  }

  @Test
  void completionsAndFailuresMixAndMayBeToldAgain() {
    submit(3);
    List<Map<String, @Nullable Object>> held = claim("w1", 3, "");
    String reports =
        "{\"worker_id\":\"w1\",\"reports\":[%s,%s,%s]}"
            .formatted(
                lease(held.get(0), "\"result\":{\"n\":1}"),
                lease(held.get(1), "\"error\":{\"code\":\"E\",\"retryable\":true}"),
                lease(held.get(2), "\"error\":{\"code\":\"E\",\"retryable\":false}"));

    Answer first = server.post(SETTLE, reports);
    Answer again = server.post(SETTLE, reports);

    List<Map<String, @Nullable Object>> results = list(first, "results");
    assertThat(results).extracting(result -> result.get("status")).containsOnly(200L);
    assertThat(body(results.get(1))).containsEntry("requeued", true);
    assertThat(body(results.get(2))).containsEntry("dlq", true);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(first.json()).doesNotContainKey("jobs");
  }

  @Test
  void aWishThatCannotBeReadSettlesNothing() {
    submit(1);
    List<Map<String, @Nullable Object>> held = claim("w1", 1, "");

    Answer refused = settle("w1", held, "\"result\":{}", "{\"max_jobs\":1}");

    assertThat(refused.status()).isEqualTo(400);
    assertThat(refused.text("message")).contains("claim.streams");
    assertThat(
            Jobs.status(server, Objects.requireNonNull(held.getFirst().get("job_id")).toString()))
        .isEqualTo("running");
  }

  @Test
  void listsAreBounded() {
    assertThat(server.post(SUBMIT, "{\"jobs\":[]}").status()).isEqualTo(400);
    assertThat(server.post(SUBMIT, "{\"jobs\":[" + jobs(1_001) + "]}").text("message"))
        .contains("at most 1000");
    assertThat(server.post(CLAIM, wishOf("w1", 101, "")).text("message"))
        .contains("`max_jobs` must be a whole number from 1 to 100");
    assertThat(server.post(HEARTBEAT, "{\"worker_id\":\"w1\",\"leases\":{}}").status())
        .isEqualTo(400);
    assertThat(server.post(SETTLE, "{\"worker_id\":\"w1\"}").text("message")).contains("`reports`");
  }

  private void submit(int count) {
    Answer answer = server.post(SUBMIT, "{\"jobs\":[" + jobs(count) + "]}");
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    assertThat(list(answer, "results"))
        .hasSize(count)
        .allSatisfy(result -> assertThat(result).containsEntry("status", 201L));
  }

  private static String jobs(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> "{\"task\":\"chat\",\"payload\":{\"n\":" + i + "}}")
        .collect(Collectors.joining(","));
  }

  private List<Map<String, @Nullable Object>> claim(String worker, int max, String furtherFields) {
    return list(server.post(CLAIM, wishOf(worker, max, furtherFields)), "jobs");
  }

  private static String wishOf(String worker, int max, String furtherFields) {
    return wish(max, ",\"worker_id\":\"" + worker + "\"" + furtherFields);
  }

  @Test
  void aReportThatSaysNeitherResultNorErrorInItsErrorCompletesNothing() {
    submit(1);
    List<Map<String, @Nullable Object>> held = claim("w1", 1, "");
    String id = Objects.requireNonNull(held.getFirst().get("job_id")).toString();

    Answer answer = settle("w1", held, "\"error\":null", "null");
    assertThat(answer.body()).contains("\"status\":400", "`result`");
    assertThat(Jobs.status(server, id)).isEqualTo("running");

    settle("w1", held, "\"error\":null,\"result\":null", "null");
    assertThat(Jobs.status(server, id)).isEqualTo("done");
  }

  private static String wish(int max, String furtherFields) {
    return "{\"streams\":[\"%s\"],\"max_jobs\":%d%s}".formatted(Jobs.QUEUE, max, furtherFields);
  }

  private Answer settle(
      String worker, List<Map<String, @Nullable Object>> held, String said, String wish) {
    List<String> reports = new ArrayList<>();
    for (Map<String, @Nullable Object> one : held) {
      reports.add(lease(one, said));
    }
    return server.post(
        SETTLE,
        "{\"worker_id\":\"%s\",\"reports\":[%s],\"claim\":%s}"
            .formatted(worker, String.join(",", reports), wish));
  }

  private static String lease(Map<String, @Nullable Object> claimed, String further) {
    return "{\"job_id\":\"%s\",\"attempt_id\":\"%s\",\"lease_token\":\"%s\"%s}"
        .formatted(
            claimed.get("job_id"),
            claimed.get("attempt_id"),
            claimed.get("lease_token"),
            further.isEmpty() ? "" : "," + further);
  }

  private static List<Object> tokens(List<Map<String, @Nullable Object>> claimed) {
    List<Object> tokens = new ArrayList<>();
    for (Map<String, @Nullable Object> one : claimed) {
      tokens.add(Objects.requireNonNull(one.get("lease_token")));
    }
    return tokens;
  }

  @SuppressWarnings("unchecked") // Json makes every object a map and every array a list
  private static List<Map<String, @Nullable Object>> list(Answer answer, String field) {
    return (List<Map<String, @Nullable Object>>)
        Objects.requireNonNull(answer.get(field), answer.body());
  }

  @SuppressWarnings("unchecked") // as above
  private static Map<String, @Nullable Object> body(Map<String, @Nullable Object> result) {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(result.get("body"));
  }
}
