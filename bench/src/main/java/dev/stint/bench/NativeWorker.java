package dev.stint.bench;

import dev.stint.bench.NativeSights.Sight;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/**
 * A worker that takes its jobs from a stream of Redis and tells there what it does, and waits after
 * each step until that is seen over HTTP.
 */
final class NativeWorker implements AutoCloseable {
  private static final String GROUP = "workers";
  private static final String MESSAGE_WITHIN_MS = "20000";
  private static final Duration LONGEST_WORK = Duration.ofMillis(100);

  private final String name;
  private final Target target;
  private final String queue;
  private final WaitingConnection http;
  private final RedisCaller redis;
  private final JsonFields job = new JsonFields("status", "result");
  private final Random random;

  NativeWorker(int number, Target target, int redisPort, String queue) throws IOException {
    this.name = queue + "-" + number;
    this.target = target;
    this.queue = queue;
    this.random = new Random(number);
    this.http = new WaitingConnection(target);
    try {
      this.redis = new RedisCaller(redisPort);
    } catch (IOException e) {
      http.close();
      throw e;
    }
  }

  /** Makes the stream with its group, as the first worker of a queue does. */
  static void makeGroup(int redisPort, String queue) throws IOException {
    try (RedisCaller caller = new RedisCaller(redisPort)) {
      caller.call("XGROUP", "CREATE", queue, GROUP, "0", "MKSTREAM");
    }
  }

  /** Submits a job, and does one: this or another that was submitted so. */
  void work(NativeSights sights) throws IOException, InterruptedException, RunFailedException {
    http.exchange("submit", target.post("/v1/jobs", JobRequests.submitBody(queue, 0)), 201);
    List<String> message =
        redis.call(
            "XREADGROUP",
            "GROUP",
            GROUP,
            name,
            "COUNT",
            "1",
            "BLOCK",
            MESSAGE_WITHIN_MS,
            "STREAMS",
            queue,
            ">");
    long written = System.nanoTime();
    int field = message.indexOf("job_id");
    if (field < 0) {
      throw new RunFailedException("a stream gave no message but " + message);
    }
    String id = message.get(field + 1);
    write(id, "running", "status", "running");
    try (JobEvents events = new JobEvents(target, id)) {
      events.expect("hello");
      events.expect("queued");
      events.expect("running");
      sights.record(Sight.RUNNING, written);

      pause();
      written = System.nanoTime();
      tell(id, "token");
      events.expect("token");
      sights.record(Sight.WORD, written);

      pause();
      written = System.nanoTime();
      write(id, "done", "status", "done", "result", "{\"ok\":true}");
      redis.call("XACK", queue, GROUP, message.get(1));
      events.expect("done");
      sights.record(Sight.DONE, written);
    }
    Answer read = http.exchange("read", target.get("/v1/jobs/" + id), 200);
    sights.record(Sight.READ, written);
    if (!job.scan(read) || !job.string(0).equals("done") || !job.raw(1).equals("{\"ok\":true}")) {
      throw new RunFailedException("a job that is done was read as " + read.shown());
    }
  }

  /** The hash first, then the event. */
  private void write(String id, String type, String... fields) throws IOException {
    String[] command = new String[fields.length + 4];
    command[0] = "HSET";
    command[1] = "job:" + id;
    command[2] = "updated_ts";
    command[3] = now();
    System.arraycopy(fields, 0, command, 4, fields.length);
    redis.call(command);
    tell(id, type);
  }

  private void tell(String id, String type) throws IOException {
    redis.call(
        "XADD",
        "job:" + id + ":events",
        "*",
        "type",
        type,
        "ts",
        now(),
        "step",
        "bench",
        "data",
        "{}");
  }

  private static String now() {
    return Long.toString(System.currentTimeMillis());
  }

  /** The control plane looks now and then: what is written must not always come after a look. */
  private void pause() throws InterruptedException {
    Thread.sleep(random.nextLong(LONGEST_WORK.toMillis()));
  }

  @Override
  public void close() {
    http.close();
    redis.close();
  }
}
