package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.sdk.StintClient;
import dev.stint.client.sdk.Submission;
import dev.stint.testkit.TestRedis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code stint redis} with a real control plane and a real Redis. */
@Timeout(120)
class RedisCommandTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void checkEndsWith1AndNamesTheKeyThatDiffersUntilItWasPutRight() throws Exception {
    try (TestRedis redis = TestRedis.start();
        StintProcess server =
            StintProcess.start(
                folder, Map.of(), "server", "--addr", "127.0.0.1:0", "--redis", redis.url())) {
      String url = "http://127.0.0.1:" + server.port();
      Caller caller = new Caller(url);
      String id =
          StintClient.to(url, null)
              .submit(Submission.of("chat", Map.of("n", 1)), Duration.ofSeconds(30));
      String key = "job:" + id;
      Fleet.await(() -> redis.command("EXISTS", key).equals(":1"));
      assertRight(caller.run("redis", "check"));

      // Without a new field: the answer is how many were added.
      assertThat(redis.command("HSET", key, "status", "done")).isEqualTo(":0");
      Caller.Result wrong = caller.run("redis", "check");
      assertThat(wrong.code()).as(wrong.err()).isEqualTo(1);
      assertThat(wrong.out()).containsPattern("(?m)^" + key + " +has another status$");
      assertThat(wrong.out()).hasLineCount(2);
      assertThat(wrong.err()).contains("1 differ; put them right with --repair");

      Caller.Result repaired = caller.run("redis", "check", "--repair");
      assertThat(repaired.code()).as(repaired.err()).isZero();
      assertThat(repaired.out()).contains(key);
      assertThat(repaired.err()).contains("1 were put right");
      assertThat(redis.command("HSTRLEN", key, "status")).isEqualTo(":" + "queued".length());

      assertRight(caller.run("redis", "check"));
    }
  }

  private static void assertRight(Caller.Result check) {
    assertThat(check.code()).as(check.out() + check.err()).isZero();
    assertThat(check.out()).isEmpty();
    assertThat(check.err()).contains("Redis is as the database has it");
  }
}
