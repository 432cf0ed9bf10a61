package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.assertions.PlaywrightAssertions;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Consumer;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a worker that knows Redis alone does, as it is seen over HTTP. */
@Timeout(60)
class NativeJobTest {
  @SuppressWarnings("NullAway.Init")
  private TestRedis redis;

  @SuppressWarnings("NullAway.Init")
  private RedisClient client;

  @SuppressWarnings("NullAway.Init")
  private RedisCommands<String, String> keys;

  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path folder) {
    redis = TestRedis.start();
    client = RedisClient.create(redis.url());
    keys = client.connect().sync();
    server = TestServer.start(folder, settings -> settings.withRedis(redis.url()));
  }

  @AfterEach
  void stop() {
    server.close();
    client.shutdown();
    redis.close();
  }

  @Test
  void itsJobIsFollowedInItsOwnWords() throws Exception {
    String id = Jobs.submit(server, "");
    CompletableFuture<Answer> followed =
        CompletableFuture.supplyAsync(() -> server.get("/v1/jobs/" + id + "/events"));
    StreamMessage<String, String> message = take();
    keys.hset("job:" + id, Map.of("status", "running", "updated_ts", "1"));
    tell(id, "running", "worker.start", "{}");
    tell(id, "token", "llm", "{\"text\": \"Hel\"}");
    tell(id, "token", "llm", "{\"text\": \"lo\"}");
    Waits.until(() -> "n1".equals(server.get("/v1/jobs/" + id).get("worker_id")));
    assertThat(Jobs.status(server, id)).isEqualTo("running");
    keys.hset(
        "job:" + id, Map.of("status", "done", "result", "{\"answer\": 42}", "updated_ts", "2"));
    tell(id, "done", "worker.done", "{\"ms\": 7}");
    keys.xack(Jobs.QUEUE, "workers", message.getId());

    List<String> lines = followed.get(20, TimeUnit.SECONDS).body().lines().toList();

    assertThat(lines.stream().filter(line -> line.startsWith("event: ")))
        .containsExactly(
            "event: hello",
            "event: queued",
            "event: running",
            "event: token",
            "event: token",
            "event: done");
    assertThat(lines.stream().filter(line -> line.startsWith("data: ")).skip(3).limit(2))
        .satisfiesExactly(
            first -> assertThat(first).contains("\"step\":\"llm\"").contains("{\"text\": \"Hel\"}"),
            second -> assertThat(second).contains("{\"text\": \"lo\"}"));
    assertThat(lines.stream().filter(line -> line.startsWith("data: ")).toList().getLast())
        .contains("\"details\":{\"ms\": 7}");
    Answer job = server.get("/v1/jobs/" + id);
    assertThat(job.text("status")).isEqualTo("done");
    assertThat(job.get("result")).isEqualTo(Map.of("answer", 42L));
  }

  @Test
  void whatItSaysIsOnTheDashboardAndWhatIsNoTextIsNot() throws Exception {
    String id = Jobs.submit(server, "");
    take();
    try (Chromium chromium = Chromium.start();
        Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/jobs/" + id).sees("n1 holds it");
      tell(id, "output", "llm", "null");
      tell(id, "output", "llm", "{\"text\": 7}");
      tell(id, "output", "llm", "{\"text\": \"Hello\"}");
      tell(id, "progress", "worker.progress", "null");
      tell(id, "progress", "worker.progress", "{\"message\": {}}");
      tell(id, "progress", "worker.progress", "{\"progress\": 40, \"message\": \"reading\"}");
      visit.sees("Messages");
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Output")).hasText("Hello");
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Messages").locator("p"))
          .containsText(new String[] {"40 %reading"});
    }
  }

  @Test
  void aClaimOverHttpNamesTheMessageAndTakesIt() throws Exception {
    String id = Jobs.submit(server, "");
    Waits.until(() -> keys.xlen(Jobs.QUEUE) == 1);
    String message = keys.xrange(Jobs.QUEUE, Range.unbounded()).getFirst().getId();
    Answer claimed = Jobs.claim(server, "w1");
    assertThat(claimed.text("job_id")).isEqualTo(id);
    assertThat(claimed.text("message_id")).isEqualTo(message);
    assertThat(keys.xlen(Jobs.QUEUE)).isZero();
    assertThat(keys.xack(Jobs.QUEUE, "workers", message)).isZero();
  }

  @Test
  void nobodyOverHttpGetsWhatAWorkerOfTheStreamHas() throws Exception {
    String id = Jobs.submit(server, "");
    take();
    assertThat(Jobs.claim(server, "w1").get("claimed")).isEqualTo(false);
    assertThat(server.get("/v1/jobs/" + id).text("worker_id")).isEqualTo("n1");
    assertThat(
            server
                .post(
                    "/v1/leases/claim",
                    "{\"worker_id\":\"w1\",\"streams\":[\"jobs:stream\"],\"max_jobs\":5}")
                .get("jobs"))
        .isEqualTo(List.of());
  }

  @SuppressWarnings("unchecked") // the client takes places as a list of unknown length
  private StreamMessage<String, String> take() throws InterruptedException {
    Waits.until(() -> keys.exists(Jobs.QUEUE) == 1);
    return Objects.requireNonNull(
            keys.xreadgroup(
                Consumer.from("workers", "n1"),
                XReadArgs.Builder.block(10_000),
                XReadArgs.StreamOffset.lastConsumed(Jobs.QUEUE)))
        .getFirst();
  }

  private void tell(String id, String type, String step, String data) {
    keys.xadd("job:" + id + ":events", "type", type, "ts", "1", "step", step, "data", data);
  }
}
