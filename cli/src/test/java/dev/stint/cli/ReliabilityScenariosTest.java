package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The script that anybody can run against a control plane of theirs. */
class ReliabilityScenariosTest {
  private static final Path SCRIPT =
      Path.of("../scripts/reliability-scenarios.sh").toAbsolutePath().normalize();
  private static final Map<String, String> SHORT_TIMES =
      Map.of(
          "HDCF_HEARTBEAT_TIMEOUT_SECONDS", "2",
          "HDCF_RECONCILE_INTERVAL_SECONDS", "1",
          "HDCF_ASSIGNMENT_TTL_SECONDS", "2");

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private record Run(int code, String output) {}

  @Test
  void everyScenarioPassesOnARealServer() throws Exception {
    try (StintProcess server =
        StintProcess.start(folder, SHORT_TIMES, "server", "--addr", "127.0.0.1:0")) {
      String url = "http://127.0.0.1:" + server.port();

      Run run = run("--url", url);

      assertThat(run.output().lines())
          .hasSize(8)
          .allMatch(line -> line.matches("[a-z-]+ +PASS  .+"));
      assertThat(run.code()).isZero();
      assertThat(new Caller(url).run("jobs", "--status", "pending").out()).isEmpty();
    }
  }

  @Test
  void whatTakesLongIsLeftOutUnlessItIsAskedFor() throws Exception {
    try (StintProcess server =
        StintProcess.start(folder, Map.of(), "server", "--addr", "127.0.0.1:0")) {
      String url = "http://127.0.0.1:" + server.port();
      Run run = run("--url", url, "lost-worker", "abort");

      assertThat(run.output().lines())
          .hasSize(2)
          .anyMatch(line -> line.matches("lost-worker +SKIP .*60 s.*--slow"))
          .anyMatch(line -> line.matches("abort +PASS .*"));
      assertThat(run.code()).isZero();

      Run refused = run("--url", url, "--token", "wrong");
      assertThat(refused.code()).isEqualTo(6);
      assertThat(refused.output()).contains("401").hasLineCount(1);
    }
  }

  @Test
  void wrongUseIsToldInOneLineAndHelpTeaches() throws Exception {
    assertThat(run("--help").output()).contains("--slow", "Example", "Exit codes");
    assertThat(run("no-such-scenario"))
        .isEqualTo(new Run(2, "reliability-scenarios: what is no-such-scenario? See --help\n"));
    Run alone = run("--url", "http://127.0.0.1:" + StintProcess.freePort());
    assertThat(alone.code()).isEqualTo(6);
    assertThat(alone.output()).contains("cannot reach").hasLineCount(1);
  }

  private Run run(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("bash", SCRIPT.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.matches("(STINT|HDCF)_.*"));
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    return new Run(process.exitValue(), output);
  }
}
