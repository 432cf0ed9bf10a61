package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** What client commands make of their options, without a control plane. */
class ClientCommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Map<String, String> environment, String... arguments) {
    return Stint.commandLine(environment)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  static Stream<Arguments> wrongUsage() {
    return Stream.of(
        Arguments.of("submit", List.of(), "stint submit -- echo hello"),
        Arguments.of("submit", List.of("--args", "x"), "stint submit -- echo hello"),
        Arguments.of("submit", List.of("--command", "a", "--", "b"), "once"),
        Arguments.of("submit", List.of("--args", "a", "--", "b"), "once"),
        Arguments.of("submit", List.of("--command", "a", "--args", "'b"), "--args: a '"),
        Arguments.of("submit", List.of("--priority", "high", "a"), "--priority"),
        Arguments.of("submit", List.of("--timeout-ms", "1.5", "a"), "--timeout-ms"),
        Arguments.of("submit", List.of("--metadata", "[1]", "a"), "--metadata"),
        Arguments.of("submit", List.of("--metadata", "{", "a"), "--metadata"),
        Arguments.of("submit", List.of("--colour", "a"), "--colour"),
        Arguments.of("jobs", List.of("--status", "busy"), "RETRYING"),
        Arguments.of("jobs", List.of("--limit", "0"), "--limit"),
        Arguments.of("jobs", List.of("--limit", "1001"), "--limit"),
        Arguments.of("jobs", List.of("--url", "here"), "--url"),
        Arguments.of("jobs", List.of("--url", "ftp://host/"), "--url"),
        Arguments.of("jobs", List.of("--url", "http://a b/"), "--url"),
        Arguments.of("jobs", List.of("--url", "http://h:65536"), "--url"),
        Arguments.of("jobs", List.of("--token", ""), "--token"),
        Arguments.of("jobs", List.of("--token", "a\nb"), "--token"),
        Arguments.of("jobs", List.of("--token-file", "/no/such/file"), "--token-file"),
        Arguments.of("jobs", List.of("--token", "a", "--token-file", "b"), "--token-file"),
        Arguments.of("jobs", List.of("all"), "all"),
        Arguments.of("job", List.of(), "ID"),
        Arguments.of("job", List.of("a", "b"), "b"),
        Arguments.of("logs", List.of(), "ID"),
        Arguments.of("logs", List.of("x", "--json"), "--json: a log is printed as it is"),
        Arguments.of("tail", List.of(), "ID"),
        Arguments.of("events", List.of("--limit", "many"), "--limit"),
        Arguments.of("workers", List.of("--status", "ONLINE"), "--status"),
        Arguments.of("retry", List.of(), "--fingerprint"),
        Arguments.of("retry", List.of("x", "--queue", "q"), "--fingerprint"),
        Arguments.of("retry", List.of("--fingerprint", "f", "--rate", "0"), "--rate"),
        Arguments.of("cancel", List.of(), "--queue"),
        Arguments.of("cancel", List.of("x", "--queue", "q"), "--queue"),
        Arguments.of("cancel", List.of("--since", "soon"), "--since"),
        Arguments.of("jobs", List.of("--until", "1y"), "--until"),
        Arguments.of("pause", List.of(), "QUEUE"),
        Arguments.of("resume", List.of(), "--worker"),
        Arguments.of("resume", List.of("q", "--worker", "w"), "--worker"),
        Arguments.of("drain", List.of(), "WORKER"),
        Arguments.of("redis", List.of(), "stint redis check"),
        Arguments.of("redis", List.of("check", "--repiar"), "--repiar"),
        Arguments.of("dead", List.of("--limit", "201"), "--limit"),
        Arguments.of("explain", List.of(), "ID"),
        Arguments.of("abort", List.of(), "--worker"),
        Arguments.of("abort", List.of("--reason", "x"), "--worker"),
        Arguments.of("abort", List.of("x", "--status", "PENDING"), "--worker"),
        Arguments.of("abort", List.of("x", "--dry-run"), "--dry-run"),
        Arguments.of("abort", List.of("x", "--worker", "w", "--dry-run"), "--dry-run"),
        Arguments.of("cancel", List.of("x", "--dry-run"), "--dry-run"),
        Arguments.of("retry", List.of("x", "--dry-run"), "--dry-run"),
        Arguments.of("retry", List.of("x", "--rate", "10"), "--rate: "));
  }

