package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.json.JsonFactory;

@Timeout(30)
class BenchCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--connections 0",
        "--connections 64,x",
        "--connections 100000",
        "--workers 0",
        "--workers 5000",
        "--workers 5 --connections 5",
        "--readers 0",
        "--readers 100000",
        "--readers 5 --connections 5",
        "--readers 5 --workers 5",
        "--batch 0",
        "--batch 101",
        "--batch 10 --workers 5",
        "--seconds 0",
        "--seconds soon",
        "--warmup-seconds -1",
        "--payload-bytes 300000",
        "--url https://localhost:8443",
        "--url nonsense",
        "--url http://localhost:1 --db x.db",
        "--url http://localhost:1 --server-java-option -Xmx1g",
        "--speed 11",
        "surplus"
      })
  void badUsageExitsWith2AndSaysWhat(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).isNotBlank();
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void helpNamesEveryOptionAndTeachesTheRatio() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .contains("--connections", "--seconds", "--warmup-seconds", "--payload-bytes", "--db")
        .containsPattern("before anything counts\\s+\\(20\\)")
        .contains(
            "--workers",
            "--readers",
            "--batch",
            "peers",
            "scenario",
            "--url",
            "--token",
            "--json",
            "ratio",
            "Exit status",
            "Examples:");
  }

  @Test
  void jsonIsOneObjectWithEverything() throws Exception {
    try (FakeStint server = new FakeStint()) {
      assertThat(run(shortRun(server, "--connections", "1,3", "--json"))).isZero();
    }
    Map<String, Object> report = parse(out.toString());
    assertThat(report)
        .containsEntry("/ok", true)
        .containsEntry("/runs/0/connections", 1)
        .containsEntry("/runs/1/connections", 3)
        .containsEntry("/runs/1/commit_batch_average", 4.0)
        .containsKeys("/database/kind", "/cores", "/seconds", "/warmup_seconds", "/payload_bytes")
        .containsKeys("/runs/1/server/peak_rss_kb", "/runs/1/server/start_to_first_answer_ms")
        .containsKeys("/runs/1/cpu/echo/generator_us_per_request");
    for (String figure :
        new String[] {
          "jobs_per_second", "requests_per_second", "echo_requests_per_second", "lifecycle_to_echo"
        }) {
      assertThat((Double) report.get("/runs/1/" + figure)).as(figure).isPositive();
    }
    for (Call call : Call.values()) {
      for (String figure : new String[] {"p50_ms", "p99_ms", "max_ms"}) {
        assertThat((Double) report.get("/runs/1/calls/" + call.word() + "/" + figure)).isPositive();
      }
    }
  }

  @Test
  void theTableShowsEveryRunAndCall() throws Exception {
    try (FakeStint server = new FakeStint()) {
      assertThat(run(shortRun(server, "--connections", "2"))).isZero();
    }
    assertThat(err.toString()).contains("2 connections: warms up and measures, 1 s");
    assertThat(out.toString())
        .contains("jobs/s", "ratio", "p99 ms", "submit", "claim", "complete", "echo")
        .contains("none was given out twice")
        .doesNotContain("null", "Optional", "%");
  }

  @Test
  void aServerWithoutEchoIsMeasuredWithoutARatioAndThatIsSaid() throws Exception {
    try (FakeStint server = new FakeStint(false)) {
      assertThat(run(shortRun(server, "--connections", "2"))).isZero();
    }
    assertThat(out.toString()).contains("no ratio");
  }

  @Test
  void pacedWorkersAreReportedInOneObjectBesideWhatIsPromised() throws Exception {
    try (FakeStint server = new FakeStint()) {
      assertThat(run(paced(server, "--json"))).isZero();
      assertThat(server.submits).hasValue(10);
      assertThat(server.completes).hasValue(10);
    }
    Map<String, Object> report = parse(out.toString());
    assertThat(report)
        .containsEntry("/ok", true)
        .containsEntry("/workers", 2)
        .containsEntry("/seconds", 4)
        .containsEntry("/warmup_seconds", 1)
        .containsEntry("/tasks_completed", 10)
        .containsEntry("/sent_late/count", 24)
        .containsEntry("/calls/poll/promised_p99_ms", 10)
        .containsEntry("/calls/heartbeat/promised_p99_ms", 5)
        .containsEntry("/calls/complete/promised_p99_ms", 20)
        .containsKeys("/kept", "/database/kind", "/cores", "/cpu/generator_cores");
    for (WorkerCall call : WorkerCall.values()) {
      String path = "/calls/" + call.word() + "/";
      assertThat(report).containsEntry(path + "count", 8).containsKey(path + "kept");
      assertThat((Double) report.get(path + "p99_ms"))
          .isPositive()
          .isGreaterThanOrEqualTo((Double) report.get(path + "p50_ms"))
          .isLessThanOrEqualTo((Double) report.get(path + "max_ms"));
    }
  }

  @Test
  void theTableOfPacedWorkersHasAVerdictForEveryCall() throws Exception {
    try (FakeStint server = new FakeStint()) {
      assertThat(run(paced(server))).isZero();
    }
    assertThat(out.toString())
        .contains("2 workers", "8 calls/s", "< 10 ms", "< 5 ms", "< 20 ms", "all 10 tasks")
        .containsPattern("(?s)poll .*(kept|missed)\n.*beat .*(kept|missed)\n.*(kept|missed)\n")
        .doesNotContain("null", "Optional", "%");
  }

  @Test
  void aPacedRunInWhichACallIsRefusedFailsAndSaysWhich() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.deniesCompletions = true;
      assertThat(run(paced(server))).isEqualTo(1);
    }
    assertThat(err.toString()).contains("stint bench: complete was answered 409");
  }

  @Test
  void aFailedRunExitsWith1AndSaysWhyInOneObject() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.refusesSubmits = true;
      assertThat(run(shortRun(server, "--json"))).isEqualTo(1);
    }
    assertThat(err.toString()).contains("stint bench: submit was answered 429");
    assertThat(parse(out.toString())).containsEntry("/ok", false).containsKey("/error");
  }

  private static String[] paced(FakeStint server, String... more) {
    String[] base = {
      "--workers", "2", "--url", server.url(), "--seconds", "4", "--warmup-seconds", "1"
    };
    return with(base, more);
  }

  private static String[] shortRun(FakeStint server, String... more) {
    String[] base = {"--url", server.url(), "--seconds", "0.3", "--warmup-seconds", "0.1"};
    return with(base, more);
  }

  private static String[] with(String[] base, String... more) {
    String[] all = Arrays.copyOf(base, base.length + more.length);
    System.arraycopy(more, 0, all, base.length, more.length);
    return all;
  }

  private int run(String... arguments) {
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }

  /** Every scalar of a JSON text under its path; fails unless the text is exactly one object. */
  private static Map<String, Object> parse(String text) {
    Map<String, Object> values = new HashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(ObjectReadContext.empty(), text)) {
      assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
      while (parser.nextToken() != null) {
        String path = parser.streamReadContext().pathAsPointer().toString();
        switch (parser.currentToken()) {
          case VALUE_NUMBER_INT -> values.put(path, parser.getIntValue());
          case VALUE_NUMBER_FLOAT -> values.put(path, parser.getDoubleValue());
          case VALUE_TRUE, VALUE_FALSE -> values.put(path, parser.getBooleanValue());
          case VALUE_NULL -> values.put(path, "null");
          case VALUE_STRING -> values.put(path, parser.getString());
          default -> {}
        }
        if (parser.streamReadContext().inRoot()) {
          assertThat(parser.nextToken()).as("after the object").isNull();
        }
      }
    }
    return values;
  }
}
