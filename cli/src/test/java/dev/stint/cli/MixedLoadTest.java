package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Api;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.JobView;
import dev.stint.client.sdk.StintClient;
import dev.stint.client.sdk.StintWorker;
import dev.stint.client.sdk.Submission;
import dev.stint.client.sdk.Submitted;
import dev.stint.testkit.TestPostgres;
import dev.stint.testkit.TestRedis;
import dev.stint.worker.redis.RedisWorker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers that lease over HTTP and workers that read the stream, on one queue. */
@Timeout(200)
class MixedLoadTest {
  private static final int JOBS = 5_000;
  private static final Duration LONG = Duration.ofMinutes(2);

  /** Who ran a job, by the job. */
  private final Map<String, Queue<String>> runs = new ConcurrentHashMap<>();

  /** What native workers told of as theirs. */
  private final Map<String, Queue<String>> toldNatively = new ConcurrentHashMap<>();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void bothKindsShareOneStreamAndNoJobIsLostOrRunTwice() throws Exception {
    String address = "127.0.0.1:" + StintProcess.freePort();
    String url = "http://" + address;
    try (TestRedis redis = TestRedis.start();
        StintProcess _ = server(address, redis)) {
      StintClient client = StintClient.to(url, null);
      List<Submitted> first = client.submitAll(jobs(JOBS / 2), LONG);
      try (StintWorker _ = leasing(url, "lease-1");
          RedisWorker _ = reading(redis.url(), "native-1");
          StintWorker _ = leasing(url, "lease-2");
          RedisWorker _ = reading(redis.url(), "native-2")) {
        List<Submitted> second = client.submitAll(jobs(JOBS / 2), LONG);
        assertEach(client, first);
        assertEach(client, second);
      }
      assertThat(runs).hasSize(JOBS);
      assertThat(runs.values().stream().flatMap(Queue::stream))
          .anyMatch(name -> name.startsWith("lease-"))
          .anyMatch(name -> name.startsWith("native-"));
      assertThat(toldNatively)
          .allSatisfy((id, names) -> assertThat(names).isSubsetOf(runs.get(id)));
      assertRight(url, redis);
    }
  }

  /** Jobs that the one took in are claimed at the other, and shown by whoever leads just then. */
  @Test
  void thoughTheControlPlaneThatRelaysIsKilledNoJobIsLostOrRunTwice() throws Exception {
    String db = TestPostgres.shared().newDatabase();
    int jobs = 1_500;
    String address = "127.0.0.1:" + StintProcess.freePort();
    String url = "http://" + address;
    String killed = "127.0.0.1:" + StintProcess.freePort();
    try (TestRedis redis = TestRedis.start();
        StintProcess first = server(killed, redis, "--db", db)) {
      StintClient atFirst = StintClient.to("http://" + killed, null);
      List<Submitted> before = new ArrayList<>(atFirst.submitAll(jobs(jobs / 3), LONG));
      try (StintProcess _ = server(address, redis, "--db", db)) {
        StintClient client = StintClient.to(url, null);
        try (StintWorker _ = leasing(url, "lease-1");
            RedisWorker _ = reading(redis.url(), "native-1");
            StintWorker _ = leasing(url, "lease-2")) {
          before.addAll(client.submitAll(jobs(jobs / 3), LONG));
          first.kill();
          for (int i = 0; i < 10; i++) {
            before.addAll(client.submitAll(jobs(jobs / 30), LONG));
            Thread.sleep(700);
          }
          assertEach(client, before);
        }
        assertThat(runs).hasSize(jobs);
        assertRight(url, redis);
      }
    }
  }

  private static void assertRight(String url, TestRedis redis) {
    Caller.Result check = new Caller(url).run("redis", "check");
    assertThat(check.code()).as(check.out() + check.err()).isZero();
    assertThat(redis.command("XLEN", "jobs:stream")).isEqualTo(":0");
  }

  @Test
  void aJobWithoutATtlOfAnotherContractIsDoneByANativeWorkerAndKept() throws Exception {
    String address = "127.0.0.1:" + StintProcess.freePort();
    String url = "http://" + address;
    try (TestRedis redis = TestRedis.start();
        StintProcess _ = server(address, redis)) {
      Api api = new Api(url, "dev-token", LONG);
      Fleet.await(() -> isUp(api));
      String id =
          Objects.requireNonNull(
              api.post("/jobs", Map.of("command", "echo", "args", List.of("hello")))
                  .string("job_id"));
      try (RedisWorker _ =
          RedisWorker.to(redis.url()).stream("commands").handle(Job::payload).start()) {
        Fleet.await(() -> "COMPLETED".equals(api.get("/jobs/" + id).string("status")));
      }
      assertThat(redis.command("EXISTS", "job:" + id, "job:" + id + ":events")).isEqualTo(":2");
      JobView job = StintClient.to(url, "dev-token").find(id).orElseThrow();
      assertThat(String.valueOf(job.result())).contains("echo", "hello");
      Caller.Result check = new Caller(url).run("redis", "check");
      assertThat(check.code()).as(check.out() + check.err()).isZero();
    }
  }

  private static boolean isUp(Api api) {
    try {
      return api.get("/readyz").isOk();
    } catch (IOException e) {
      return false;
    }
  }

  private StintProcess server(String address, TestRedis redis, String... options)
      throws IOException {
    List<String> all = new ArrayList<>(List.of("server", "--addr", address));
    all.addAll(List.of(options));
    return StintProcess.logging(
        folder.resolve(address.replace(':', '-') + ".log"),
        Map.of("STINT_REDIS", redis.url()),
        all.toArray(String[]::new));
  }

  private static List<Submission> jobs(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> Submission.of("chat", Map.of("n", i)).maxAttempts(1))
        .toList();
  }

  private StintWorker leasing(String url, String name) {
    return StintWorker.to(url).workerId(name).slots(8).handle(handler(name, 5)).start();
  }

  private RedisWorker reading(String url, String name) throws Exception {
    return RedisWorker.to(url)
        .workerId(name)
        .slots(8)
        .onEnd(ended -> add(toldNatively, ended.jobId(), name))
        .handle(handler(name, 60))
        .start();
  }

  /** Native ones take longer: a worker that reads the stream is quicker to get the next job. */
  private Handler handler(String name, int longestMs) {
    return job -> {
      add(runs, job.id(), name);
      Thread.sleep(ThreadLocalRandom.current().nextInt(longestMs));
      return result(job, name);
    };
  }

  private static Map<String, Object> result(Job job, String name) {
    return Map.of("by", name, "payload", Objects.requireNonNull(job.payload()));
  }

  private static void add(Map<String, Queue<String>> map, String id, String name) {
    map.computeIfAbsent(id, key -> new ConcurrentLinkedQueue<>()).add(name);
  }

  private void assertEach(StintClient client, List<Submitted> submitted) throws Exception {
    for (Submitted one : submitted) {
      String id = Objects.requireNonNull(one.jobId());
      JobView job = client.await(id, LONG).orElseThrow();
      assertThat(job.status()).as(job.toString()).isEqualTo("done");
      Object by = ((Map<?, ?>) Objects.requireNonNull(job.result())).get("by");
      assertThat(runs.get(id)).as(id).containsExactly(String.valueOf(by));
    }
  }
}
