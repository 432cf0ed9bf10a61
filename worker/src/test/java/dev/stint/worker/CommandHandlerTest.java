package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.Json;
import dev.stint.client.sdk.JobFailedException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs(OS.LINUX)
class CommandHandlerTest {
  private static @Nullable Object run(Object payload, String... words) throws Exception {
    Object result =
        new CommandHandler(List.of(words), Duration.ofSeconds(1)).handle(new GivenJob(payload));
    return Json.read(Json.write(result));
  }

  private static @Nullable Object script(Object payload, String script) throws Exception {
    return run(payload, "sh", "-c", script);
  }

  @Test
  void thePayloadComesOnStdinAndLinesOfJsonAreTheResult() throws Exception {
    Map<String, Object> payload = Map.of("n", 1L);
    assertThat(script(payload, "echo reading; cat")).isEqualTo(payload);
    assertThat(script(payload, "echo 1; echo '{\"a\":2}'")).isEqualTo(List.of(1L, Map.of("a", 2L)));
    assertThat(script(payload, "echo for people")).isEqualTo(Map.of("stdout", "for people\n"));
    assertThat(script("x".repeat(1 << 20), "true")).isEqualTo(Map.of("stdout", ""));
  }

  @Test
  void placesInItsArgumentsAreFilledAndStayOneWord() throws Exception {
    Map<String, Object> payload = Map.of("to", "a b; echo $HOME \"'", "n", List.of(1L, 2L));
    Object result = run(payload, "printf", "[\"%s\",\"%s\"]\\n", "{job_id}-{task}", "{payload.n}");
    assertThat(result).isEqualTo(List.of("j1-chat", "[1,2]"));
    assertThat(run(payload, "printf", "%s\\n", "<{payload.to}>{other}"))
        .isEqualTo(Map.of("stdout", "<a b; echo $HOME \"'>{other}\n"));
    assertThat(run(payload, "echo", "{payload}")).isEqualTo(payload);
    assertThatThrownBy(() -> run(payload, "echo", "{payload.no}"))
        .isInstanceOf(JobFailedException.class)
        .hasMessage("the payload has no no");
    assertThatThrownBy(() -> run(payload, "{payload.to}"))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anotherExitStatusIsAFailureWithItsLastWords() {
    assertThatThrownBy(() -> script(Map.of(), "echo no >&2; exit 3"))
        .isInstanceOfSatisfying(
            JobFailedException.class, e -> assertThat(e.code()).isEqualTo("EXIT_3"))
        .hasMessage("exit status 3: no");
    assertThatThrownBy(() -> run(Map.of(), "no-such-command"))
        .isInstanceOf(JobFailedException.class)
        .hasMessageContaining("command not found");
  }

  @Test
  void onlyTheLastMegabyteIsKept() throws Exception {
    Object result =
        script(Map.of(), "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo '\"end\"'");
    assertThat(result).isEqualTo("end");
  }

  @Test
  void whatItPrintsForPeopleIsCutFromTheFrontUntilAControlPlaneTakesIt() throws Exception {
    // One of the two has an odd number of bytes behind what would be parted.
    for (String end : List.of("end", "ende")) {
      Object result =
          script(Map.of(), "yes '\"\\🙂' | head -c 2999997 | tr '\\n' '\\t'; printf " + end);
      String json = Json.write(result);
      assertThat(json.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(999_990, 1_000_000);
      assertThat(json).endsWith("\\\"\\\\🙂\\t" + end + "\"}").doesNotContain("\ufffd", "?");
    }
    String zeros = Json.write(script(Map.of(), "head -c 3000000 /dev/zero; printf end"));
    assertThat(zeros).hasSizeBetween(999_990, 1_000_000).endsWith("\\u0000end\"}");
  }

  @Test
  void aResultThatNoControlPlaneTakesIsAFailureThatSaysSo() throws Exception {
    String script = "printf '\"'; head -c %d /dev/zero | tr '\\0' x; echo '\"'";
    assertThat(Json.write(script(Map.of(), script.formatted(999_998)))).hasSize(1_000_000);
    assertThatThrownBy(() -> script(Map.of(), script.formatted(999_999)))
        .isInstanceOfSatisfying(
            JobFailedException.class, e -> assertThat(e.code()).isEqualTo("RESULT_TOO_LARGE"))
        .hasMessage("the result has 1000001 bytes; at most 1000000 are taken");
  }

  @Test
  void aProcessThatGotAwayWithItsOutputDoesNotKeepTheJob(@TempDir Path folder) throws Exception {
    Path pidFile = folder.resolve("pid");
    String away = "echo $$ > %s.new; mv %s.new %s; exec sleep 30".replace("%s", "" + pidFile);
    String script =
        "setsid env -i sh -c '%s' & until test -e %s; do sleep 0.01; done; echo 1"
            .formatted(away, pidFile);
    assertThat(Json.write(script(Map.of(), script))).isEqualTo("1");

    ProcessHandle process = Probes.process(pidFile);
    assertThat(Probes.isRunning(process)).isTrue();
    process.destroy();
  }

  @Test
  void nothingOfItOutlivesAnInterrupt(@TempDir Path folder) throws Exception {
    Path pidFile = folder.resolve("pid");
    String script = "setsid sh -c '%s' & wait".formatted(Probes.sleeper(pidFile));
    Thread thread = started(script, Duration.ofSeconds(1));
    ProcessHandle process = Probes.process(pidFile);
    thread.interrupt();
    thread.join();

    assertThat(Probes.isRunning(process)).isFalse();
  }

  @Test
  void nothingThatIgnoresItsEndOutlivesASecondInterrupt(@TempDir Path folder) throws Exception {
    Path pidFile = folder.resolve("pid");
    Path asked = folder.resolve("asked");
    Thread thread =
        started(
            // A shell that waits for a child in the foreground heeds no trap until that has ended.
            "trap 'touch %s' TERM; echo $$ > %s.new; mv %s.new %s; while :; do sleep 1000 & wait; done"
                .formatted(asked, pidFile, pidFile, pidFile),
            Duration.ofHours(1));
    ProcessHandle process = Probes.process(pidFile);
    thread.interrupt();
    Probes.await(() -> Files.exists(asked));
    assertThat(Probes.isRunning(process)).isTrue();
    thread.interrupt();
    thread.join();

    assertThat(Probes.isRunning(process)).isFalse();
  }

  @Test
  void whatIsKilledWithAllOthersIsOverAtOnceAndHasNotFailed(@TempDir Path folder) throws Exception {
    Path pidFile = folder.resolve("pid");
    String script = "trap '' TERM; setsid sh -c '%s' & wait".formatted(Probes.sleeper(pidFile));
    CommandHandler handler = new CommandHandler(List.of("sh", "-c", script), Duration.ofHours(1));
    Thread thread = started(handler);
    ProcessHandle process = Probes.process(pidFile);

    handler.killAll();

    assertThat(Probes.isRunning(process)).isFalse();
    // It would fail now, as its command ended by a signal.
    assertThat(thread.join(Duration.ofMillis(500))).isFalse();
    thread.interrupt();
    thread.join();
  }

  private static Thread started(String script, Duration killGrace) {
    return started(new CommandHandler(List.of("sh", "-c", script), killGrace));
  }

  private static Thread started(CommandHandler handler) {
    return Thread.ofPlatform()
        .start(() -> {
          try {
            handler.handle(new GivenJob(Map.of()));
          } catch (Exception e) {
            // interrupted
          }
        });
  }

  @Test
  void hundredsOfCommandsAtOnceKeepNothingElseWaiting(@TempDir Path folder) throws Exception {
    int many = 140;
    String[] words = {"sh", "-c", "touch " + folder + "/$$; exec sleep 60"};
    List<Thread> runs =
        Stream.generate(() -> Thread.startVirtualThread(() -> attempt(words))).limit(many).toList();
    try {
      while (count(folder) < many) {
        Thread.sleep(20);
      }
      // Until their pipes are being read.
      Thread.sleep(1_500);
      CountDownLatch heartbeat = new CountDownLatch(1);
      Thread.startVirtualThread(heartbeat::countDown);
      assertThat(heartbeat.await(20, TimeUnit.SECONDS)).isTrue();
    } finally {
      runs.forEach(Thread::interrupt);
      for (Thread run : runs) {
        run.join();
      }
    }
  }

  private static void attempt(String... words) {
    assertThatThrownBy(() -> run(1, words)).isInstanceOf(InterruptedException.class);
  }

  private static long count(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.count();
    }
  }
}
