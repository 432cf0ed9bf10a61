package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

class CommandLineTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(Map<String, String> environment, String... arguments) {
    return Stint.commandLine(environment)
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }

  @ParameterizedTest
  @CsvSource({"server, 0 1 2 3 4", "worker, 0 1 2 5 8 130", "up, 0 1 2 3 4 5 8 130"})
  void helpNamesEveryEnvironmentVariableAndExitCode(String command, String codes) {
    assertThat(run(Map.of(), command, "--help")).isZero();

    String help = out.toString().replaceAll("\\s+", " ");
    for (OptionSpec option : subcommand(command).getCommandSpec().options()) {
      if (option.usageHelp() || option.versionHelp()) {
        continue;
      }
      assertThat(help)
          .contains("[" + String.join(", ", Environment.names(option.longestName())) + "]");
    }
    for (String code : codes.split(" ", -1)) {
      assertThat(help.replaceFirst(".*Exit codes:", "")).contains(" " + code + " ");
    }
  }

  @Test
  void versionAndHelpWork() {
    assertThat(run(Map.of(), "--version")).isZero();
    assertThat(run(Map.of(), "help")).isZero();
    assertThat(out.toString()).contains("stint ").contains("server").doesNotContain("train");
  }

  static Stream<Arguments> wrongSettings() {
    return Stream.of(
        Arguments.of(Map.of(), List.of("--addr", "8080"), "--addr"),
        Arguments.of(Map.of(), List.of("--addr", ":8080"), "--addr"),
        Arguments.of(Map.of(), List.of("--addr", "no.such.host.invalid:1"), "--addr"),
        Arguments.of(Map.of("STINT_ADDR", "x"), List.of(), "--addr"),
        Arguments.of(Map.of("HDCF_ADDR", "x"), List.of(), "--addr"),
        Arguments.of(Map.of(), List.of("--db", ""), "--db: must be a file"),
        Arguments.of(Map.of(), List.of("--token", ""), "--token"),
        Arguments.of(Map.of(), List.of("--token-file", "/no/such/file"), "--token-file"),
        Arguments.of(Map.of(), List.of("--token", "a", "--token-file", "b"), "--token-file"),
        Arguments.of(Map.of(), List.of("--lease-ttl-seconds", "0"), "--lease-ttl-seconds"),
        Arguments.of(Map.of(), List.of("--lease-ttl-seconds", "soon"), "--lease-ttl-seconds"),
        Arguments.of(Map.of("STINT_LEASE_TTL_SECONDS", "soon"), List.of(), "--lease-ttl-seconds"),
        Arguments.of(Map.of(), List.of("--tasks", ","), "--tasks"),
        Arguments.of(Map.of(), List.of("--max-queue-depth", "0"), "--max-queue-depth"),
        Arguments.of(Map.of("JOB_TTL_S", "0"), List.of(), "--job-ttl-s"),
        Arguments.of(Map.of("STINT_JOB_TTL_S", "-1"), List.of(), "--job-ttl-s"),
        Arguments.of(Map.of(), List.of("--cancel-grace-seconds", "-1"), "--cancel-grace-seconds"),
        Arguments.of(Map.of(), List.of("--retention-days", "0"), "--retention-days"),
        Arguments.of(Map.of(), List.of("--log-level", "loud"), "--log-level"),
        Arguments.of(Map.of(), List.of("--colour"), "--colour"),
        Arguments.of(Map.of("STINT_VERSION", "1.4.0"), List.of("--addr", "8080"), "--addr"),
        Arguments.of(Map.of("STINT_HELP", "me"), List.of("--addr", "8080"), "--addr"),
        Arguments.of(
            Map.of("STINT_JWT_SECRET", "short"),
            List.of("--jwt-secret-file", "/no/such/file"),
            "--jwt-secret-file"),
        Arguments.of(
            Map.of(),
            List.of("--jwt-secret", "short", "--jwt-secret-file", "b"),
            "--jwt-secret-file"),
        Arguments.of(
            Map.of("STINT_DISPATCH_SECRET", "short"),
            List.of("--dispatch-secret-file", "/no/such/file"),
            "--dispatch-secret-file"),
        Arguments.of(
            Map.of(),
            List.of("--dispatch-secret", "short", "--dispatch-secret-file", "b"),
            "--dispatch-secret-file"));
  }

  @ParameterizedTest
  @MethodSource("wrongSettings")
  void aWrongSettingIsToldInOneLineThatNamesIt(
      Map<String, String> environment, List<String> arguments, String setting) {
    String[] command =
        Stream.concat(Stream.of("server"), arguments.stream()).toArray(String[]::new);

    assertThat(run(environment, command)).isEqualTo(2);
    assertThat(err.toString()).contains(setting).hasLineCount(1);
  }

  static Stream<Arguments> wrongWorkerSettings() {
    return Stream.of(
        Arguments.of(Map.of(), List.of("-control-url", "localhost:8080"), "--control-url"),
        Arguments.of(Map.of("HDCF_CONTROL_URL", "ftp://x"), List.of(), "--control-url"),
        Arguments.of(Map.of(), List.of("-control-url", "http://h:65536"), "--control-url"),
        Arguments.of(Map.of(), List.of("-worker-id", " "), "--worker-id"),
        Arguments.of(Map.of("HDCF_API_TOKEN", "a b"), List.of(), "--token"),
        Arguments.of(Map.of(), List.of("--token-file", "/no/such/file"), "--token-file"),
        Arguments.of(Map.of(), List.of("-token", "a", "--token-file", "b"), "--token-file"),
        Arguments.of(Map.of(), List.of("--queue", ""), "--queue"),
        Arguments.of(Map.of(), List.of("-state-file", ""), "--state-file: must be a file"),
        Arguments.of(Map.of(), List.of("--slots", "0"), "--slots"),
        Arguments.of(Map.of("STINT_SLOTS", "many"), List.of(), "--slots"),
        Arguments.of(Map.of(), List.of("-poll-interval-seconds", "0"), "--poll-interval-seconds"),
        Arguments.of(
            Map.of(), List.of("-heartbeat-interval-seconds", "-1"), "--heartbeat-interval-seconds"),
        Arguments.of(
            Map.of(), List.of("-request-timeout-seconds", "0"), "--request-timeout-seconds"),
        Arguments.of(Map.of(), List.of("--drain-seconds", "-1"), "--drain-seconds"),
        Arguments.of(Map.of(), List.of("--kill-grace-seconds", "-1"), "--kill-grace-seconds"),
        Arguments.of(Map.of("STINT_MAX_LOG_BYTES", "0"), List.of(), "--max-log-bytes: must be at"),
        Arguments.of(Map.of(), List.of("--redis", "redis://h"), "--redis: say what to run"),
        Arguments.of(Map.of(), List.of("--", "true"), "--redis: say where Redis is"),
        Arguments.of(
            Map.of(),
            List.of("-control-url", "http://h", "--", "true"),
            "--redis: say where Redis is"),
        Arguments.of(Map.of("STINT_REDIS", "h:1"), List.of("--", "true"), "--redis: must be of"),
        Arguments.of(
            Map.of(), List.of("--redis", "redis://h", "--slots", "0", "--", "true"), "slots"),
        Arguments.of(
            Map.of(), List.of("--redis", "redis://h", "--", "{payload.x}"), "choose the command"),
        Arguments.of(Map.of(), withRedis("--queue", "gpu"), "--queue: with --redis it is --stream"),
        Arguments.of(Map.of(), withRedis("-control-url", "http://h"), "--control-url: not with"),
        Arguments.of(Map.of(), withRedis("--token", "t"), "--token: not with --redis"),
        Arguments.of(Map.of(), withRedis("--retry-failed"), "--retry-failed: not with --redis"),
        Arguments.of(Map.of(), withRedis("--drain-seconds", "-1"), "--drain-seconds: must be"),
        Arguments.of(Map.of(), withRedis("--kill-grace-seconds", "-1"), "--kill-grace-seconds:"),
        Arguments.of(Map.of(), List.of("--stream", "s"), "--stream: without --redis it is --queue"),
        Arguments.of(Map.of("STINT_REDIS", "redis://h"), List.of("--json"), "--json: only with"),
        Arguments.of(Map.of(), List.of("--log-level", "loud"), "--log-level"));
  }

  private static List<String> withRedis(String... flags) {
    return Stream.of(Stream.of("--redis", "redis://h"), Stream.of(flags), Stream.of("--", "true"))
        .flatMap(words -> words)
        .toList();
  }

  @Test
  void variablesForWorkersOfControlPlanesDoNotKeepOneFromRedis() {
    Map<String, String> variables =
        Map.of("STINT_QUEUE", "gpu", "STINT_API_TOKEN", "t", "STINT_CONTROL_URL", "http://h");

    assertThat(run(variables, "worker", "--redis", "h:1", "--", "true")).isEqualTo(2);
    assertThat(err.toString()).contains("--redis: must be of").hasLineCount(1);
  }

  @ParameterizedTest
  @MethodSource("wrongWorkerSettings")
  void aWrongSettingOfTheWorkerIsToldTheSameWay(
      Map<String, String> environment, List<String> arguments, String setting) {
    String[] command =
        Stream.concat(Stream.of("worker"), arguments.stream()).toArray(String[]::new);

    assertThat(run(environment, command)).isEqualTo(2);
    assertThat(err.toString()).contains(setting).hasLineCount(1);
  }

  @Test
  void aSecretInAFileIsRefusedInTheNameOfTheFileWithTheReason(@TempDir Path folder)
      throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    Path wrong = Files.writeString(folder.resolve("wrong"), "a b\n");
    Path noText = Files.write(folder.resolve("noText"), new byte[] {(byte) 0xff, '\n'});
    Path none = folder.resolve("none");
    for (String command : List.of("server", "worker", "jobs")) {
      assertRefused("--token-file: the first line of " + empty + " is empty", command, empty);
      assertRefused("--token-file: must be 1 to 1000 visible ASCII", command, wrong);
      assertRefused("--token-file: cannot read " + none + ": no such file", command, none);
      assertRefused("--token-file: cannot read " + noText + ": it is no text", command, noText);
    }
    assertThat(run(Map.of(), "server", "--jwt-secret-file", wrong.toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--jwt-secret-file: must have at least 32 bytes");
  }

  private void assertRefused(String message, String command, Path file) {
    err.getBuffer().setLength(0);
    assertThat(run(Map.of(), command, "--token-file", file.toString())).isEqualTo(2);
    assertThat(err.toString()).contains(message).hasLineCount(1);
  }

  @Test
  void withoutACommandItSaysHowToGoOn() {
    assertThat(run(Map.of())).isEqualTo(2);
    assertThat(err.toString()).contains("stint help").hasLineCount(1);
  }

  @Test
  void aFlagBeatsOurVariableWhichBeatsTheOldOne() {
    Map<String, String> both = Map.of("STINT_ADDR", "ours:1", "HDCF_ADDR", "old:1");
    assertThat(addr(both, "--addr", "flag:1")).isEqualTo("flag:1");
    assertThat(addr(both, "-addr", "flag:1")).isEqualTo("flag:1");
    assertThat(addr(both)).isEqualTo("ours:1");
    assertThat(addr(Map.of("HDCF_ADDR", "old:1"))).isEqualTo("old:1");
    assertThat(addr(Map.of("STINT_ADDR", ""))).isEqualTo("127.0.0.1:8080");
    assertThat(addr(Map.of())).isEqualTo("127.0.0.1:8080");
  }

  private static String addr(Map<String, String> environment, String... arguments) {
    CommandLine stint = Stint.commandLine(environment);
    String[] command =
        Stream.concat(Stream.of("server"), Stream.of(arguments)).toArray(String[]::new);
    return stint.parseArgs(command).subcommand().commandSpec().findOption("--addr").getValue();
  }

  @Test
  void aFlagTurnsOnWhateverItsVariableSays() {
    for (OptionSpec flag : subcommand("worker").getCommandSpec().options()) {
      if (flag.type() != boolean.class || flag.usageHelp() || flag.versionHelp()) {
        continue;
      }
      String name = flag.longestName();
      String variable = Environment.names(name).getFirst();
      assertThat(isOn(name, Map.of(variable, "true"), "worker", name)).as(name).isTrue();
      assertThat(isOn(name, Map.of(variable, "false"), "worker", name)).as(name).isTrue();
      assertThat(isOn(name, Map.of(variable, "true"), "worker")).as(name).isTrue();
      assertThat(isOn(name, Map.of(variable, "false"), "worker")).as(name).isFalse();
    }
  }

  private static boolean isOn(String name, Map<String, String> environment, String... command) {
    return Stint.commandLine(environment)
        .parseArgs(command)
        .subcommand()
        .commandSpec()
        .findOption(name)
        .<Boolean>getValue();
  }

  @Test
  void noVariableAsksForTheVersionOrForHelp() {
    Map<String, String> environment = Map.of("STINT_VERSION", "true", "STINT_HELP", "true");
    assertThat(isOn("--version", environment, "server")).isFalse();
    assertThat(isOn("--help", environment, "server")).isFalse();
  }

  private static CommandLine subcommand(String name) {
    return Objects.requireNonNull(Stint.commandLine(Map.of()).getSubcommands().get(name));
  }

  @Test
  void aDatabasesPasswordIsNotShown() {
    assertThat(Places.of("jdbc:postgresql://me:secret@db.example/stint?password=secret"))
        .isEqualTo("jdbc:postgresql://db.example/stint");
    assertThat(Places.of("jdbc:postgresql://db/stint?user=me&password=secret"))
        .isEqualTo("jdbc:postgresql://db/stint");
    assertThat(Places.of("/tmp/../x.db")).isEqualTo("/x.db");
  }
}
