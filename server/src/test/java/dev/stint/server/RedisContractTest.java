package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Json;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Consumer;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every key, field, encoding and time to live that the documents name, in a real Redis. */
class RedisContractTest {
  private static final String[] ADMIN = {"X-API-Token", "dev-token"};

  @SuppressWarnings("NullAway.Init")
  private static TestRedis redis;

  @SuppressWarnings("NullAway.Init")
  private static RedisClient client;

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private StatefulRedisConnection<String, String> connection;

  @SuppressWarnings("NullAway.Init")
  private RedisCommands<String, String> keys;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeAll
  static void startRedis() {
    redis = TestRedis.start();
    client = RedisClient.create(redis.url());
  }

  @AfterAll
  static void stopRedis() {
    client.shutdown();
    redis.close();
  }

  @BeforeEach
  void start() {
    connection = client.connect();
    keys = connection.sync();
    keys.flushall();
    server = TestServer.start(folder, settings -> settings.withRedis(redis.url()));
  }

  @AfterEach
  void stop() {
    server.close();
    connection.close();
  }

  @Test
  void aJobIsAHashOfTextsAsTheDocumentHasIt() throws Exception {
    String id = submit("{\"task\":\"chat\",\"payload\":{ \"n\" : 1},\"ttl_s\":600}");

    assertThat(keys.type("job:" + id)).isEqualTo("hash");
    Map<String, String> hash = keys.hgetall("job:" + id);
    assertThat(hash)
        .containsOnlyKeys(
            "job_id",
            "task",
            "payload",
            "status",
            "created_ts",
            "updated_ts",
            "ttl_s",
            "result",
            "error")
        .containsEntry("job_id", id)
        .containsEntry("task", "chat")
        .containsEntry("payload", "{ \"n\" : 1}")
        .containsEntry("status", "queued")
        .containsEntry("ttl_s", "600")
        .containsEntry("result", "")
        .containsEntry("error", "");
    assertThat(hash.get("created_ts")).matches("\\d{13}").isEqualTo(hash.get("updated_ts"));
    assertThat(keys.pttl("job:" + id)).isBetween(540_000L, 600_000L);

    Jobs.Lease lease = Jobs.lease(server, "w");
    await(() -> "running".equals(keys.hget("job:" + id, "status")));
    assertThat(
            server
                .post("/internal/worker/complete", lease.with(",\"result\":{ \"a\":\"ü\"}"))
                .status())
        .isEqualTo(200);
    await(() -> "done".equals(keys.hget("job:" + id, "status")));
    assertThat(keys.hget("job:" + id, "result")).isEqualTo("{ \"a\":\"ü\"}");
    assertThat(keys.hget("job:" + id, "error")).isEmpty();
    assertThat(Long.parseLong(Objects.requireNonNull(keys.hget("job:" + id, "updated_ts"))))
        .isGreaterThanOrEqualTo(Long.parseLong(Objects.requireNonNull(hash.get("updated_ts"))));
  }

  @Test
  void aFailedJobHasItsErrorAndACancelledOneItsStatus() throws Exception {
    String failed = submit("{\"task\":\"chat\",\"payload\":{},\"max_attempts\":1}");
    Jobs.Lease lease = Jobs.lease(server, "w");
    server.post(
        "/internal/worker/fail",
        lease.with(",\"error\":{\"code\":\"E\",\"message\":\"m\",\"retryable\":false}"));
    await(() -> "error".equals(keys.hget("job:" + failed, "status")));
    assertThat(Json.read(Objects.requireNonNull(keys.hget("job:" + failed, "error"))))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("code", "E")
        .containsEntry("message", "m");
    assertThat(keys.hget("job:" + failed, "result")).isEmpty();

    String cancelled = submit("{\"task\":\"chat\",\"payload\":{}}");
    server.post("/v1/jobs/" + cancelled + "/cancel", "{}");
    await(() -> "canceled".equals(keys.hget("job:" + cancelled, "status")));
    await(() -> messages(Jobs.QUEUE).isEmpty());
  }

