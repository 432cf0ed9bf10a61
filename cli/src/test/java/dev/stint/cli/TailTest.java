package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.cli.Caller.Pending;
import dev.stint.cli.Caller.Result;
import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What follows a job, with a real control plane; the worker is played here. */
@Timeout(120)
@SuppressWarnings("NullAway.Init") // set before each test
class TailTest {
  @TempDir private Path folder;
  @AutoClose private StintProcess server;
  private Caller caller;
  private Api api;

  @BeforeEach
  void start() throws IOException {
    String address = "127.0.0.1:" + StintProcess.freePort();
    server = StintProcess.start(folder, Map.of(), "server", "--addr", address);
    assertThat(server.port()).isPositive();
    caller = new Caller("http://" + address);
    api = new Api("http://" + address, "dev-token", Duration.ofSeconds(30));
  }

  @Test
  void whatAJobGivesOutIsPrintedAsItComesAndARestartOfTheServerLosesNothing() throws Exception {
    String id = submit();
    Pending tail = caller.start("tail", id);
    tail.awaitError("stint: queued");
    Map<String, Object> lease = claim();
    tail.awaitError("stint: running, worker w");
    output(lease, 0, "Hello, ");
    awaitOutput(tail, "Hello, ");

    server.kill();
    tail.awaitError("waiting for it to come back");
    assertThat(tail.err().toString()).contains("stint: the connection to the control plane broke");
    server.startAgain();
    tail.awaitError("answers again");
    output(lease, 7, "wörld\n");
    awaitOutput(tail, "Hello, wörld\n");
    post("heartbeat", lease, Map.of("progress", 70, "message", "soon"));
    tail.awaitError("stint: 70 %, soon");
    post("complete", lease, Map.of());

    assertThat(tail.exitCode()).isZero();
    assertThat(tail.out().toString()).isEqualTo("Hello, wörld\n");
    assertThat(tail.err().toString()).containsOnlyOnce("stint: queued").contains("stint: done");
  }

  @Test
  void aLogIsFollowedWhileTheServerIsAwayAndAfterItIsBack() throws Exception {
    String id = submit();
    Map<String, Object> lease = claim();
    Path log = folder.resolve(id + ".1.stdout.log.tmp");
    Files.writeString(log, "one\n");
    try (StintProcess logs =
        StintProcess.start(
            folder,
            Map.of("STINT_URL", api.base(), "STINT_LOG_DIR", folder.toString()),
            "logs",
            id,
            "--follow")) {
      assertThat(logs.line()).isEqualTo("one");

      server.kill();
      assertThat(logs.errorLine()).contains(api.base(), "waiting for it to come back");
      Files.writeString(log, "two\n", StandardOpenOption.APPEND);
      assertThat(logs.line()).isEqualTo("two");
      server.startAgain();
      assertThat(logs.errorLine()).isEqualTo("stint: the control plane answers again");
      Files.writeString(log, "three\n", StandardOpenOption.APPEND);
      post("complete", lease, Map.of());

      assertThat(logs.exitCode()).isZero();
      assertThat(logs.line()).isEqualTo("three");
      assertThatThrownBy(logs::line).hasMessageContaining("printed nothing");
    }
  }

  @Test
  void whoCannotReachAServerAtAllFollowsNoLog() throws Exception {
    server.kill();
    assertThat(caller.run("logs", "x", "--follow").code()).isEqualTo(ExitCodes.UNREACHABLE);
  }

  @Test
  void everyEventIsALineForPrograms() throws Exception {
    String id = submit();
    Map<String, Object> lease = claim();
    output(lease, 0, "a\nb");
    post("fail", lease, Map.of("error", Map.of("code", "E1", "message", "no")));

    Result result = caller.run("tail", id, "--json");

    assertThat(result.code()).isEqualTo(ExitCodes.JOB_FAILED);
    List<String> lines = result.out().lines().toList();
    assertThat(lines).hasSize(4);
    assertThat(lines)
        .extracting(line -> event(line))
        .containsExactly("queued", "running", "output", "error");
  }

  @Test
  void aJobThatWasRetriedIsFollowedToItsNewEnd() throws Exception {
    String id = submit();
    Map<String, Object> lease = claim();
    output(lease, 0, "old\n");
    post("fail", lease, Map.of("error", Map.of("code", "E1", "message", "no")));
    assertThat(caller.run("retry", id).code()).isZero();

    Pending tail = caller.start("tail", id);
    tail.awaitError("stint: error");
    lease = claim();
    output(lease, 0, "new\n");
    awaitOutput(tail, "old\nnew\n");
    post("complete", lease, Map.of());

    assertThat(tail.exitCode()).isZero();
    assertThat(tail.err().toString()).contains("stint: attempt 1 begins", "stint: done");
  }

