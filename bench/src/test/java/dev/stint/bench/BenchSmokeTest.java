package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/**
 * The whole command with the real server on SQLite. Nothing here depends on the machine's speed.
 */
@Timeout(120)
class BenchSmokeTest {
  @TempDir Path temporary = Path.of("");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void everyJobOfARealServerIsCompletedAndTheServerIsGone() {
    int exit = run("--connections", "4", "--seconds", "1", "--warmup-seconds", "0.3", "--json");

    assertThat(exit).as(err.toString()).isZero();
    assertThat(number("lifecycle_to_echo")).isPositive();
    assertThat(number("jobs_completed")).isPositive();
    assertThat(number("commit_batch_average")).isGreaterThanOrEqualTo(1);
    assertThat(number("start_to_first_answer_ms")).isPositive();
    assertThat(number("peak_rss_kb")).isPositive();
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @Test
  void everyJobOfABatchIsCompletedWithAndWithoutHttp() {
    int exit = run("--batch", "20", "--seconds", "1", "--warmup-seconds", "0.3", "--json");

    assertThat(exit).as(err.toString()).isZero();
    assertThat(out.toString())
        .contains("\"how\":\"over HTTP\"", "\"how\":\"engine alone", "\"how\":\"store alone\"");
    assertThat(number("jobs_per_s")).isPositive();
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @Test
  void everyPacedWorkerOfARealServerMakesEachOfItsCallsOnceASecond() {
    int exit = run("--workers", "4", "--seconds", "3", "--warmup-seconds", "1", "--json");

    assertThat(exit).as(err.toString()).isZero();
    assertThat(number("calls_per_second")).isEqualTo(16);
    assertThat(number("tasks_completed")).isEqualTo(16);
    for (String call : new String[] {"poll", "heartbeat", "complete"}) {
      assertThat(out.toString()).contains("\"" + call + "\":{\"count\":12,");
    }
    assertThat(number("commit_batch_average")).isGreaterThanOrEqualTo(1);
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @Test
  void everyReaderOfARealServerSeesEveryReportOnce() {
    int exit = run("--readers", "25", "--seconds", "2", "--warmup-seconds", "1", "--json");

    assertThat(exit).as(err.toString()).isZero();
    assertThat(number("jobs")).isEqualTo(3);
    assertThat(out.toString()).contains("\"since_sent\":{\"count\":250,");
    assertThat(out.toString()).contains("\"since_answer\":{\"count\":250,");
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @Test
  void aServerThatCannotStartIsToldWithItsLastWords() {
    String nowhere = temporary.resolve("no/such/folder/x.db").toString();

    assertThat(run("--db", nowhere, "--seconds", "1")).isEqualTo(1);

    assertThat(err.toString()).contains("the server did not start", "no/such/folder");
  }

  @Test
  void theServerEndsByItselfWhenTheBenchIsKilled() throws Exception {
    Process server =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                BenchServer.class.getName(),
                temporary.resolve("killed.db").toString())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      assertThat(server.inputReader().readLine()).startsWith(BenchServer.PORT_PREFIX);

      server.getOutputStream().close();

      assertThat(server.waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(server.exitValue()).isZero();
    } finally {
      server.destroyForcibly();
    }
  }

  private int run(String... arguments) {
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  private double number(String field) {
    assertThat(out.toString()).contains("\"" + field + "\":");
    String rest = out.toString().split("\"" + field + "\":", 2)[1];
    return Double.parseDouble(rest.split("[,}]", 2)[0]);
  }
}
