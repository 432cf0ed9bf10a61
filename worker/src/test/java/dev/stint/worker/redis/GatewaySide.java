package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** What a gateway does in Redis, as the contract says, and what it sees there of a worker. */
final class GatewaySide implements AutoCloseable {
  static final String STREAM = "jobs:stream";

  private final RedisUrl url;
  private @Nullable RedisConnection connection;

  GatewaySide(String url) {
    this.url = RedisUrl.parse(url);
  }

  /** On a new connection if the last one broke. */
  @Nullable Object call(String... words) throws IOException {
    if (connection == null) {
      connection = RedisConnection.open(url, RedisConnection.TIMEOUT);
    }
    try {
      return connection.call(words);
    } catch (RedisRefusedException e) {
      throw e;
    } catch (IOException e) {
      close();
      connection = RedisConnection.open(url, RedisConnection.TIMEOUT);
      return connection.call(words);
    }
  }

  void enqueue(String id, String payload) throws IOException {
    call(
        "HSET",
        "job:" + id,
        "job_id",
        id,
        "task",
        "chat",
        "payload",
        payload,
        "status",
        "queued",
        "created_ts",
        "1",
        "updated_ts",
        "1",
        "ttl_s",
        "120",
        "result",
        "",
        "error",
        "");
    call("EXPIRE", "job:" + id, "120");
    call("XADD", STREAM, "*", "job_id", id, "task", "chat", "payload", payload);
  }

  Map<String, String> hash(String id) throws IOException {
    return RedisJob.fields(call("HGETALL", "job:" + id));
  }

  List<Map<String, String>> events(String id) throws IOException {
    List<Map<String, String>> events = new ArrayList<>();
    for (Object entry : list(call("XRANGE", "job:" + id + ":events", "-", "+"))) {
      events.add(RedisJob.fields(list(entry).get(1)));
    }
    return events;
  }

  /** How many messages are given to somebody and not acknowledged. */
  long pending() throws IOException {
    return (Long) Objects.requireNonNull(list(call("XPENDING", STREAM, "workers")).getFirst());
  }

  static List<?> list(@Nullable Object answer) {
    return (List<?>) Objects.requireNonNull(answer);
  }

  void awaitStatus(String id, String status) throws Exception {
    await(() -> status.equals(hash(id).get("status")));
  }

  static void await(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.call()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(10);
    }
  }

  @Override
  public void close() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