  @Test
  void eventsAreTheStreamThatReadersSeeOverHttp() throws Exception {
    String id = submit("{\"task\":\"chat\",\"payload\":{},\"ttl_s\":600}");
    String events = "job:" + id + ":events";
    assertThat(keys.type(events)).isEqualTo("stream");
    StreamMessage<String, String> first = keys.xrange(events, Range.unbounded()).getFirst();
    assertThat(first.getBody())
        .containsOnlyKeys("type", "ts", "step", "data")
        .containsEntry("type", "queued")
        .containsEntry("step", "gateway.enqueue")
        .containsEntry("data", "{}");
    assertThat(first.getBody().get("ts")).matches("\\d{13}");
    assertThat(keys.pttl(events)).isBetween(540_000L, 600_000L);

    Jobs.Lease lease = Jobs.lease(server, "w");
    server.post(
        "/internal/worker/heartbeat", lease.with(",\"progress\":40,\"message\":\"halfway\""));
    server.post("/internal/worker/complete", lease.with(",\"result\":{}"));
    await(() -> "done".equals(keys.hget("job:" + id, "status")));

    List<StreamMessage<String, String>> entries = keys.xrange(events, Range.unbounded());
    assertThat(entries)
        .extracting(entry -> entry.getBody().get("type"))
        .containsExactlyElementsOf(typesOverHttp(id));
    assertThat(entries.getLast().getBody()).containsEntry("type", "done");
    for (StreamMessage<String, String> entry : entries) {
      assertThat(Json.read(Objects.requireNonNull(entry.getBody().get("data"))))
          .isInstanceOf(Map.class);
    }
  }

  private List<String> typesOverHttp(String id) {
    return server
        .get("/v1/jobs/" + id + "/events")
        .body()
        .lines()
        .filter(line -> line.startsWith("event: ") && !line.equals("event: hello"))
        .map(line -> line.substring("event: ".length()))
        .toList();
  }

  @Test
  @SuppressWarnings("unchecked") // the client takes places as a list of unknown length
  void aWaitingJobIsAMessageForTheGroup() throws Exception {
    String id = submit("{\"task\":\"plan\",\"payload\":{\"n\": 2}}");

    assertThat(keys.type(Jobs.QUEUE)).isEqualTo("stream");
    List<StreamMessage<String, String>> read =
        keys.xreadgroup(
            Consumer.from("workers", "native-1"), XReadArgs.StreamOffset.lastConsumed(Jobs.QUEUE));
    assertThat(read).hasSize(1);
    assertThat(read.getFirst().getBody())
        .containsOnlyKeys("job_id", "enqueue_id", "task", "payload")
        .containsEntry("job_id", id)
        .containsEntry("task", "plan")
        .containsEntry("payload", "{\"n\": 2}");
    assertThat(read.getFirst().getBody().get("enqueue_id")).isNotEmpty();
  }

  @Test
  void aMessageGoesWhenItsJobIsClaimedAndAnotherComesWhenItIsQueuedAgain() throws Exception {
    String id = submit("{\"task\":\"chat\",\"payload\":{}}");
    String first = messages(Jobs.QUEUE).getFirst().getBody().get("enqueue_id");

    Jobs.Lease lease = Jobs.lease(server, "w");
    await(() -> messages(Jobs.QUEUE).isEmpty());
    await(() -> keys.hlen("stint:messages:" + Jobs.QUEUE) == 0);

    server.post(
        "/internal/worker/fail", lease.with(",\"error\":{\"code\":\"E\",\"retryable\":true}"));
    await(() -> messages(Jobs.QUEUE).size() == 1);
    assertThat(messages(Jobs.QUEUE).getFirst().getBody()).containsEntry("job_id", id);
    assertThat(messages(Jobs.QUEUE).getFirst().getBody().get("enqueue_id")).isNotEqualTo(first);
  }

  @Test
  void aJobThatNotEveryWorkerCanDoIsNoMessage() throws Exception {
    String picky =
        submit("{\"task\":\"chat\",\"payload\":{},\"requirements\":[\"gpu\"],\"queue\":\"q\"}");
    await(() -> keys.exists("job:" + picky) == 1);
    String any = submit("{\"task\":\"chat\",\"payload\":{},\"queue\":\"q\"}");

    assertThat(messages("q")).extracting(m -> m.getBody().get("job_id")).containsExactly(any);
  }

