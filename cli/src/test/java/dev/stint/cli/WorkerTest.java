package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A real worker of a real server. */
@Timeout(180)
@EnabledOnOs(OS.LINUX)
class WorkerTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private Fleet fleet;

  @BeforeEach
  void open() throws Exception {
    fleet = new Fleet(folder, 4);
  }

  @Test
  void itRunsCommandsAndReportsHowTheyEnd() throws Exception {
    fleet.worker("w1", "-capabilities", "gpu,ssd", "-heartbeat-metrics", "--slots", "3");
    String good = fleet.submit("echo out; echo err >&2");
    String bad = fleet.submit("echo wrong >&2; exit 3");
    String strange = fleet.submit(Map.of("command", "no-such-command", "needs_gpu", true));
    String homeless = fleet.submit(Map.of("command", "true", "working_dir", "/no/such/folder"));

    Answer completed = fleet.await(good, "COMPLETED");
    assertThat(completed.number("exit_code", -1)).isZero();
    assertThat(completed.string("worker_id")).isEqualTo("w1");
    assertChecksum(completed, "stdout", "out\n");
    assertChecksum(completed, "stderr", "err\n");
    Answer failed = fleet.await(bad, "FAILED");
    assertThat(failed.string("last_error")).isEqualTo("exit status 3: wrong");
    assertThat(failed.number("exit_code", -1)).isEqualTo(3);
    assertChecksum(failed, "stderr", "wrong\n");
    assertThat(fleet.await(strange, "FAILED").string("last_error")).contains("command not found");
    assertThat(fleet.await(homeless, "FAILED").string("last_error")).contains("/no/such/folder");
    Fleet.await(() -> fleet.get("/workers").text().contains("memory_total_bytes"));
    assertThat(fleet.get("/workers").text())
        .contains("\"worker_capabilities\":[\"gpu\",\"ssd\"]", "\"slots\":3", "ONLINE");
  }

  private static void assertChecksum(Answer job, String stream, String content) throws Exception {
    Path file = Path.of(Objects.requireNonNull(job.string("artifact_" + stream + "_path")));
    assertThat(file).isAbsolute().hasContent(content);
    assertThat(job.string("artifact_" + stream + "_tmp_path")).isEqualTo(file + ".tmp");
    byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
    assertThat(job.string("artifact_" + stream + "_sha256"))
        .isEqualTo(HexFormat.of().formatHex(digest));
  }

  @Test
  void itsTokenIsNoBusinessOfItsJobsNorOfItsLog() throws Exception {
    Path place = Files.createDirectories(folder.resolve("w1"));
    try (StintProcess worker =
        StintProcess.start(
            place,
            Map.of(
                "STINT_API_TOKEN",
                "dev-token",
                "HDCF_CONTROL_URL",
                fleet.url(),
                "HDCF_WORKER_ID",
                "by-environment"),
            "worker",
            "--log-level",
            "debug",
            "--drain-seconds",
            "0")) {
      Answer job = fleet.await(fleet.submit("env"), "COMPLETED");

      assertThat(job.string("worker_id")).isEqualTo("by-environment");
      assertThat(Path.of(Objects.requireNonNull(job.string("artifact_stdout_path"))))
          .content()
          .contains("STINT_JOB_ID=" + job.string("job_id"), "STINT_ATTEMPT=1", "STINT_FENCE=")
          .doesNotContain("dev-token");
      worker.signal("TERM");
      assertThat(worker.errors()).contains("FINE State").doesNotContain("dev-token", "\tat ");
    }
  }

  @Test
  void theSecretsOfAServerWithTheSameSettingsAreNoBusinessOfItsJobs() throws Exception {
    Map<String, String> settings = new HashMap<>();
    for (String name :
        List.of(
            "STINT_REDIS",
            "STINT_DB",
            "STINT_DB_PATH",
            "HDCF_DB_PATH",
            "STINT_JWT_SECRET",
            "STINT_JWT_SECRET_FILE",
            "STINT_PREVIOUS_JWT_SECRET",
            "STINT_DISPATCH_SECRET",
            "STINT_DISPATCH_SECRET_FILE",
            "STINT_TLS_KEY")) {
      settings.put(name, "a-secret-of-" + name);
    }
    settings.put("STINT_CONTROL_URL", fleet.url());
    settings.put("STINT_DRAIN_SECONDS", "0");
    Path place = Files.createDirectories(folder.resolve("w1"));
    try (StintProcess worker =
        StintProcess.logging(place.resolve("worker.log"), settings, "worker")) {
      Answer job = fleet.await(fleet.submit("env"), "COMPLETED");

      assertThat(Path.of(Objects.requireNonNull(job.string("artifact_stdout_path"))))
          .content()
          .contains("STINT_CONTROL_URL=")
          .doesNotContain("a-secret-of-");
      assertThat(worker.isAlive()).isTrue();
    }
  }

  @Test
  void whatItsLocaleCannotExpressIsAFailureThatSaysSoAndNotAnotherArgument() throws Exception {
    Path place = Files.createDirectories(folder.resolve("w1"));
    try (StintProcess worker =
        StintProcess.logging(
            place.resolve("worker.log"),
            Map.of("LC_ALL", "C", "HDCF_CONTROL_URL", fleet.url(), "STINT_DRAIN_SECONDS", "0"),
            "worker",
            "--heartbeat-interval-seconds",
            "1")) {
      assertInexpressible("args", Map.of("command", "echo", "args", List.of("für.csv")));
      assertInexpressible("command", Map.of("command", "./für"));
      assertInexpressible("working_dir", Map.of("command", "true", "working_dir", "/für"));
      fleet.await(fleet.submit("true"), "COMPLETED");
      assertThat(worker.isAlive()).isTrue();
    }
  }

  private void assertInexpressible(String field, Map<String, Object> job) throws Exception {
    assertThat(fleet.await(fleet.submit(job), "FAILED").string("last_error"))
        .startsWith(field + ": the worker's locale (US-ASCII) lacks a character");
  }

  @Test
  void aTimeoutEndsAlsoWhatWentIntoASessionOfItsOwn() throws Exception {
    fleet.worker("w1");
    Path far = folder.resolve("far");
    Path near = folder.resolve("near");
    String script =
        "setsid sh -c '%s' & sh -c '%s' & wait".formatted(fleet.sleeper(far), fleet.sleeper(near));

    String job =
        fleet.submit(Map.of("command", "sh", "args", List.of("-c", script), "timeout_ms", 1500));

    assertThat(fleet.await(job, "FAILED").string("last_error"))
        .isEqualTo("timed out after 1500 ms");
    assertThat(Fleet.isRunning(Fleet.pid(far))).isFalse();
    assertThat(Fleet.isRunning(Fleet.pid(near))).isFalse();
  }

  @Test
  void anAbortEndsWhatRunsAndTheWorkerGoesOn() throws Exception {
    fleet.worker("w1");
    Path pid = folder.resolve("pid");
    String job = fleet.submit(fleet.sleeper(pid));
    String process = Fleet.pid(pid);

    assertThat(fleet.call("/abort", Map.of("job_id", job, "reason", "not needed")).isOk()).isTrue();

    Fleet.await(() -> !Fleet.isRunning(process));
    fleet.await(fleet.submit("true"), "COMPLETED");
    assertThat(fleet.job(job).string("status")).isEqualTo("ABORTED");
  }

  @Test
  void aCancelEndsWhatRunsAndIsReported() throws Exception {
    fleet.worker("w1");
    Path pid = folder.resolve("pid");
    String job = fleet.submit(fleet.sleeper(pid));
    String process = Fleet.pid(pid);

    assertThat(fleet.call("/v1/jobs/" + job + "/cancel", Map.of()).isOk()).isTrue();

    fleet.await(job, "ABORTED");
    assertThat(Fleet.isRunning(process)).isFalse();
  }

  @Test
  void aFolderThatCannotBeWrittenKeepsItFromTakingJobsUntilItCan() throws Exception {
    Path way = Files.writeString(folder.resolve("way"), "a file, not a folder");
    String job = fleet.submit("true");
    StintProcess worker = fleet.worker("w1", "--log-dir", way.resolve("logs").toString());
    Fleet.await(() -> fleet.log("w1").contains("takes no jobs"));
    Fleet.await(() -> fleet.get("/workers").text().contains("ONLINE"));
    assertThat(fleet.job(job).string("status")).isEqualTo("PENDING");
    assertThat(worker.isAlive()).isTrue();

    Files.delete(way);

    fleet.await(job, "COMPLETED");
    assertThat(fleet.log("w1")).contains("can write to ").containsOnlyOnce("takes no jobs");
  }

  @Test
  void aWrongTokenIsExitCode5AndATakenStateFileExitCode6() throws Exception {
    assertThat(fleet.worker("w1", "--token", "wrong").exitCode()).isEqualTo(5);
    assertThat(fleet.log("w1")).contains("does not take the token").hasLineCount(1);

    fleet.worker("w2", "--worker-nonce", "one");
    Fleet.await(() -> fleet.log("w2").contains("registered"));
    assertThat(fleet.worker("w2").exitCode()).isEqualTo(8);
    assertThat(fleet.log("w2")).contains("stint: another worker uses ");
    assertThat(fleet.worker("w3", "--worker-id", "w2", "--worker-nonce", "other").exitCode())
        .isEqualTo(5);
  }
}
