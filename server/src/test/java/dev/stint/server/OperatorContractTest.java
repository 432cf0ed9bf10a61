package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Api;
import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The operator's routes, over HTTP. */
class OperatorContractTest {
  private static final String[] ADMIN = {"X-API-Token", "dev-token"};
  private static final String NO_ID = "0190b5a4-0000-7000-8000-000000000000";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder);
  }

  private Answer get(String path) {
    Answer answer = server.get(path, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  private Answer post(String path, String json) {
    Answer answer = server.post(path, json, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer;
  }

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  private static List<Map<String, @Nullable Object>> objects(Answer answer, String name) {
    return (List<Map<String, @Nullable Object>>) Objects.requireNonNull(answer.get(name));
  }

  private static List<@Nullable Object> all(Answer answer, String list, String field) {
    List<@Nullable Object> values = new ArrayList<>();
    objects(answer, list).forEach(object -> values.add(object.get(field)));
    return values;
  }

  private void fail(Jobs.Lease lease, String message) {
    Answer failed =
        server.post(
            "/internal/worker/fail",
            lease.with(
                ",\"stream\":\"s\",\"message_id\":\"m\",\"error\":{\"code\":\"E\",\"message\":\""
                    + message
                    + "\"}"));
    assertThat(failed.get("dlq")).as(failed.body()).isEqualTo(true);
  }

  private String failed(String message, String furtherFields) {
    String id = Jobs.submit(server, furtherFields);
    fail(Jobs.lease(server, "w"), message);
    return id;
  }

  private List<@Nullable Object> codes(String id) {
    return all(get("/v1/jobs/" + id + "/explain"), "reasons", "code");
  }

  @Test
  void theOverviewShowsStatesQueuesWorkersTheOldestAndTheLastHour() {
    String first = Jobs.submit(server, "");
    Jobs.submit(server, ",\"queue\":\"other\",\"priority\":5");
    failed("x", ",\"priority\":9");

    Answer overview = get("/v1/overview");
    assertThat(overview.get("states")).asString().contains("PENDING=2", "FAILED=1", "RUNNING=0");
    assertThat(overview.get("workers"))
        .isEqualTo(Map.of("online", 1L, "offline", 0L, "draining", 0L));
    assertThat(overview.get("oldest_waiting")).asString().contains(first, Jobs.QUEUE);
    assertThat(objects(overview, "series")).hasSize(60);
    assertThat(
            objects(overview, "series").stream()
                .mapToLong(m -> (Long) Objects.requireNonNull(m.get("submitted")))
                .sum())
        .isEqualTo(3);
    assertThat(all(overview, "queues", "queue")).containsExactly(Jobs.QUEUE, "other");
    Map<String, @Nullable Object> queue = objects(get("/v1/queues"), "queues").getFirst();
    assertThat(queue)
        .containsEntry("depth", 1L)
        .containsEntry("failed", 1L)
        .containsEntry("paused", false)
        .containsEntry("paused_reason", null);
    assertThat(queue.get("oldest_wait_ms")).isInstanceOf(Long.class);
  }

  @Test
  void theOverviewIsStreamedAtOnceAndWhenItChanges() throws Exception {
    Api api = new Api("http://127.0.0.1:" + server.port(), "dev-token", Duration.ofSeconds(20));
    try (ServerEvents stream =
        Objects.requireNonNull(
            api.events(
                "/v1/overview/stream",
                null,
                Duration.ofSeconds(40),
                refused -> {
                  throw new AssertionError(refused.text());
                }))) {
      ServerEvent first = Streams.next(stream);
      assertThat(first.type()).isEqualTo("overview");
      assertThat(first.data()).contains("\"PENDING\":0", "\"series\":[");
      Jobs.submit(server, "");
      String changed = first.data();
      while (!changed.contains("\"PENDING\":1")) {
        changed = Streams.next(stream).data();
      }
      assertThat(changed).contains("\"depth\":1", "\"queue\":\"jobs:stream\"");
    }
  }

  @Test
  void aPausedQueueGivesNothingAndExplainSaysSoUntilItIsResumed() throws Exception {
    String path = "/v1/queues/jobs%3Astream";
    assertThat(post(path + "/pause", "{\"reason\":\"upgrade\"}").json())
        .isEqualTo(Map.of("queue", Jobs.QUEUE, "paused", true, "changed", true));
    String id = Jobs.submit(server, "");
    assertThat(Jobs.claim(server, "w").get("claimed")).isEqualTo(false);
    assertThat(codes(id)).containsExactly("queue_paused");
    assertThat(get("/v1/jobs/" + id + "/explain").body()).contains("is paused since", "(upgrade)");
    assertThat(objects(get("/v1/queues"), "queues").getFirst())
        .containsEntry("paused", true)
        .containsEntry("paused_reason", "upgrade");
    CompletableFuture<Answer> parked =
        server.postLater(
            "/internal/worker/claim",
            "{\"worker_id\":\"w\",\"streams\":[\"jobs:stream\"],\"max_wait_ms\":30000}");

    assertThat(post(path + "/resume", "").json())
        .isEqualTo(Map.of("queue", Jobs.QUEUE, "paused", false, "changed", true));

    assertThat(parked.get(20, TimeUnit.SECONDS).get("job_id")).isEqualTo(id);
    assertThat(post(path + "/resume", "").json())
        .isEqualTo(Map.of("queue", Jobs.QUEUE, "paused", false, "changed", false));
    Answer events = server.get("/events?event=queue_paused", ADMIN);
    assertThat(events.body()).contains("\"queue\":\"jobs:stream\"", "upgrade");
  }

  @Test
  void aDrainingWorkerIsToldInItsNextAnswerAndGetsNothing() {
    Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w");
    Jobs.submit(server, "");

    assertThat(post("/v1/workers/w/drain", "").json())
        .isEqualTo(Map.of("worker_id", "w", "draining", true, "changed", true));

    assertThat(server.post("/internal/worker/heartbeat", lease.with("")).get("drain"))
        .isEqualTo(true);
    Answer claim = Jobs.claim(server, "w");
    assertThat(claim.json()).isEqualTo(Map.of("claimed", false, "drain", true));
    assertThat(server.post("/internal/worker/complete", lease.with(",\"result\":{}")).status())
        .isEqualTo(200);
    Map<String, @Nullable Object> worker = objects(get("/v1/workers"), "workers").getFirst();
    assertThat(worker)
        .containsEntry("worker_id", "w")
        .containsEntry("status", "ONLINE")
        .containsEntry("draining", true)
        .containsEntry("holds", List.of());

    assertThat(post("/v1/workers/w/drain", "").get("changed")).isEqualTo(false);
    assertThat(post("/v1/workers/w/resume", "{}").get("changed")).isEqualTo(true);
    assertThat(post("/v1/workers/w/resume", "{}").json())
        .isEqualTo(Map.of("worker_id", "w", "draining", false, "changed", false));
    assertThat(Jobs.claim(server, "w").get("claimed")).isEqualTo(true);
  }

  @Test
  void fleetAndWorkerApiWorkersAreToldToDrainInTheirOwnWords() {
    server.post("/register", "{\"worker_id\":\"box\"}", ADMIN);
    post("/v1/workers/box/drain", "");
    assertThat(server.post("/heartbeat", "{\"worker_id\":\"box\"}", ADMIN).get("drain"))
        .isEqualTo(true);
    Answer next = server.get("/next-job?worker_id=box", ADMIN);
    assertThat(next.status()).isEqualTo(204);
    assertThat(next.header("X-Stint-Drain")).contains("true");
    String[] asBox = {"X-API-Token", "dev-token", "X-Worker-Id", "box"};
    assertThat(server.post("/api/v1/worker/heartbeat", "{}", asBox).get("drain")).isEqualTo(true);
    assertThat(server.get("/api/v1/worker/tasks/next", asBox).header("X-Stint-Drain"))
        .contains("true");
    post("/v1/workers/box/resume", "");
    assertThat(server.post("/heartbeat", "{\"worker_id\":\"box\"}", ADMIN).get("drain"))
        .isEqualTo(false);
  }

  @Test
  void workersAreListedPageByPage() {
    for (String id : List.of("a", "b", "c")) {
      Jobs.claim(server, id);
    }
    Answer first = get("/v1/workers?limit=2");
    assertThat(all(first, "workers", "worker_id")).containsExactly("a", "b");
    assertThat(all(get("/v1/workers?limit=2&cursor=" + first.text("next")), "workers", "worker_id"))
        .containsExactly("c");
  }

  @Test
  void jobsAreFilteredAndPaged() {
    String ada = Jobs.submit(server, ",\"metadata\":{\"owner\":\"Ada\"}");
    String other = Jobs.submit(server, ",\"queue\":\"other\"");
    Jobs.lease(server, "w");

    assertThat(all(get("/v1/jobs?status=running"), "jobs", "job_id")).containsExactly(ada);
    assertThat(all(get("/v1/jobs?status=PENDING"), "jobs", "job_id")).containsExactly(other);
    assertThat(all(get("/v1/jobs?queue=other&task=chat"), "jobs", "job_id")).containsExactly(other);
    assertThat(all(get("/v1/jobs?worker=w"), "jobs", "job_id")).containsExactly(ada);
    assertThat(all(get("/v1/jobs?text=ADA"), "jobs", "job_id")).containsExactly(ada);
    assertThat(all(get("/v1/jobs?until_ms=1"), "jobs", "job_id")).isEmpty();
    assertThat(all(get("/v1/jobs?since_ms=1"), "jobs", "job_id")).hasSize(2);
    Answer page = get("/v1/jobs?limit=1");
    assertThat(objects(page, "jobs")).hasSize(1);
    Answer rest = get("/v1/jobs?limit=1&cursor=" + page.text("next"));
    Set<@Nullable Object> both = new HashSet<>(all(page, "jobs", "job_id"));
    both.addAll(all(rest, "jobs", "job_id"));
    assertThat(both).containsExactlyInAnyOrder(ada, other);
    assertThat(objects(get("/v1/jobs?worker=w"), "jobs").getFirst())
        .containsEntry("state", "RUNNING")
        .containsEntry("status", "running")
        .containsEntry("attempt", 1L)
        .containsEntry("max_attempts", 3L)
        .containsEntry("worker_id", "w")
        .containsEntry("queue", Jobs.QUEUE)
        .containsEntry("payload", Map.of("n", 1L));
  }

  @Test
  void inAListLongPayloadsAreLeftOutAndThatIsTold() {
    Answer submitted =
        server.post(
            "/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"long\":\"" + "x".repeat(5_000) + "\"}}");
    Map<String, @Nullable Object> listed = objects(get("/v1/jobs"), "jobs").getFirst();
    assertThat(listed).containsEntry("payload", null).containsEntry("omitted", List.of("payload"));
    assertThat(get("/v1/jobs/" + submitted.text("job_id") + "/timeline").body())
        .contains("x".repeat(5_000));
  }

  @Test
  void textIsFoundThatHasOtherLettersThanThoseOfAscii() {
    String id = Jobs.submit(server, ",\"metadata\":{\"owner\":\"ÆGIR\"}");

    assertThat(all(get("/v1/jobs?text=%C3%86gir"), "jobs", "job_id")).containsExactly(id);
  }

  @Test
  void aPageOfALotOfTextEndsEarlyAndTheNextGoesOn() {
    int jobs = 90;
    for (int i = 0; i < jobs; i++) {
      server.post(
          "/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"x\":\"" + "x".repeat(199_000) + "\"}}");
    }

    Answer page = get("/v1/jobs?limit=200");
    Answer rest = get("/v1/jobs?limit=200&cursor=" + page.text("next"));

    List<@Nullable Object> ids = all(page, "jobs", "job_id");
    assertThat(ids).hasSizeLessThan(jobs);
    ids.addAll(all(rest, "jobs", "job_id"));
    assertThat(ids).hasSize(jobs).doesNotHaveDuplicates();
    assertThat(rest.get("next")).isNull();
  }

  @Test
  void theTimelineHasTheLastHundredAttempts() {
    String id = failed("no file", "");
    for (int i = 0; i < 101; i++) {
      post("/v1/jobs/" + id + "/retry", "");
      fail(Jobs.lease(server, "w"), "no file");
    }

    List<@Nullable Object> fences =
        all(get("/v1/jobs/" + id + "/timeline?limit=1"), "attempts", "fence");

    assertThat(fences).hasSize(100);
    assertThat(fences.getLast()).isEqualTo(102L);
  }

  @Test
  void explainNamesWhoLacksWhat() {
    Jobs.claim(server, "cpu-box");
    String id = Jobs.submit(server, ",\"requirements\":[\"gpu\"]");
    assertThat(codes(id)).containsExactly("no_worker_ever");
    Answer told = get("/v1/jobs/" + id + "/explain");
    assertThat(told.body()).contains("cpu-box lacks gpu", "\"lacks\":[\"gpu\"]");
    String plain = Jobs.submit(server, "");
    assertThat(codes(plain)).containsExactly("claimable");
    String second = Jobs.submit(server, "");
    assertThat(codes(second)).contains("behind_others");
    Jobs.Lease lease = Jobs.lease(server, "cpu-box");
    assertThat(codes(lease.jobId())).containsExactly("held");
    String waiting = lease.jobId().equals(plain) ? second : plain;
    assertThat(codes(waiting)).containsExactly("workers_busy", "claimable");
    post("/v1/workers/cpu-box/drain", "");
    assertThat(codes(waiting)).containsExactly("workers_draining");
    server.post("/v1/jobs/" + lease.jobId() + "/cancel", "{}");
    assertThat(codes(lease.jobId())).containsExactly("cancel_requested", "held");
    String later = Jobs.submit(server, ",\"scheduled_at\":4102444800");
    assertThat(codes(later)).containsExactly("not_before");
    assertThat(get("/v1/jobs/" + later + "/explain").body()).contains("2100-01-01 00:00:00 UTC");
  }

  @Test
  void explainTellsOfBackoffAndOfTheEnd() {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w");
    server.post(
        "/internal/worker/fail",
        lease.with(
            ",\"stream\":\"s\",\"message_id\":\"m\",\"error\":{\"code\":\"E\",\"retryable\":true}"));
    Answer told = get("/v1/jobs/" + id + "/explain");
    assertThat(all(told, "reasons", "code")).containsExactly("backoff");
    assertThat(told.body()).contains("attempt 2 of 3 (E)");
    post("/v1/jobs/" + id + "/abort", "{\"reason\":\"enough\"}");
    assertThat(codes(id)).containsExactly("finished");
    assertThat(get("/v1/jobs/" + id + "/explain").body()).contains("It is ABORTED", "(enough)");
  }

  @Test
  void theTimelineHasAllAttemptsAndEventsAlsoLateOnes() {
    String id = failed("no file 7", "");
    post("/v1/jobs/" + id + "/retry", "");
    Jobs.Lease lease = Jobs.lease(server, "v");
    server.post("/internal/worker/complete", lease.with(",\"result\":{\"a\":1}"));
    assertThat(server.post("/internal/worker/fail", lease.with(",\"error\":{}")).status())
        .isEqualTo(409);

    Answer timeline = get("/v1/jobs/" + id + "/timeline");
    assertThat(all(timeline, "events", "type"))
        .containsExactly(
            "submitted", "claimed", "failed", "replayed", "claimed", "completed", "late_result");
    assertThat(all(timeline, "events", "attempt")).containsExactly(null, 1L, 1L, null, 1L, 1L, 1L);
    assertThat(all(timeline, "attempts", "outcome")).containsExactly("FAILED", "COMPLETED");
    assertThat(all(timeline, "attempts", "fence")).containsExactly(1L, 2L);
    assertThat(objects(timeline, "attempts").getFirst().get("error"))
        .isEqualTo(Map.of("code", "E", "message", "no file 7"));
    Answer page = get("/v1/jobs/" + id + "/timeline?limit=2");
    assertThat(all(page, "events", "type")).containsExactly("completed", "late_result");
    assertThat(
            all(
                get("/v1/jobs/" + id + "/timeline?limit=1&cursor=" + page.get("next")),
                "events",
                "type"))
        .containsExactly("claimed");
  }

  @Test
  void retryAndAbortRefuseWhatTheyCannotDo() {
    String id = Jobs.submit(server, "");
    Answer early = server.post("/v1/jobs/" + id + "/retry", "", ADMIN);
    assertThat(early.status()).isEqualTo(409);
    assertThat(early.json())
        .containsEntry("error", "not_revivable")
        .containsEntry("state", "PENDING");
    assertThat(post("/v1/jobs/" + id + "/abort", "").json())
        .isEqualTo(Map.of("job_id", id, "state", "ABORTED"));
    assertThat(server.post("/v1/jobs/" + id + "/abort", "", ADMIN).status()).isEqualTo(409);
    assertThat(post("/v1/jobs/" + id + "/retry", "").json())
        .isEqualTo(Map.of("job_id", id, "state", "PENDING"));
  }

  @Test
  void deadLettersAreGroupedAndReplayedByGroupAtARate() {
    for (int i = 0; i < 5; i++) {
      failed("no file " + i, "");
    }
    String other = failed("disk full", ",\"queue\":\"jobs:stream\"");

    Answer dead = get("/v1/dead");
    assertThat(all(dead, "groups", "count")).containsExactly(1L, 5L);
    Map<String, @Nullable Object> group = objects(dead, "groups").getLast();
    assertThat(group).containsEntry("code", "E").containsEntry("message", "no file <n>");
    assertThat(group.get("sample")).asString().contains("no file 4");
    Answer page = get("/v1/dead?limit=1");
    assertThat(all(get("/v1/dead?limit=1&cursor=" + page.text("next")), "groups", "fingerprint"))
        .containsExactly(group.get("fingerprint"));

    String body =
        "{\"fingerprint\":\"" + group.get("fingerprint") + "\",\"rate_per_s\":1,\"limit\":3";
    Answer first = post("/v1/dead/replay", body + "}");
    assertThat(first.get("replayed")).isEqualTo(3L);
    Answer second = post("/v1/dead/replay", body + ",\"cursor\":\"" + first.text("next") + "\"}");
    assertThat(second.get("replayed")).isEqualTo(2L);
    assertThat(second.get("next")).isNull();
    assertThat(all(get("/v1/dead"), "groups", "count")).containsExactly(1L);
    // The first may start at once, the others one second apart, also those of the second call.
    List<String> waiting = new ArrayList<>();
    for (Object id : all(get("/v1/jobs?status=PENDING"), "jobs", "job_id")) {
      Map<String, @Nullable Object> reason =
          objects(get("/v1/jobs/" + id + "/explain"), "reasons").getFirst();
      if ("not_before".equals(reason.get("code"))) {
        waiting.add(String.valueOf(reason.get("at_ms")));
      }
    }
    assertThat(waiting).hasSizeBetween(2, 4).doesNotHaveDuplicates();

    assertThat(post("/v1/dead/replay", "{\"filter\":{\"queue\":\"jobs:stream\"}}").get("replayed"))
        .isEqualTo(1L);
    assertThat(Jobs.status(server, other)).isEqualTo("queued");
  }

  @Test
  void bulkVerbsCountFirstAndGoOnInBoundedBatches() {
    int jobs = 2_500;
    for (int i = 0; i < jobs; i++) {
      Jobs.submit(server, ",\"queue\":\"many\"");
    }
    String filter = "\"filter\":{\"queue\":\"many\",\"status\":\"queued\"}";
    Answer dry = post("/v1/jobs/bulk", "{\"action\":\"abort\"," + filter + ",\"dry_run\":true}");
    assertThat(dry.json()).containsEntry("matched", 1_000L).containsEntry("more", true);
    assertThat(Jobs.status(server, lastOf("many"))).isEqualTo("queued");

    assertThat(everyBatch("{\"action\":\"abort\"," + filter)).isEqualTo(jobs);
    assertThat(objects(get("/v1/queues"), "queues").getFirst()).containsEntry("depth", 0L);
    assertThat(everyBatch("{\"action\":\"retry\",\"filter\":{\"status\":\"ABORTED\"}"))
        .isEqualTo(jobs);
    assertThat(everyBatch("{\"action\":\"cancel\",\"reason\":\"x\"," + filter)).isEqualTo(jobs);
  }

  @Test
  void bulkVerbsPassOverWhatTheyCannotBeFor() {
    String ended = Jobs.submit(server, ",\"queue\":\"mixed\"");
    Jobs.submit(server, ",\"queue\":\"mixed\"");
    assertThat(post("/v1/jobs/" + ended + "/abort", "{}").status()).isEqualTo(200);

    for (String action : List.of("retry", "cancel", "abort")) {
      String verb = "{\"action\":\"" + action + "\",\"filter\":{\"queue\":\"mixed\"";
      assertThat(post("/v1/jobs/bulk", verb + "},\"dry_run\":true}").get("matched"))
          .as(action)
          .isEqualTo(1L);
      Answer none = post("/v1/jobs/bulk", verb + ",\"status\":\"done\"},\"dry_run\":true}");
      assertThat(none.get("matched")).as(action).isEqualTo(0L);
      assertThat(none.get("next")).as(action).isNull();
    }
    String cancel = "{\"action\":\"cancel\",\"filter\":{\"queue\":\"mixed\"}}";
    assertThat(post("/v1/jobs/bulk", cancel).json())
        .containsEntry("done", 1L)
        .containsEntry("refused", 0L);
  }

  @Test
  void severalStatesAreAskedForAtOnce() {
    String aborted = Jobs.submit(server, ",\"queue\":\"several\"");
    String waiting = Jobs.submit(server, ",\"queue\":\"several\"");
    assertThat(post("/v1/jobs/" + aborted + "/abort", "{}").status()).isEqualTo(200);
    assertThat(objects(get("/v1/jobs?queue=several&status=RETRYING,canceled,PENDING"), "jobs"))
        .extracting(job -> job.get("job_id"))
        .containsExactlyInAnyOrder(waiting, aborted);
    assertThat(objects(get("/v1/jobs?queue=several&status=RETRYING,canceled"), "jobs")).hasSize(1);
  }

  private String lastOf(String queue) {
    return String.valueOf(
        objects(get("/v1/jobs?limit=1&queue=" + queue), "jobs").getFirst().get("job_id"));
  }

  private long everyBatch(String bodyWithoutEnd) {
    long done = 0;
    Object next = "";
    while (next != null) {
      String cursor = next.equals("") ? "}" : ",\"cursor\":\"" + next + "\"}";
      Answer answer = post("/v1/jobs/bulk", bodyWithoutEnd + cursor);
      done += (Long) Objects.requireNonNull(answer.get("done"));
      next = answer.get("next");
    }
    return done;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "/v1/jobs/bulk | {} | action",
        "/v1/jobs/bulk | {\"action\":\"drop\",\"filter\":{\"queue\":\"q\"}} | action",
        "/v1/jobs/bulk | {\"action\":\"abort\"} | filter",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{}} | filter",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"quue\":\"q\"}} | filter.quue",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"status\":\"busy\"}} | status",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"status\":\"PENDING,\"}} | status",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"queue\":1}} | filter.queue",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"queue\":\"q\"},\"limit\":1001} | limit",
        "/v1/jobs/bulk | {\"action\":\"abort\",\"filter\":{\"queue\":\"q\"},\"cursor\":\"x\"} | cursor",
        "/v1/dead/replay | {} | fingerprint",
        "/v1/dead/replay | {\"fingerprint\":\"a\",\"filter\":{\"queue\":\"q\"}} | fingerprint",
        "/v1/dead/replay | {\"fingerprint\":\"a\",\"rate_per_s\":0} | rate_per_s",
        "/v1/dead/replay | {\"fingerprint\":\"a\",\"cursor\":\"x@y\"} | cursor",
        "/v1/dead/replay | {\"fingerprint\":\"a\",\"cursor\":\"0190b5a4-0000-7000-8000-000000000000@-9223372036854775808\"} | cursor",
        "/v1/queues/q/pause | {\"reason\":1} | reason",
        "/v1/queues/a%0Ab/pause | {} | queue",
        "/v1/workers/%00/drain | {} | id",
        "/v1/workers/%00/resume | {} | id",
        "/v1/jobs/%00/retry | {} | id"
      })
  void badInputIsRefusedByTheNameOfTheField(String path, String json, String field) {
    Answer answer = server.post(path.strip(), json.strip(), ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(400);
    assertThat(answer.text("message")).contains("`" + field.strip() + "`");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/v1/jobs?limit=0",
        "/v1/jobs?limit=201",
        "/v1/jobs?cursor=abc",
        "/v1/jobs?status=busy",
        "/v1/jobs?state=FAILED",
        "/v1/jobs?since_ms=-1",
        "/v1/jobs?since_ms=now",
        "/v1/workers?limit=x",
        "/v1/dead?cursor=abc",
        "/v1/dead?limit=1000"
      })
  void badQueriesAreRefused(String path) {
    assertThat(server.get(path, ADMIN).status()).isEqualTo(400);
  }

  @Test
  void whatDoesNotExistIs404() {
    for (String id : List.of(NO_ID, "nope")) {
      assertThat(server.get("/v1/jobs/" + id + "/explain", ADMIN).status()).isEqualTo(404);
      assertThat(server.get("/v1/jobs/" + id + "/timeline", ADMIN).status()).isEqualTo(404);
      assertThat(server.post("/v1/jobs/" + id + "/retry", "", ADMIN).status()).isEqualTo(404);
      assertThat(server.post("/v1/jobs/" + id + "/abort", "", ADMIN).status()).isEqualTo(404);
      assertThat(server.post("/v1/workers/" + id + "/drain", "", ADMIN).status()).isEqualTo(404);
    }
    assertThat(post("/v1/dead/replay", "{\"fingerprint\":\"none\"}").get("replayed")).isEqualTo(0L);
  }
}