  @Test
  void whatLeavesTheStatusAsItIsIsCalledByWhatHappened() throws Exception {
    String id =
        Objects.requireNonNull(
            api.post("/jobs", Map.of("command", "true", "args", List.of())).string("job_id"));
    api.post("/register", Map.of("worker_id", "box"));
    assertThat(api.get("/next-job?worker_id=box").isOk()).isTrue();
    assertThat(caller.run("abort", id).code()).isZero();

    Result result = caller.run("tail", id);

    assertThat(result.err())
        .contains("stint: assigned, worker box\n", "stint: canceled")
        .doesNotContain("stint: message");
  }

  @Test
  void aJobThatIsOverHasNoBar() throws Exception {
    String id = submit();
    post("complete", claim(), Map.of());
    Map<String, String> environment =
        Map.of("STINT_URL", api.base(), "JAVA_TOOL_OPTIONS", "-Dstint.stderr.terminal=true");

    try (StintProcess tail = StintProcess.start(folder, environment, "tail", id)) {
      assertThat(tail.exitCode()).isZero();
      assertThat(tail.errors()).endsWith("stint: done, worker w\n");
    }
  }

  @Test
  void itEndsQuietlyWhenNobodyReadsItAnyMore() throws Exception {
    String id = submit();
    try (StintProcess tail =
        StintProcess.start(folder, Map.of("STINT_URL", api.base()), "tail", id, "--json")) {
      assertThat(tail.line()).contains("queued");
      tail.readNoMore();

      claim();

      assertThat(tail.exitCode()).isEqualTo(ExitCodes.UNEXPECTED);
      assertThat(tail.errors()).isEmpty();
    }
  }

  @Test
  void theExitCodeTellsHowTheJobEnded() throws Exception {
    String cancelled = submit();
    assertThat(api.post("/v1/jobs/" + cancelled + "/cancel", Map.of()).isOk()).isTrue();
    assertThat(caller.run("tail", cancelled).code()).isEqualTo(ExitCodes.JOB_ABORTED);

    String expired =
        Objects.requireNonNull(
            api.post("/v1/jobs", Map.of("task", "chat", "payload", Map.of(), "ttl_s", 2))
                .string("job_id"));
    Result gone = caller.run("tail", expired);
    assertThat(gone.code()).isEqualTo(ExitCodes.JOB_GONE);
    assertThat(gone.err()).contains("is gone");

    assertThat(caller.run("tail", expired).code()).isEqualTo(ExitCodes.REFUSED);
    server.kill();
    assertThat(caller.run("tail", cancelled).code()).isEqualTo(ExitCodes.UNREACHABLE);
  }

  private static @Nullable Object event(String line) {
    return ((Map<?, ?>) Objects.requireNonNull(Json.read(line))).get("event");
  }

  private static void awaitOutput(Pending tail, String text) throws InterruptedException {
    while (!tail.out().toString().equals(text)) {
      Thread.sleep(20);
    }
  }

  private String submit() throws IOException {
    Answer answer = api.post("/v1/jobs", Map.of("task", "chat", "payload", Map.of()));
    return Objects.requireNonNull(answer.string("job_id"), answer.text());
  }

  private Map<String, Object> claim() throws IOException {
    Answer answer =
        api.post(
            "/internal/worker/claim", Map.of("worker_id", "w", "streams", List.of("jobs:stream")));
    Map<String, Object> lease = new LinkedHashMap<>();
    lease.put("worker_id", "w");
    for (String field : List.of("job_id", "attempt_id", "lease_token")) {
      lease.put(field, Objects.requireNonNull(answer.string(field), answer.text()));
    }
    return lease;
  }

  private void output(Map<String, Object> lease, long offset, String text) throws IOException {
    post("output", lease, Map.of("offset", offset, "data", text));
  }

  private void post(String what, Map<String, Object> lease, Map<String, Object> more)
      throws IOException {
    Map<String, Object> body = new LinkedHashMap<>(lease);
    body.putAll(more);
    Answer answer = api.post("/internal/worker/" + what, body);
    assertThat(answer.isOk()).as(answer.text()).isTrue();
  }
}
