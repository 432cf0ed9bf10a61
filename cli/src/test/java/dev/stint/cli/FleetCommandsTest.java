package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.cli.Caller.Pending;
import dev.stint.cli.Caller.Result;
import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The client commands with a real control plane; the worker is played here. */
@SuppressWarnings("NullAway.Init") // set before all tests
class FleetCommandsTest {
  @TempDir private static Path folder;
  @AutoClose private static StintProcess server;
  private static Caller caller;
  private static Api api;

  private final String queue = UUID.randomUUID().toString();

  @BeforeAll
  static void start() throws IOException {
    server = StintProcess.start(folder, Map.of(), "server", "--addr", "127.0.0.1:0");
    String url = "http://127.0.0.1:" + server.port();
    caller = new Caller(url);
    api = new Api(url, "dev-token", Duration.ofSeconds(30));
  }

  @Test
  void whereThereIsNothingItIsSaidWhatToDoNext(@TempDir Path fresh) throws Exception {
    try (StintProcess empty =
        StintProcess.start(fresh, Map.of(), "server", "--addr", "127.0.0.1:0")) {
      Caller there = new Caller("http://127.0.0.1:" + empty.port());
      for (String command : List.of("jobs", "workers", "events")) {
        Result result = there.run(command);
        assertThat(result.code()).isZero();
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("stint ").hasLineCount(1);
      }
      assertThat(there.run("jobs", "--status", "lost").err()).contains("see all of them");
      assertThat(there.run("jobs", "--json").out()).contains("\"jobs\":[]");
    }
  }

  @Test
  void submitPrintsTheIdAloneAndTheJobIsAsItWasAskedFor() throws Exception {
    Result submitted =
        caller.run(
            "submit",
            "--command",
            "sleep",
            "--args",
            "2 'a b'",
            "--priority",
            "10",
            "--queue",
            queue,
            "--needs-gpu",
            "--requirement",
            "ssd",
            "--requirement",
            "big",
            "--working-dir",
            "/data",
            "--timeout-ms",
            "5000",
            "--max-attempts",
            "2",
            "--scheduled-at",
            "4102444800",
            "--metadata",
            "{\"owner\":\"me\"}");

    assertThat(submitted.code()).isZero();
    assertThat(submitted.err()).isEmpty();
    assertThat(submitted.out()).matches("[0-9a-f-]{36}\\R");
    Answer job = api.get("/jobs/" + submitted.line());
    assertThat(job.body())
        .containsEntry("command", "sleep")
        .containsEntry("args", List.of("2", "a b"))
        .containsEntry("priority", 10L)
        .containsEntry("queue", queue)
        .containsEntry("needs_gpu", true)
        .containsEntry("working_dir", "/data")
        .containsEntry("timeout_ms", 5000L)
        .containsEntry("max_attempts", 2L)
        .containsEntry("scheduled_at", 4102444800L);
    assertThat(new Fields(job.body()).texts("requirements")).contains("ssd", "big");

    Result shown = caller.run("job", submitted.line());
    assertThat(shown.out())
        .contains(submitted.line(), "PENDING", "sleep 2 'a b'", "/data", "ssd", "0 of 2");
    assertThat(caller.run("job", submitted.line(), "--json").line()).isEqualTo(job.text());
  }

  @Test
  void whatFollowsTheCommandIsItsOwn() throws Exception {
    String id = submit("git", "--json", "--", "-x", "@file", "ä 🙂");

    assertThat(api.get("/jobs/" + id).body())
        .containsEntry("command", "git")
        .containsEntry("args", List.of("--json", "--", "-x", "@file", "ä 🙂"));
    assertThat(api.get("/jobs/" + submit("--", "git", "--", "x")).body())
        .containsEntry("args", List.of("--", "x"));
  }

  @Test
  void listsAreTheServersJsonForProgramsAndTablesForPeople() throws Exception {
    String worker = register();
    String first = submit("true");
    claim(worker);
    String second = submit("echo", "a b");

    assertThat(caller.run("jobs", "--json", "--limit", "2").line())
        .isEqualTo(api.get("/jobs?limit=2").text());
    Result jobs = caller.run("jobs", "--limit", "2");
    assertThat(jobs.out().lines())
        .hasSize(3)
        .anyMatch(line -> line.matches("JOB +STATUS +AGE +TRIES +WORKER +COMMAND"))
        .anyMatch(line -> line.startsWith(first + "  ASSIGNED") && line.contains(worker))
        .anyMatch(line -> line.startsWith(second + "  PENDING") && line.endsWith("echo 'a b'"));
    assertThat(caller.run("jobs", "--worker", worker, "--status", "assigned").out())
        .contains(first)
        .doesNotContain(second);

    assertThat(Json.read(caller.run("workers", "--json").out())).isInstanceOf(Map.class);
    assertThat(caller.run("workers").out()).containsPattern(worker + " +ONLINE +.*" + first);

    assertThat(caller.run("events", "--job", second, "--json").line())
        .isEqualTo(api.get("/events?job_id=" + second + "&limit=100").text());
    assertThat(caller.run("events", "--job", second).out()).contains(second, "→ PENDING");
    assertThat(
            caller.run("events", "--job", first, "--worker", worker, "--event", "assigned").out())
        .contains("PENDING → ASSIGNED")
        .hasLineCount(2);
  }