  @Test
  void aPausedQueueHasNoMessagesUntilItIsResumed() throws Exception {
    String one = submit("{\"task\":\"chat\",\"payload\":{}}");
    String two = submit("{\"task\":\"chat\",\"payload\":{}}");
    assertThat(server.post("/v1/queues/jobs:stream/pause", "{}", ADMIN).status()).isEqualTo(200);
    await(() -> messages(Jobs.QUEUE).isEmpty());
    String three = submitQuietly("{\"task\":\"chat\",\"payload\":{}}");
    await(() -> keys.exists("job:" + three) == 1);
    assertThat(messages(Jobs.QUEUE)).isEmpty();

    assertThat(server.post("/v1/queues/jobs:stream/resume", "{}", ADMIN).status()).isEqualTo(200);
    await(() -> messages(Jobs.QUEUE).size() == 3);
    assertThat(messages(Jobs.QUEUE))
        .extracting(m -> m.getBody().get("job_id"))
        .containsExactly(one, two, three);
  }

  @Test
  void anIdempotencyKeyNamesItsJobAsLongAsThatLives() throws Exception {
    Answer answer =
        server.post(
            "/v1/jobs",
            "{\"task\":\"chat\",\"payload\":{},\"ttl_s\":600}",
            "Idempotency-Key",
            "my key");
    await(() -> answer.text("job_id").equals(keys.get("idempotency:my key")));
    assertThat(keys.pttl("idempotency:my key")).isBetween(540_000L, 600_000L);
  }

  @Test
  void aHeartbeatPutsOffTheEndOfAllKeysOfAJob() throws Exception {
    String id = submit("{\"task\":\"chat\",\"payload\":{},\"ttl_s\":600}");
    Jobs.Lease lease = Jobs.lease(server, "w");
    await(() -> "running".equals(keys.hget("job:" + id, "status")));
    keys.expire("job:" + id, 60);
    keys.expire("job:" + id + ":events", 60);

    server.post("/internal/worker/heartbeat", lease.with(""));

    await(() -> keys.ttl("job:" + id) > 500);
    await(() -> keys.ttl("job:" + id + ":events") > 500);
  }

  @Test
  void whatHasNoTtlOfItsOwnStaysWhileItLivesAndThenForTheRetention() throws Exception {
    String id = task("{\"payload\":{}}");
    assertThat(keys.pttl("job:" + id)).isEqualTo(-1);
    assertThat(keys.pttl("task:" + id)).isEqualTo(-1);

    String token = enrol("w1");
    next(token);
    complete(token, id);
    await(() -> "SUCCESS".equals(keys.hget("task:" + id, "status")));
    long days = 24 * 3_600_000L;
    assertThat(keys.pttl("job:" + id)).isBetween(7 * days - 60_000, 7 * days);
    assertThat(keys.pttl("task:" + id)).isBetween(7 * days - 60_000, 7 * days);
  }

