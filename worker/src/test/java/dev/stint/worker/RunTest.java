package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.worker.Report.Kind;
import dev.stint.worker.Run.Ending;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class RunTest {
  private final Mark mark = new Mark(UUID.randomUUID().toString(), 3);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AfterEach
  void endAll() throws Exception {
    new ProcessTree(mark, null).end(Duration.ZERO);
  }

  private Run run(long timeoutMs, String command, String... args) {
    return run(Probes.job(mark, timeoutMs, command, args));
  }

  private Run run(Assignment job) {
    return new Run(job, "w1", Workshop.of(Probes.settings(folder, Duration.ofSeconds(20))));
  }

  private static @Nullable Object field(@Nullable Report report, String name) {
    return Objects.requireNonNull(report).body().get(name);
  }

  private static CompletableFuture<@Nullable Report> inBackground(Run run) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return run.execute();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        },
        Thread::startVirtualThread);
  }

  @Test
  void whatItPrintsIsKeptUnderItsFinalNameWithItsChecksum() throws Exception {
    Report report = run(0, "sh", "-c", "echo out; echo err >&2").execute();

    assertThat(Objects.requireNonNull(report).kind()).isEqualTo(Kind.COMPLETED);
    Path stdout = folder.resolve(mark.jobId() + ".3.stdout.log");
    assertThat(report.body())
        .containsEntry("job_id", mark.jobId())
        .containsEntry("worker_id", "w1")
        .containsEntry("assignment_id", "a-3")
        .containsEntry("exit_code", 0)
        .containsEntry("stdout_path", stdout.toString())
        .containsEntry("stdout_tmp_path", stdout + ".tmp")
        .containsEntry("stdout_sha256", sha256("out\n"))
        .containsEntry("stderr_sha256", sha256("err\n"));
    assertThat(stdout).hasContent("out\n");
    assertThat(folder.resolve(mark.jobId() + ".3.stderr.log")).hasContent("err\n");
    try (var files = Files.list(folder)) {
      assertThat(files).hasSize(2);
    }
  }

  private static String sha256(String text) throws Exception {
    return HexFormat.of()
        .formatHex(
            MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void aFailureTellsItsStatusAndTheLastWordsOfStderr() throws Exception {
    Report report = run(0, "sh", "-c", "echo first >&2; echo no such luck >&2; exit 7").execute();

    assertThat(Objects.requireNonNull(report).kind()).isEqualTo(Kind.FAILED);
    assertThat(report.body())
        .containsEntry("exit_code", 7)
        .containsEntry("error", "exit status 7: first\nno such luck")
        .containsEntry("retryable", false)
        .containsKey("stderr_sha256");
  }

  @Test
  void aFloodOnStderrMakesNoLongError() throws Exception {
    Report report =
        run(0, "sh", "-c", "yes $(printf 'x%.0s' $(seq 500)) | head -n 1000 >&2; exit 1").execute();

    assertThat(String.valueOf(field(report, "error"))).hasSizeBetween(500, 1100);
  }

  @Test
  void aCommandThatIsNotThereIsAFailureThatSaysSo() throws Exception {
    assertThat(field(run(0, "no-such-command").execute(), "error"))
        .isEqualTo("command not found: no-such-command");
    assertThat(field(run(0, "./no-such-command").execute(), "error"))
        .isEqualTo("command not found: ./no-such-command");
    assertThat(field(run(0, "").execute(), "error")).isEqualTo("command not found: ");
  }

  @Test
  void aCommandThatIsThereAndIsNoProgramIsAFailureThatSaysSo() throws Exception {
    for (Path none : List.of(folder, Files.createFile(folder.resolve("notes")))) {
      assertThat(field(run(0, none.toString()).execute(), "error"))
          .isEqualTo("command is no program that the worker may run: " + none);
    }
  }

  @Test
  void aWorkingDirThatIsNotThereIsAFailureThatSaysSo() throws Exception {
    Assignment job = new Assignment(mark, "a", 1, "true", List.of(), "/no/such/folder", 0);

    assertThat(field(run(job).execute(), "error"))
        .isEqualTo("working_dir is no folder on this machine: /no/such/folder");
  }

  @Test
  void itRunsInItsFolderWithItsEnvironmentWithoutInputAndWithoutAShell() throws Exception {
    Path place = Files.createDirectory(folder.resolve("place")).toRealPath();
    Assignment job =
        new Assignment(
            mark,
            "a",
            2,
            "sh",
            List.of(
                "-c",
                "pwd; echo $STINT_JOB_ID $STINT_ATTEMPT $STINT_FENCE; cat; printf '%s\\n' \"$@\"",
                "x",
                "$HOME; *"),
            place.toString(),
            0);

    Report report = run(job).execute();

    assertThat(Path.of(String.valueOf(field(report, "stdout_path"))))
        .hasContent(place + "\n" + mark.jobId() + " 2 3\n$HOME; *\n");
  }

  @Test
  void aTimeoutEndsTheWholeTreeAndIsAFailure() throws Exception {
    Run run =
        run(
            500,
            "sh",
            "-c",
            "setsid sh -c '%s' & sh -c '%s' & wait"
                .formatted(
                    Probes.sleeper(folder.resolve("a")), Probes.sleeper(folder.resolve("b"))));
    CompletableFuture<@Nullable Report> report = inBackground(run);
    ProcessHandle leader = Probes.process(folder.resolve("a"));
    ProcessHandle child = Probes.process(folder.resolve("b"));

    assertThat(field(report.join(), "error")).isEqualTo("timed out after 500 ms");
    assertThat(Probes.isRunning(leader)).isFalse();
    assertThat(Probes.isRunning(child)).isFalse();
  }

  @Test
  void nothingOfAJobOutlivesItsNormalEnd() throws Exception {
    String daemon = "setsid sh -c '" + Probes.sleeper(folder.resolve("a")) + "' &";
    String patience = "while [ ! -e " + folder.resolve("a") + " ]; do sleep 0.01; done";

    Report report = run(0, "sh", "-c", daemon + " " + patience).execute();

    assertThat(Objects.requireNonNull(report).kind()).isEqualTo(Kind.COMPLETED);
    String pid = Files.readString(folder.resolve("a")).strip();
    assertThat(ProcessTable.rows()).noneMatch(row -> pid.equals(Long.toString(row.pid())));
  }

  @Test
  void anAbandonedRunIsEndedAndNotReported() throws Exception {
    Run run = run(0, "sh", "-c", Probes.sleeper(folder.resolve("a")));
    CompletableFuture<@Nullable Report> report = inBackground(run);
    ProcessHandle process = Probes.process(folder.resolve("a"));

    run.stop(new Ending.Abandoned());

    assertThat(report.join()).isNull();
    assertThat(Probes.isRunning(process)).isFalse();
  }

  @Test
  void aCancelledRunIsAFailureAndAHandedBackOneIsNot() throws Exception {
    Run cancelled = run(0, "sleep", "1000");
    cancelled.stop(new Ending.Cancelled("not needed"));
    assertThat(field(cancelled.execute(), "error")).isEqualTo("cancelled: not needed");

    Run handedBack = run(0, "sleep", "1000");
    CompletableFuture<@Nullable Report> report = inBackground(handedBack);
    handedBack.stop(new Ending.HandedBack());
    assertThat(Objects.requireNonNull(report.join()).kind()).isEqualTo(Kind.RELEASED);
  }

  @Test
  void aFullDiskIsTheWorkersFaultAndTheJobIsHandedBack() throws Exception {
    folder = Files.writeString(folder.resolve("file"), "").resolve("logs");

    assertThat(Objects.requireNonNull(run(0, "true").execute()).kind()).isEqualTo(Kind.RELEASED);
  }

  @Test
  void whoPrintsWithoutEndIsEndedAndNotTriedAgain() throws Exception {
    Report report = run(0, "sh", "-c", "yes & trap '' TERM; exec yes >&2").execute();

    assertThat(Objects.requireNonNull(report).body())
        .containsEntry(
            "error", "printed more than " + Probes.MAX_LOG_BYTES + " bytes (--max-log-bytes)")
        .containsEntry("retryable", false)
        .containsKey("stdout_sha256");
    assertThat(ProcessTable.rows()).noneMatch(row -> row.carriesOneOf(List.of(mark)));
  }

  @Test
  void whoPrintsTooMuchFailsAlsoIfItHadEndedBeforeAnybodyLooked() throws Exception {
    String flood = "head -c " + (Probes.MAX_LOG_BYTES + 1) + " /dev/zero";

    assertThat(field(run(0, "sh", "-c", flood).execute(), "error"))
        .isEqualTo("printed more than " + Probes.MAX_LOG_BYTES + " bytes (--max-log-bytes)");
  }

  @Test
  void wordsThatNoCommandCanBeGivenAreAFailureThatSaysSo() throws Exception {
    assertThat(field(run(0, "echo", "x".repeat(200_000)).execute(), "error"))
        .asString()
        .startsWith("cannot start it: ")
        .contains("too long");
    assertThat(field(run(0, "echo", "a\0b").execute(), "error"))
        .isEqualTo("args: no command can be given the character NUL");
  }
}