  @Test
  void abortEndsAJobOrAllOfAWorkerAndNothingTwice() throws Exception {
    String worker = register();
    String waiting = submit("true");
    String held = submit("--priority", "5", "true");
    claim(worker);

    Result aborted = caller.run("abort", waiting, "--reason", "wrong input");
    assertThat(aborted.code()).isZero();
    assertThat(aborted.line()).isEqualTo(waiting);
    assertThat(caller.run("job", waiting).out()).contains("ABORTED", "wrong input");

    Result again = caller.run("abort", waiting);
    assertThat(again.code()).isEqualTo(5);
    assertThat(again.err()).startsWith("stint: ").hasLineCount(1);

    assertThat(caller.run("abort", "--worker", worker).line()).isEqualTo(held);
    Result nothing = caller.run("abort", "--worker", worker);
    assertThat(nothing.code()).isZero();
    assertThat(nothing.err()).contains("nothing to abort");
  }

  @ParameterizedTest
  @ValueSource(strings = {"nope", "../healthz", "a b?c#d", "00000000-0000-7000-8000-000000000000"})
  void anUnknownIdIsExitCode5AndOneLine(String id) {
    for (String command : List.of("job", "logs", "tail", "abort")) {
      Result result = caller.run(command, id);
      assertThat(result.code()).as(command).isEqualTo(5);
      assertThat(result.err()).startsWith("stint: ").hasLineCount(1);
    }
  }

  @Test
  void aWrongTokenIsExitCode5AndALineThatSaysWhereToGiveTheRightOne() throws Exception {
    Path file = Files.writeString(folder.resolve("token"), "dev-token\n");

    Result wrong = caller.run("jobs", "--token", "wrong");
    assertThat(wrong.code()).isEqualTo(5);
    assertThat(wrong.err()).contains("--token-file", "STINT_API_TOKEN").hasLineCount(1);
    assertThat(wrong.err()).doesNotContain("wrong");
    assertThat(caller.run("jobs", "--token-file", file.toString()).code()).isZero();
  }

