package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stint.client.Json;
import dev.stint.testkit.TestRedis;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The worker in examples/python on a real Redis. */
@Timeout(120)
class PythonExampleTest {
  private static final Path SCRIPT =
      Path.of("../examples/python/stint_native_worker.py").toAbsolutePath().normalize();

  private final TestRedis redis = TestRedis.start();
  private final GatewaySide gateway = new GatewaySide(redis.url());
  private final List<Process> workers = new ArrayList<>();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @BeforeAll
  static void pythonIsThere() {
    boolean isThere =
        Stream.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(File.pathSeparator))
            .anyMatch(place -> Files.isExecutable(Path.of(place, "python3")));
    assumeTrue(isThere, "there is no python3 on the PATH, so the Python example is not tested");
  }

  @AfterEach
  void stop() throws Exception {
    for (Process worker : workers) {
      worker.destroyForcibly().waitFor();
    }
    gateway.close();
    redis.close();
  }

  private Process worker(String name) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder("python3", SCRIPT.toString(), "--name", name)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve(name + ".log").toFile());
    builder.environment().put("STINT_REDIS", redis.url());
    Process process = builder.start();
    workers.add(process);
    return process;
  }

  @Test
  void itDoesJobsAsTheContractSaysAndStopsWhenTold() throws Exception {
    gateway.enqueue("good", "{\"prompt\":\"h\u00e9llo\"}");
    gateway.enqueue("raw", "abc{");
    gateway.enqueue("bad", "{\"fail\":\"no way\"}");
    gateway.enqueue("over", "{}");
    gateway.call("HSET", "job:over", "status", "canceled");

    Process worker = worker("p1");
    gateway.awaitStatus("good", "done");
    gateway.awaitStatus("raw", "done");
    gateway.awaitStatus("bad", "error");
    GatewaySide.await(() -> gateway.pending() == 0);

    assertThat(json("good", "result")).isEqualTo(Map.of("task", "chat", "answer", "oll\u00e9h"));
    assertThat(json("raw", "result")).isEqualTo(Map.of("task", "chat", "answer", "{cba"));
    assertThat(json("bad", "error")).isEqualTo(Map.of("code", "ValueError", "message", "no way"));
    assertThat(gateway.hash("over")).containsEntry("status", "canceled");
    assertThat(gateway.events("good"))
        .extracting(event -> event.get("type"))
        .containsExactly("running", "done");
    assertThat(gateway.events("bad").getLast()).containsEntry("type", "error");
    for (String key : List.of("job:good", "job:good:events")) {
      assertThat((Long) gateway.call("TTL", key)).isBetween(1L, 120L);
    }
    worker.destroy();
    assertThat(worker.waitFor(30, TimeUnit.SECONDS)).isTrue();
    assertThat(worker.exitValue()).isZero();
  }

  private Object json(String id, String field) throws IOException {
    return Objects.requireNonNull(Json.read(Objects.requireNonNull(gateway.hash(id).get(field))));
  }

  @Test
  void itTakesUpWhatItHadAndWaitsForARedisThatIsAway() throws Exception {
    gateway.call("XGROUP", "CREATE", GatewaySide.STREAM, "workers", "0", "MKSTREAM");
    gateway.enqueue("mine", "{}");
    gateway.call(
        "XREADGROUP", "GROUP", "workers", "p1", "COUNT", "1", "STREAMS", GatewaySide.STREAM, ">");

    worker("p1");
    gateway.awaitStatus("mine", "done");
    redis.restart();
    gateway.enqueue("later", "{}");
    gateway.awaitStatus("later", "done");
  }
}