  @ParameterizedTest
  @MethodSource("wrongUsage")
  void wrongUsageIsExitCode2AndOneLineThatNamesIt(
      String command, List<String> arguments, String named) {
    String[] line = Stream.concat(Stream.of(command), arguments.stream()).toArray(String[]::new);

    assertThat(run(Map.of(), line)).isEqualTo(2);
    assertThat(err.toString()).startsWith("stint: ").contains(named).hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  /** As a script gives it whose variable was never set. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "job",
        "logs",
        "tail",
        "explain",
        "retry",
        "cancel",
        "abort",
        "pause",
        "resume",
        "drain",
        "resume --worker",
        "abort --worker",
        "cancel --queue",
        "retry --text",
        "events --job"
      })
  void anEmptyNameIsRefusedBeforeAnybodyIsAsked(String command) {
    String[] line =
        Stream.concat(Stream.of(command.split(" ")), Stream.of("")).toArray(String[]::new);

    assertThat(run(Map.of("STINT_URL", "http://127.0.0.1:1"), line)).isEqualTo(2);
    assertThat(err.toString()).contains("must not be empty").hasLineCount(1);
  }

  @Test
  void aMistypedCommandIsToldWhereTheCommandsAre() {
    assertThat(run(Map.of(), "jbos", "--limit", "3")).isEqualTo(2);
    assertThat(err.toString())
        .isEqualToIgnoringNewLines("stint: there is no jbos; see: stint --help");
  }

  static Stream<List<String>> calls() {
    return Stream.of(
        List.of("submit", "true"),
        List.of("submit", "--wait", "true"),
        List.of("jobs"),
        List.of("job", "x"),
        List.of("logs", "x"),
        List.of("tail", "x"),
        List.of("workers"),
        List.of("events"),
        List.of("abort", "x"),
        List.of("top"),
        List.of("queues"),
        List.of("dead"),
        List.of("explain", "x"),
        List.of("retry", "x"),
        List.of("retry", "--queue", "q"),
        List.of("cancel", "x"),
        List.of("pause", "q"),
        List.of("resume", "q"),
        List.of("drain", "w"),
        List.of("redis", "check"),
        List.of("redis", "check", "--repair"));
  }

  @ParameterizedTest
  @MethodSource("calls")
  void aControlPlaneThatIsNotThereIsExitCode6AndOneLineThatSaysWhatToDo(List<String> call)
      throws IOException {
    Map<String, String> environment = Map.of("STINT_URL", "http://127.0.0.1:" + closedPort());

    assertThat(run(environment, call.toArray(String[]::new))).isEqualTo(6);
    assertThat(err.toString()).contains("cannot reach", "stint server", "--url").hasLineCount(1);
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void whoeverAnswers404WithoutAReasonMayBeNoControlPlane() throws IOException {
    HttpServer another =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    another.start();
    try {
      String url = "http://127.0.0.1:" + another.getAddress().getPort();
      assertThat(run(Map.of(), "workers", "--url", url)).isEqualTo(5);
      assertThat(err.toString()).contains("control plane at " + url + "?", "--url").hasLineCount(1);
    } finally {
      another.stop(0);
    }
  }

  @Test
  void aJobThatWasNotSentIsNotSaidToBePerhapsTaken() throws IOException {
    try (ServerSocket noTls = new ServerSocket(0, 0, InetAddress.getLoopbackAddress())) {
      Thread.ofVirtual().start(() -> refuse(noTls));
      for (String url :
          List.of("http://nowhere.invalid", "https://127.0.0.1:" + noTls.getLocalPort())) {
        err.getBuffer().setLength(0);
        assertThat(run(Map.of(), "submit", "--url", url, "true")).isEqualTo(6);
        assertThat(err.toString())
            .contains("cannot reach " + url)
            .doesNotContain("whether the job was taken")
            .hasLineCount(1);
      }
    }
  }

  /** As a server does that speaks no TLS. */
  private static void refuse(ServerSocket server) {
    try (Socket client = server.accept()) {
      client
          .getOutputStream()
          .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void anOptionThatACommandRefusesIsNotOffered() {
    assertThat(run(Map.of(), "logs", "--help")).isZero();
    assertThat(run(Map.of(), "job", "--help")).isZero();
    assertThat(run(Map.of(), "completion")).isZero();

    String[] said = out.toString().split("#!/|Usage: ", -1);
    assertThat(said[1]).contains("stint logs", "--token-file").doesNotContain("-json");
    assertThat(said[2]).contains("stint job", "--json");
    assertThat(optionsOf("logs", said[3])).contains("--token-file").doesNotContain("-json");
    assertThat(optionsOf("job", said[3])).contains("--json");
  }

  private static String optionsOf(String command, String completion) {
    String function = completion.split("function _picocli_stint_" + command + "\\(\\)", -1)[1];
    return function.substring(0, function.indexOf("\n}"));
  }

  @Test
  void metadataIsSentAsItWasTyped() throws IOException {
    List<String> sent = new ArrayList<>();
    HttpServer control =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    control.createContext(
        "/jobs",
        exchange -> {
          sent.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          byte[] answer = "{\"job_id\":\"j\"}".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(201, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    control.start();
    try {
      String url = "http://127.0.0.1:" + control.getAddress().getPort();
      String metadata = "{\"id\": 12345678901234567890, \"x\": 0.10}";
      assertThat(run(Map.of(), "submit", "--url", url, "--metadata", metadata, "true")).isZero();
      assertThat(sent).singleElement().asString().contains("\"metadata\":" + metadata);
    } finally {
      control.stop(0);
    }
  }

  private static int closedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "submit", "jobs", "job", "logs", "tail", "workers", "events", "abort", "top", "queues",
        "dead", "explain", "retry", "cancel", "pause", "resume", "drain"
      })
  void helpTeaches(String name) {
    assertThat(run(Map.of(), name, "--help")).isZero();

    String help = out.toString();
    assertThat(help).contains("Examples:", "  stint " + name, "Exit codes:", "  0  ", "  6  ");
    CommandLine command =
        Objects.requireNonNull(Stint.commandLine(Map.of()).getSubcommands().get(name));
    for (OptionSpec option : command.getCommandSpec().options()) {
      assertThat(option.description()).as(option.longestName()).isNotEmpty();
    }
    for (String option : List.of("--url", "--token", "--token-file")) {
      assertThat(help.replaceAll("\\s+", " "))
          .contains("[" + String.join(", ", Environment.names(option)) + "]");
    }
  }

  @Test
  void theEnvironmentTellsWhereToCallAndNothingElse() {
    Map<String, String> environment =
        Map.of(
            "HDCF_CONTROL_URL", "http://old:1",
            "HDCF_API_TOKEN", "old",
            "STINT_API_TOKEN", "ours",
            "STINT_LIMIT", "7",
            "STINT_WORKER", "w");
    assertThat(option(environment, "--url")).isEqualTo("http://old:1");
    assertThat(option(environment, "--token")).isEqualTo("ours");
    assertThat(option(environment, "--limit")).isEqualTo("50");
    assertThat(option(environment, "--worker")).isEqualTo("null");
    assertThat(option(Map.of(), "--url")).isEqualTo("http://localhost:8080");
    assertThat(option(Map.of(), "--token")).isEqualTo("dev-token");
    assertThat(option(Map.of("STINT_CONTROL_URL", "b", "HDCF_CONTROL_URL", "c"), "--url"))
        .isEqualTo("b");
    assertThat(option(Map.of("STINT_URL", "a", "STINT_CONTROL_URL", "b"), "--url")).isEqualTo("a");
    assertThat(option(environment, "--url", "-url", "flag")).isEqualTo("flag");
  }

  private static String option(Map<String, String> environment, String name, String... flags) {
    String[] line = Stream.concat(Stream.of("jobs"), Stream.of(flags)).toArray(String[]::new);
    Object value =
        Stint.commandLine(environment)
            .parseArgs(line)
            .subcommand()
            .commandSpec()
            .findOption(name)
            .getValue();
    return String.valueOf(value);
  }

  @Test
  void whatLooksLikeAFileOfArgumentsIsNotReadAsOne(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("args"), "--help");

    Map<String, String> nowhere = Map.of("STINT_URL", "http://127.0.0.1:" + closedPort());
    assertThat(run(nowhere, "submit", "--", "cat", "@" + file)).isEqualTo(6);
  }

  @Test
  void completionKnowsTheCommandsAndTheStates() {
    assertThat(run(Map.of(), "completion")).isZero();
    assertThat(out.toString()).startsWith("#!/").contains("submit", "RETRYING", "--token-file");
    assertThat(out.toString()).doesNotContain("rehearse");
  }
}