  @Test
  void theKeysOfWorkerApiAreTrue() throws Exception {
    String first = task("{\"payload\":{\"phone_number\": \"+1\"}}");
    String second = task("{\"payload\":{}}");
    assertThat(keys.type("queue:pending")).isEqualTo("list");
    assertThat(keys.lrange("queue:pending", 0, -1)).containsExactly(second, first);
    assertThat(keys.hgetall("task:" + first))
        .containsOnlyKeys(
            "task_id",
            "status",
            "payload",
            "created_at",
            "started_at",
            "completed_at",
            "retries",
            "traceback",
            "worker_id",
            "result")
        .containsEntry("task_id", first)
        .containsEntry("status", "PENDING")
        .containsEntry("payload", "{\"phone_number\": \"+1\"}")
        .containsEntry("retries", "0")
        .containsEntry("started_at", "")
        .containsEntry("worker_id", "");
    assertThat(Instant.parse(keys.hget("task:" + first, "created_at")))
        .isAfter(Instant.now().minusSeconds(300));

    String token = enrol("w1");
    next(token);
    await(() -> keys.zcard("queue:processing") == 1);
    assertThat(keys.type("queue:processing")).isEqualTo("zset");
    assertThat(keys.zscore("queue:processing", first))
        .isBetween(Instant.now().getEpochSecond() - 300.0, Instant.now().getEpochSecond() + 300.0);
    assertThat(keys.lrange("queue:pending", 0, -1)).containsExactly(second);
    assertThat(keys.hget("task:" + first, "status")).isEqualTo("STARTED");
    assertThat(keys.hget("task:" + first, "worker_id")).isEqualTo("w1");
    Instant.parse(keys.hget("task:" + first, "started_at"));

    complete(token, first);
    await(() -> "SUCCESS".equals(keys.hget("task:" + first, "status")));
    assertThat(keys.zcard("queue:processing")).isZero();
    assertThat(keys.hget("task:" + first, "result")).isEqualTo("{\"n\":1}");
    Instant.parse(keys.hget("task:" + first, "completed_at"));

    next(token);
    server.post(
        "/api/v1/worker/tasks/" + second + "/fail",
        "{\"error\":\"ValueError: no\"}",
        "Authorization",
        "Bearer " + token);
    await(() -> keys.zcard("queue:failed") == 1);
    assertThat(keys.zscore("queue:failed", second)).isPositive();
    assertThat(keys.exists("queue:processing", "queue:pending")).isZero();
    assertThat(keys.hgetall("task:" + second))
        .containsEntry("status", "FAILURE")
        .containsEntry("traceback", "ValueError: no")
        .containsEntry("retries", "1");
  }

  @Test
  void aWorkerOfWorkerApiIsAHashAsLongAsItIsRegistered() throws Exception {
    String token = enrol("w1");
    await(() -> keys.exists("worker:w1") == 1);
    Map<String, String> hash = keys.hgetall("worker:w1");
    assertThat(hash)
        .containsOnlyKeys("worker_id", "name", "jwt_hash", "registered_at", "last_active")
        .containsEntry("worker_id", "w1")
        .containsEntry("name", "a name");
    assertThat(hash.get("jwt_hash")).matches("[0-9a-f]{64}").doesNotContain(token);
    Instant.parse(hash.get("registered_at"));

    server.post("/api/v1/worker/heartbeat", "", "Authorization", "Bearer " + token);
    await(() ->
        !Instant.parse(keys.hget("worker:w1", "last_active"))
            .isBefore(Instant.parse(hash.get("last_active"))));

    server.send(server.request("/api/v1/admin/workers/w1", ADMIN).DELETE());
    await(() -> keys.exists("worker:w1") == 0);
  }

  /** Submits a job, and waits until its message is there. */
  private String submit(String json) throws InterruptedException {
    int before = messages(json.contains("\"queue\":\"q\"") ? "q" : Jobs.QUEUE).size();
    String id = submitQuietly(json);
    if (!json.contains("requirements")) {
      await(() -> messages(json.contains("\"queue\":\"q\"") ? "q" : Jobs.QUEUE).size() > before);
    }
    return id;
  }

  private String submitQuietly(String json) {
    Answer answer = server.post("/v1/jobs", json);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    return answer.text("job_id");
  }

  private String task(String json) throws InterruptedException {
    String id = server.post("/api/v1/tasks", json, ADMIN).text("task_id");
    await(() -> keys.exists("task:" + id) == 1);
    return id;
  }

  private String enrol(String worker) {
    return server
        .post(
            "/api/v1/admin/workers",
            "{\"name\":\"a name\",\"worker_id\":\"%s\"}".formatted(worker),
            ADMIN)
        .text("token");
  }

  private void next(String token) {
    assertThat(server.get("/api/v1/worker/tasks/next", "Authorization", "Bearer " + token).status())
        .isEqualTo(200);
  }

  private void complete(String token, String id) {
    Answer answer =
        server.post(
            "/api/v1/worker/tasks/" + id + "/complete",
            "{\"result\":{\"n\":1}}",
            "Authorization",
            "Bearer " + token);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private List<StreamMessage<String, String>> messages(String queue) {
    return keys.xrange(queue, Range.unbounded());
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Waits.until(condition);
  }
}
