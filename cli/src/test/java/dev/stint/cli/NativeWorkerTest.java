package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stint.client.Json;
import dev.stint.client.sdk.JobView;
import dev.stint.client.sdk.StintClient;
import dev.stint.client.sdk.Submission;
import dev.stint.testkit.TestRedis;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code stint worker --redis} as a process, on a real Redis. */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class NativeWorkerTest {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final Path PYTHON_EXAMPLE =
      Path.of("../examples/python/stint_native_worker.py").toAbsolutePath().normalize();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void itRunsTheCommandForEachJobAndSaysHowItWent() throws Exception {
    try (TestRedis redis = TestRedis.start("--requirepass", "s3cret")) {
      String url = redis.url().replace("redis://", "redis://:s3cret@");
      String script = "test \"$1\" != bad || { echo no >&2; exit 3; }; cat";
      try (StintProcess worker =
              StintProcess.start(
                  folder,
                  Map.of("STINT_REDIS", url),
                  "worker",
                  "--json",
                  "--slots",
                  "2",
                  "--stream",
                  "mine",
                  "--",
                  "sh",
                  "-c",
                  script,
                  "sh",
                  "{payload.kind}");
          RedisCaller caller = new RedisCaller(redis.port(), "s3cret")) {
        caller.enqueue("mine", "j1", "{\"kind\":\"good\"}");
        Map<?, ?> good = line(worker);
        assertThat(good.get("job_id")).isEqualTo("j1");
        assertThat(good.get("status")).isEqualTo("done");
        assertThat(good.get("result")).isEqualTo(Map.of("kind", "good"));
        caller.enqueue("mine", "j2", "{\"kind\":\"bad\"}");
        Map<?, ?> bad = line(worker);
        assertThat(bad.get("status")).isEqualTo("error");
        assertThat(Json.write(bad.get("error"))).contains("EXIT_3", "exit status 3: no");
        worker.signal("TERM");
        assertThat(worker.exitCode()).isZero();
        assertThat(worker.errors()).isEmpty();
      }
      try (StintProcess refused =
          StintProcess.start(
              folder, Map.of(), "worker", "--redis", redis.url() + "/0", "--", "true")) {
        assertThat(refused.exitCode()).isEqualTo(5);
        assertThat(refused.errors()).matches("stint: Redis refuses: NOAUTH.*\n");
      }
    }
  }

  @Test
  void aSecondSignalEndsAllCommandsAtOnceAndTheirJobsHaveNotFailed() throws Exception {
    try (TestRedis redis = TestRedis.start();
        StintProcess worker =
            StintProcess.start(
                folder,
                Map.of(),
                "worker",
                "--redis",
                redis.url(),
                "--drain-seconds",
                "600",
                "--kill-grace-seconds",
                "600",
                "--",
                "sh",
                "-c",
                "echo $$ > new; mv new pid; exec sleep 100")) {
      redis.command("HSET", "job:j1", "status", "queued", "ttl_s", "60");
      redis.command("XADD", "jobs:stream", "*", "job_id", "j1", "task", "chat", "payload", "{}");
      String process = Fleet.pid(folder.resolve("pid"));

      worker.signal("TERM");
      worker.signal("INT");

      assertThat(worker.exitCode()).isEqualTo(130);
      assertThat(Fleet.isRunning(process)).isFalse();
      assertThat(redis.command("HSTRLEN", "job:j1", "error")).isEqualTo(":0");
    }
  }

  @Test
  void whatIsSubmittedOverHttpItDoesAndItsResultIsThereOverHttp() throws Exception {
    try (TestRedis redis = TestRedis.start();
        StintProcess server = server(redis)) {
      String url = "http://127.0.0.1:" + server.port();
      try (StintProcess worker =
          StintProcess.start(
              folder, Map.of(), "worker", "--redis", redis.url(), "--json", "--", "cat")) {
        StintClient client = StintClient.to(url, null);
        String id = client.submit(Submission.of("chat", Map.of("kind", "good")), LONG);
        assertThat(line(worker).get("job_id")).isEqualTo(id);
        assertDone(client, id, Map.of("kind", "good"));
        worker.signal("TERM");
        assertThat(worker.exitCode()).isZero();
        assertThat(worker.errors()).isEmpty();
      }
      assertRight(url);
    }
  }

  @Test
  void soDoesTheExampleInPython() throws Exception {
    assumeTrue(isPythonThere(), "there is no python3 on the PATH");
    try (TestRedis redis = TestRedis.start();
        StintProcess server = server(redis)) {
      String url = "http://127.0.0.1:" + server.port();
      Process worker =
          new ProcessBuilder("python3", PYTHON_EXAMPLE.toString(), "--redis", redis.url())
              .redirectErrorStream(true)
              .redirectOutput(folder.resolve("python.log").toFile())
              .start();
      try {
        StintClient client = StintClient.to(url, null);
        String id = client.submit(Submission.of("chat", Map.of("prompt", "abc")), LONG);
        assertDone(client, id, Map.of("task", "chat", "answer", "cba"));
      } finally {
        worker.destroyForcibly().waitFor();
      }
      assertRight(url);
    }
  }

  private StintProcess server(TestRedis redis) throws IOException {
    return StintProcess.start(
        folder, Map.of(), "server", "--addr", "127.0.0.1:0", "--redis", redis.url());
  }

  private static void assertDone(StintClient client, String id, Map<String, String> result)
      throws IOException {
    JobView job = client.await(id, LONG).orElseThrow();
    assertThat(job.status()).as(job.toString()).isEqualTo("done");
    assertThat(job.result()).isEqualTo(result);
  }

  private static void assertRight(String url) {
    Caller.Result check = new Caller(url).run("redis", "check");
    assertThat(check.code()).as(check.out() + check.err()).isZero();
  }

  private static boolean isPythonThere() {
    return Stream.of(
            Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
        .anyMatch(place -> Files.isExecutable(Path.of(place, "python3")));
  }

  private static Map<?, ?> line(StintProcess worker) throws Exception {
    return (Map<?, ?>) Objects.requireNonNull(Json.read(worker.line()));
  }

  /** Speaks to Redis by words on a line, which it takes as well. */
  private static final class RedisCaller implements AutoCloseable {
    private final Socket socket;

    RedisCaller(int port, String password) throws Exception {
      socket = new Socket(InetAddress.getLoopbackAddress(), port);
      send("AUTH " + password);
    }

    void enqueue(String stream, String id, String payload) throws Exception {
      send("HSET job:" + id + " status queued ttl_s 60");
      send(
          "XADD %s * job_id %s task chat payload %s"
              .formatted(stream, id, "\"" + payload.replace("\"", "\\\"") + "\""));
    }

    private void send(String line) throws Exception {
      socket.getOutputStream().write((line + "\r\n").getBytes(StandardCharsets.UTF_8));
      socket.getOutputStream().flush();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