  @Test
  void aJobThatCannotBeIsRefusedInTheServersWords() {
    Result result = caller.run("submit", "--max-attempts", "0", "true");

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err()).contains("max_attempts").hasLineCount(1);
  }

  @ParameterizedTest
  @CsvSource({"3, 3", "null, 120"})
  void waitEndsWithTheExitStatusOfAFailedCommandOrSaysThatThereIsNone(String exitCode, int expected)
      throws Exception {
    String worker = register();
    Pending waiting = caller.start("submit", "--queue", queue, "--wait", "false");
    String id = waiting.firstLine();
    Map<String, @Nullable Object> report = claim(worker);
    report.put("error", "it broke");
    report.put("exit_code", Json.read(exitCode));

    assertThat(api.post("/fail", report).isOk()).isTrue();

    assertThat(waiting.exitCode()).isEqualTo(expected);
    assertThat(waiting.err().toString())
        .isEqualToIgnoringNewLines("stint: job " + id + " is FAILED: it broke");
  }

  @Test
  void waitEndsWithZeroWhenTheJobHasCompleted() throws Exception {
    String worker = register();
    Pending waiting = caller.start("submit", "--queue", queue, "--wait", "--json", "true");
    waiting.firstLine();

    complete(claim(worker));

    assertThat(waiting.exitCode()).isZero();
    assertThat(waiting.err().toString()).isEmpty();
    assertThat(waiting.out().toString().lines())
        .hasSize(2)
        .allMatch(line -> Json.read(line) instanceof Map<?, ?>)
        .last()
        .asString()
        .contains("\"status\":\"COMPLETED\"");
  }

  @Test
  void waitEndsWith121WhenTheJobIsAborted() throws Exception {
    Pending waiting = caller.start("submit", "--queue", queue, "--wait", "true");

    caller.run("abort", waiting.firstLine(), "--reason", "no more");

    assertThat(waiting.exitCode()).isEqualTo(121);
    assertThat(waiting.err().toString()).contains("ABORTED: no more").hasLineCount(1);
  }

  @Test
  void waitGoesOnWhenTheControlPlaneIsKilledAndStartedAgain(@TempDir Path other) throws Exception {
    String url = "http://127.0.0.1:" + StintProcess.freePort();
    try (StintProcess mortal =
        StintProcess.logging(
            other.resolve("log"),
            Map.of(),
            "server",
            "--addr",
            url.substring(7),
            "--db",
            other + "/db")) {
      Caller there = new Caller(url);
      awaitUp(there);
      Pending waiting = there.start("submit", "--wait", "true");
      String id = waiting.firstLine();

      mortal.kill();
      waiting.awaitError("waiting for it to come back");
      mortal.startAgain();
      waiting.awaitError("answers again");

      assertThat(there.run("abort", id).code()).isZero();
      assertThat(waiting.exitCode()).isEqualTo(121);
      assertThat(waiting.err().toString()).hasLineCount(3);
    }
  }

  private static void awaitUp(Caller there) throws InterruptedException {
    while (there.run("workers").code() != 0) {
      Thread.sleep(50);
    }
  }

  @Test
  void aLogThatIsNotOnThisMachineIsExitCode7AndALineThatSaysWhereItIs() throws Exception {
    String worker = register();
    String id = submit("true");
    Result early = caller.run("logs", id);
    assertThat(early.code()).isEqualTo(7);
    assertThat(early.err()).contains("PENDING", "--follow").hasLineCount(1);

    complete(claim(worker));

    Result elsewhere = caller.run("logs", id, "--stderr");
    assertThat(elsewhere.code()).isEqualTo(7);
    assertThat(elsewhere.err()).contains("/no/such/folder/err.log", worker).hasLineCount(1);
  }

  @Test
  void theLogOfAFormerAttemptIsNotTakenForThatOfTheNext(@TempDir Path logs) throws Exception {
    String worker = register();
    String id = submit("true");
    Files.writeString(logs.resolve("out.log"), "former\n");
    Map<String, @Nullable Object> failure = claim(worker);
    addFiles(failure, logs);
    failure.put("error", "it broke");
    assertThat(api.post("/fail", failure).isOk()).isTrue();
    assertThat(caller.run("retry", id).code()).isZero();

    Result early = caller.run("logs", id, "--log-dir", logs.toString());
    assertThat(early.code()).isEqualTo(7);
    assertThat(early.err()).contains("PENDING", "--follow").hasLineCount(1);

    Files.writeString(logs.resolve(id + ".1.stdout.log"), "former\n");
    Map<String, @Nullable Object> report = claim(worker);
    try (StintProcess follow = stint("logs", id, "--follow", "--log-dir", logs.toString())) {
      Files.writeString(logs.resolve(id + ".2.stdout.log.tmp"), "now\n");
      assertThat(follow.line()).isEqualTo("now");
      complete(report);
      assertThat(follow.exitCode()).isZero();
    }
  }

  @Test
  void whatAFormerAttemptLeftBehindIsNotTakenForTheJobs(@TempDir Path logs) throws Exception {
    String worker = register();
    String id = submit("true");
    Files.writeString(logs.resolve(id + ".1.stdout.log.tmp"), "partial\n");
    Files.writeString(logs.resolve(id + ".2.stderr.log"), "whole\n");
    Map<String, @Nullable Object> report = claim(worker);
    assertThat(api.post("/ack", report).isOk()).isTrue();
    report.put("artifact_id", "a");
    for (String stream : List.of("stdout", "stderr")) {
      String path = "/no/such/folder/" + id + ".2." + stream + ".log";
      report.put(stream + "_path", path);
      report.put(stream + "_tmp_path", path + ".tmp");
    }
    assertThat(api.post("/complete", report).isOk()).isTrue();

    Result elsewhere = caller.run("logs", id, "--log-dir", logs.toString());
    assertThat(elsewhere.code()).isEqualTo(7);
    assertThat(elsewhere.err()).contains("/no/such/folder/" + id, worker).hasLineCount(1);
    try (StintProcess here = stint("logs", id, "--stderr", "--log-dir", logs.toString())) {
      assertThat(here.line()).isEqualTo("whole");
      assertThat(here.exitCode()).isZero();
    }
  }

  @Test
  void whatIsFollowedIsTheAttemptThatHasTheJobAndThenTheNext(@TempDir Path logs) throws Exception {
    String worker = register();
    String id = submit("true");
    Path first = logs.resolve(id + ".1.stdout.log.tmp");
    Map<String, @Nullable Object> attempt = claim(worker);
    assertThat(api.post("/ack", attempt).isOk()).isTrue();
    try (StintProcess follow = stint("logs", id, "--follow", "--log-dir", logs.toString())) {
      Files.writeString(first, "one\n");
      assertThat(follow.line()).isEqualTo("one");
      assertThat(api.post("/release", attempt).isOk()).isTrue();
      attempt = claim(worker);
      // A process of the former attempt that nobody found may still print.
      assertThat(first.toFile().setLastModified(System.currentTimeMillis() + 60_000)).isTrue();
      try (StintProcess late = stint("logs", id, "--follow", "--log-dir", logs.toString())) {
        Files.writeString(logs.resolve(id + ".2.stdout.log.tmp"), "two\n");
        assertThat(late.line()).isEqualTo("two");
        assertThat(follow.line()).isEqualTo("two");
        complete(attempt);
        assertThat(late.exitCode()).isZero();
        assertThat(follow.exitCode()).isZero();
      }
    }
  }

  @Test
  void aJobWhoseLastAttemptWasElsewhereIsFollowedToItsEndAndSaidToBeThere(@TempDir Path logs)
      throws Exception {
    String worker = register();
    String id = submit("true");
    Map<String, @Nullable Object> attempt = claim(worker);
    assertThat(api.post("/ack", attempt).isOk()).isTrue();
    Files.writeString(logs.resolve(id + ".1.stdout.log.tmp"), "one\n");
    try (StintProcess follow = stint("logs", id, "--follow", "--log-dir", logs.toString())) {
      assertThat(follow.line()).isEqualTo("one");
      assertThat(api.post("/release", attempt).isOk()).isTrue();
      complete(claim(worker));
      assertThat(follow.exitCode()).isEqualTo(7);
      assertThat(follow.errors()).contains("/no/such/folder/out.log", worker).hasLineCount(1);
    }
  }

  private static StintProcess stint(String... arguments) throws IOException {
    return StintProcess.start(folder, Map.of("STINT_URL", caller.url()), arguments);
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void whatCannotBeWrittenIsExitCode1AndOneLine(@TempDir Path logs) throws Exception {
    String worker = register();
    String id = submit("true");
    Files.writeString(logs.resolve("out.log"), "hello\n");
    complete(claim(worker), logs);

    for (String line : List.of("jobs", "jobs --json", "logs " + id, "jobs --help", "completion")) {
      try (StintProcess full =
          StintProcess.printingTo(
              "/dev/full", folder, Map.of("STINT_URL", caller.url()), line.split(" ", -1))) {
        assertThat(full.exitCode()).as(line).isEqualTo(1);
        assertThat(full.errors())
            .startsWith("stint: cannot write to standard output: ")
            .hasLineCount(1);
      }
    }
  }

  private String submit(String... arguments) {
    String[] line = new String[arguments.length + 3];
    System.arraycopy(new String[] {"submit", "--queue", queue}, 0, line, 0, 3);
    System.arraycopy(arguments, 0, line, 3, arguments.length);
    Result result = caller.run(line);
    assertThat(result.code()).as(result.err()).isZero();
    return result.line();
  }

  private static String register() throws IOException {
    String worker = "w-" + UUID.randomUUID();
    assertThat(api.post("/register", Map.of("worker_id", worker)).isOk()).isTrue();
    return worker;
  }

  /** Takes the next job of this test; what it gives back is the beginning of a report. */
  private Map<String, @Nullable Object> claim(String worker) throws IOException {
    Answer claimed =
        api.get(
            "/next-job?wait_ms=20000&worker_id=" + worker + "&queue=" + queue,
            Duration.ofSeconds(20));
    assertThat(claimed.status()).isEqualTo(200);
    Map<String, @Nullable Object> proof = new LinkedHashMap<>();
    proof.put("job_id", claimed.string("job_id"));
    proof.put("worker_id", worker);
    proof.put("assignment_id", claimed.string("assignment_id"));
    return proof;
  }

  private static void complete(Map<String, @Nullable Object> report) throws IOException {
    complete(report, Path.of("/no/such/folder"));
  }

  private static void complete(Map<String, @Nullable Object> report, Path logs) throws IOException {
    assertThat(api.post("/ack", report).isOk()).isTrue();
    addFiles(report, logs);
    report.put("exit_code", 0);
    assertThat(api.post("/complete", report).isOk()).isTrue();
  }

  private static void addFiles(Map<String, @Nullable Object> report, Path logs) {
    report.put("artifact_id", "a");
    for (String stream : List.of("out", "err")) {
      Path path = logs.resolve(stream + ".log");
      report.put("std" + stream + "_path", path.toString());
      report.put("std" + stream + "_tmp_path", path + ".tmp");
    }
  }
}
