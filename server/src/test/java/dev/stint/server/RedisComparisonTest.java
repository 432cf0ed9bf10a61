package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is wrong in Redis is found and put right, whatever it is. */
class RedisComparisonTest {
  private static final String[] ADMIN = {"X-API-Token", "dev-token"};
  private static final String STRANGER = "01900000-0000-7000-8000-000000000001";

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private TestRedis redis;

  @SuppressWarnings("NullAway.Init")
  private RedisClient client;

  @SuppressWarnings("NullAway.Init")
  private RedisCommands<String, String> keys;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  private String waiting = "";
  private String running = "";
  private String pending = "";
  private String failed = "";

  @BeforeEach
  void start() throws Exception {
    redis = TestRedis.start();
    client = RedisClient.create(redis.url());
    StatefulRedisConnection<String, String> connection = client.connect();
    keys = connection.sync();
    server = TestServer.start(folder, settings -> settings.withRedis(redis.url()));
    running = Jobs.submit(server, "");
    Jobs.lease(server, "w");
    waiting =
        server
            .post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}", "Idempotency-Key", "k 1")
            .text("job_id");
    failed = task();
    String token =
        server
            .post("/api/v1/admin/workers", "{\"name\":\"n\",\"worker_id\":\"w1\"}", ADMIN)
            .text("token");
    String[] bearer = {"Authorization", "Bearer " + token};
    server.get("/api/v1/worker/tasks/next", bearer);
    server.post("/api/v1/worker/tasks/" + failed + "/fail", "{\"error\":\"x\"}", bearer);
    pending = task();
    Waits.until(() -> keys.llen("queue:pending") == 1 && keys.zcard("queue:failed") == 1);
    Waits.until(() -> keys.xlen(Jobs.QUEUE) == 1 && keys.exists("worker:w1") == 1);
    assertThat(compare(false)).isEmpty();
  }

  private String task() {
    return server.post("/api/v1/tasks", "{\"payload\":{}}", ADMIN).text("task_id");
  }

  @AfterEach
  void stop() {
    server.close();
    client.shutdown();
    redis.close();
  }

  @Test
  void fieldsThatOthersHaveAddedToAWorkerAreLeftAlone() {
    keys.hset("worker:w1", "rack", "7");
    assertThat(compare(false)).isEmpty();

    keys.hset("worker:w1", "name", "another");
    assertThat(compare(true)).containsExactly("worker:w1");

    assertThat(keys.hget("worker:w1", "name")).isEqualTo("n");
    assertThat(keys.hget("worker:w1", "rack")).isEqualTo("7");
  }

  @Test
  void aWorkersKeyOfAnotherTypeIsReplaced() {
    keys.del("worker:w1");
    keys.set("worker:w1", "somebody else's");
    assertThat(compare(true)).containsExactly("worker:w1");
    assertThat(compare(false)).isEmpty();
    assertThat(keys.hget("worker:w1", "name")).isEqualTo("n");
  }

  @Test
  void everyKeyThatIsWrongIsNamedAndPutRight() throws Exception {
    Map<String, Runnable> damages = new TreeMap<>();
    damages.put("job:" + running, () -> keys.hset("job:" + running, "status", "done"));
    damages.put("job:" + waiting, () -> keys.del("job:" + waiting));
    damages.put("job:" + running + ":events", () -> keys.del("job:" + running + ":events"));
    damages.put("job:" + waiting + ":events", () -> keys.expire("job:" + waiting + ":events", 60));
    damages.put("idempotency:k 1", () -> keys.del("idempotency:k 1"));
    damages.put("task:" + pending, () -> keys.hdel("task:" + pending, "payload"));
    damages.put("queue:pending", () -> keys.lpush("queue:pending", STRANGER));
    damages.put("queue:failed", () -> keys.zrem("queue:failed", failed));
    damages.put("worker:w1", () -> keys.hset("worker:w1", "name", "another"));
    damages.put("worker:w2", () -> keys.hset("worker:w2", "jwt_hash", "x"));
    damages.put("tasks", () -> keys.del("tasks"));
    damages.put(
        Jobs.QUEUE, () -> keys.xadd(Jobs.QUEUE, Map.of("job_id", STRANGER, "enqueue_id", "x")));
    damages.put("job:" + STRANGER, () -> keys.hset("job:" + STRANGER, "status", "queued"));
    damages.put("task:" + waiting, () -> keys.hset("task:" + waiting, "status", "PENDING"));
    damages.put("idempotency:other", () -> keys.set("idempotency:other", running));
    Map<String, String> before = snapshot();

    // What the server puts right by itself meanwhile is damaged again.
    for (String key : damages.keySet()) {
      Waits.until(() -> {
        Objects.requireNonNull(damages.get(key)).run();
        return compare(false).contains(key);
      });
    }
    Set<String> putRight = new HashSet<>();
    Waits.until(() -> {
      damages.values().forEach(Runnable::run);
      putRight.addAll(compare(true));
      return putRight.containsAll(damages.keySet());
    });

    assertThat(compare(false)).isEmpty();
    assertThat(snapshot()).isEqualTo(before);
  }

  @Test
  void whatIsNobodysBusinessIsLeftAlone() {
    keys.hset("job:17", "a", "b");
    keys.set("job:0b5a4c1e-0000-4000-8000-000000000000", "made by somebody else");
    keys.set("idempotency:x", "nothing of ours");
    keys.hset("worker:w9", "a", "b");
    keys.set("other", "x");

    assertThat(compare(true)).isEmpty();
    assertThat(keys.exists("job:17", "idempotency:x", "worker:w9", "other")).isEqualTo(4);
  }

  @Test
  void anEventThatIsMissingBetweenOthersIsPutBackInItsPlace() throws Exception {
    String events = "job:" + failed + ":events";
    List<String> types = types(events);
    assertThat(types).hasSizeGreaterThan(2);
    keys.xdel(events, keys.xrange(events, Range.unbounded()).get(1).getId());

    assertThat(compare(false)).contains(events);
    compare(true);

    assertThat(types(events)).isEqualTo(types);
    assertThat(compare(false)).isEmpty();
  }

  private List<String> types(String events) {
    return keys.xrange(events, Range.unbounded()).stream()
        .map(entry -> Objects.requireNonNull(entry.getBody().get("type")))
        .toList();
  }

  @Test
  void aRedisThatLosesEverythingIsFilledAgainByItself() throws Exception {
    Map<String, String> before = snapshot();

    keys.flushall();

    Waits.until(() -> snapshot().equals(before));
    assertThat(compare(false)).isEmpty();
  }

  @Test
  void notesThatWereThrownAwayWhileRedisWasGoneAreMadeUpForByTheNextStart() throws Exception {
    redis.kill();
    String late = Jobs.submit(server, "");
    server.post("/v1/jobs/" + waiting + "/cancel", "{}");
    server.close();
    try (Connection database = DriverManager.getConnection("jdbc:sqlite:" + folder + "/stint.db");
        Statement statement = database.createStatement()) {
      assertThat(statement.executeUpdate("DELETE FROM outbox")).isPositive();
    }

    redis.restart();
    server = TestServer.start(folder, settings -> settings.withRedis(redis.url()));

    Waits.until(() -> keys.exists("job:" + late) == 1);
    Waits.until(() -> "canceled".equals(keys.hget("job:" + waiting, "status")));
    assertThat(compare(false)).isEmpty();
  }

  @Test
  void aPlaceThatDoesNotExistIsRefused() {
    assertThat(server.get("/v1/redis/check?next=nowhere", ADMIN).status()).isEqualTo(400);
    assertThat(server.get("/v1/redis/check?next=jobs:x", ADMIN).status()).isEqualTo(400);
    assertThat(server.post("/v1/redis/repair", "{\"next\":7}", ADMIN).status()).isEqualTo(400);
  }

  @Test
  void theLagGrowsWhileAChangeWaitsForARedisThatIsAwayAndIsNothingOnceItIsBack() throws Exception {
    Waits.until(() -> metric("stint_redis_lag_seconds") == 0);
    assertThat(metric("stint_redis_up")).isEqualTo(1);

    redis.kill();
    String late = Jobs.submit(server, "");
    Waits.until(() -> metric("stint_redis_up") == 0);
    Waits.until(() -> metric("stint_redis_lag_seconds") > 0);
    double before = metric("stint_redis_lag_seconds");
    Waits.until(() -> metric("stint_redis_lag_seconds") > before + 2);

    redis.restart();
    Waits.until(() -> metric("stint_redis_lag_seconds") == 0);
    assertThat(metric("stint_redis_up")).isEqualTo(1);
    assertThat(redis.command("EXISTS", "job:" + late)).isEqualTo(":1");
  }

  private double metric(String name) {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  /** All that users see, without what is another each time it is written. */
  private Map<String, String> snapshot() {
    Map<String, String> all = new HashMap<>();
    for (String key : keys.keys("*")) {
      String value =
          switch (keys.type(key)) {
            case "hash" ->
                key.startsWith("stint:") ? "" : new TreeMap<>(keys.hgetall(key)).toString();
            case "stream" -> bodies(key);
            case "list" -> keys.lrange(key, 0, -1).toString();
            case "zset" -> keys.zrangeWithScores(key, 0, -1).toString();
            default -> key.startsWith("stint:") ? "" : String.valueOf(keys.get(key));
          };
      all.put(key, value + (keys.pttl(key) > 0 && !key.startsWith("stint:") ? " for a while" : ""));
    }
    return all;
  }

  private String bodies(String stream) {
    return keys.xrange(stream, Range.unbounded()).stream()
        .map(entry -> new TreeMap<>(entry.getBody()).toString())
        .toList()
        .toString();
  }

  /** The keys that differ. */
  private List<String> compare(boolean repair) {
    List<String> different = new ArrayList<>();
    String next = null;
    do {
      Answer answer = repair ? repair(next) : check(next);
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      for (Object one : (List<?>) Objects.requireNonNull(answer.get("differences"))) {
        different.add(String.valueOf(((Map<?, ?>) one).get("key")));
      }
      if (repair) {
        assertThat(answer.get("left")).as(answer.body()).isEqualTo(0L);
      }
      next = (String) answer.get("next");
    } while (next != null);
    return different;
  }

  private Answer check(@Nullable String next) {
    return server.get(
        "/v1/redis/check" + (next == null ? "" : "?next=" + next.replace(" ", "%20")), ADMIN);
  }

  private Answer repair(@Nullable String next) {
    return server.post(
        "/v1/redis/repair", next == null ? "{}" : "{\"next\":\"" + next + "\"}", ADMIN);
  }
}
