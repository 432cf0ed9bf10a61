package dev.stint.checks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script that people start, in a folder of its own: around the program that was just built, and
 * with a Maven that only puts that program in its place.
 */
@Timeout(180)
class LauncherTest {
  private static final Path PROGRAM = Path.of("../cli/target/stint").toAbsolutePath().normalize();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private Path home;

  @BeforeEach
  void putTheScriptIntoAFolderWithASpace() throws Exception {
    assumeThat(PROGRAM.resolve("stint.jar")).as("made by mvn package").exists();
    home = Files.createDirectory(folder.resolve("a checkout"));
    Files.copy(Path.of("../stint"), home.resolve("stint"));
  }

  private record Result(int status, String output, String errors) {}

  @Test
  void itIsStartedThroughALinkFromAnotherFolderAndPassesOnWhatItIsGiven() throws Exception {
    install();
    makeTrained();
    Path link = Files.createSymbolicLink(folder.resolve("link"), home.resolve("stint"));

    Result version = run(Map.of(), link.toString(), "--version");
    Result unknown = run(Map.of("LC_ALL", "C"), link.toString(), "ä  'b");

    assertThat(version.status()).isZero();
    assertThat(version.output()).startsWith("stint ").hasLineCount(1);
    assertThat(version.errors()).isEmpty();
    assertThat(unknown.status()).isEqualTo(2);
    assertThat(unknown.errors()).contains("ä  'b");
  }

  @Test
  void whateverTheLocaleAWorkerCanGiveAllCharactersToItsJobs() throws Exception {
    install();
    makeTrained();

    for (String command : List.of("worker", "up")) {
      Result refused = run(Map.of("LC_ALL", "C"), script(), command, "--slots", "ä");

      assertThat(refused.status()).isEqualTo(2);
      assertThat(refused.errors()).contains("--slots", "'ä'");
    }
  }

  @Test
  void aSignalReachesTheServer() throws Exception {
    install();
    makeTrained();
    Process server =
        start(
            Map.of(), script(), "server", "--addr", "127.0.0.1:0", "--db", "s.db", "--token", "t");
    try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
      assertThat(lines.readLine()).startsWith("stint listens on http://127.0.0.1:");

      server.destroy();

      assertThat(server.waitFor()).isZero();
    } finally {
      end(server);
    }
  }

  @Test
  void itGetsReadyForQuickStartsOnce() throws Exception {
    install();

    Result first = run(Map.of(), script(), "--version");
    Result second = run(Map.of(), script(), "--version");

    assertThat(first.errors()).isEqualTo("stint: preparing for quick starts, this once\n");
    assertThat(app().resolve("stint.aot")).isNotEmptyFile();
    assertThat(app().resolve("client.aot")).isNotEmptyFile();
    assertThat(second).isEqualTo(new Result(0, first.output(), ""));
  }

  @Test
  void aCopyWithWholeSecondsIsReadyForQuickStarts() throws Exception {
    install();
    makeTrained();
    FileTime second = FileTime.from(Instant.now().truncatedTo(ChronoUnit.SECONDS));
    Files.setLastModifiedTime(app().resolve("stint.jar"), second);
    Files.setLastModifiedTime(app().resolve("trained"), second);

    Result version = run(Map.of(), script(), "--version");

    assertThat(version.status()).isZero();
    assertThat(version.errors()).isEmpty();
  }

  @Test
  void cutShortItLeavesNothingBehindAndGetsReadyTheNextTime() throws Exception {
    install();
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    Map<String, String> environment = Map.of("TMPDIR", temporary.toString());
    Process first = start(environment, script(), "--version");
    try {
      while (first.isAlive() && !isTraining(temporary)) {
        Thread.sleep(20);
      }
      // As Ctrl-C does it, for all that was started.
      first.destroy();
      first.descendants().forEach(ProcessHandle::destroy);

      assertThat(first.waitFor()).isEqualTo(130);
    } finally {
      end(first);
    }
    assertThat(temporary).isEmptyDirectory();

    Result second = run(environment, script(), "--version");

    assertThat(second.errors()).isEqualTo("stint: preparing for quick starts, this once\n");
    assertThat(app().resolve("stint.aot")).isNotEmptyFile();
    assertThat(temporary).isEmptyDirectory();
  }

  private static boolean isTraining(Path temporary) throws IOException {
    try (Stream<Path> folders = Files.list(temporary)) {
      return folders.anyMatch(folder -> Files.exists(folder.resolve("t.db")));
    }
  }

  @Test
  void twoThatStartAtOnceBuildOnceAndLaterOnlyWhatHasChanged() throws Exception {
    Path built = beACheckout("ln -s '%s' cli/target/stint/lib".formatted(PROGRAM.resolve("lib")));
    Process first = start(Map.of(), script(), "--version");
    Process second = start(Map.of(), script(), "--version");

    assertThat(result(first).output()).startsWith("stint ");
    assertThat(result(second).output()).startsWith("stint ");
    assertThat(built).content().hasLineCount(1);

    assertThat(run(Map.of(), script(), "--version").status()).isZero();
    assertThat(built).content().hasLineCount(1);

    Path source = Files.createDirectories(home.resolve("engine/src/main")).resolve("Job.java");
    Files.writeString(source, "// changed");
    Files.setLastModifiedTime(source, FileTime.from(Instant.now().plusSeconds(1)));
    assertThat(run(Map.of(), script(), "--version").status()).isZero();
    assertThat(built).content().hasLineCount(2);
  }

  @Test
  void aBuildThatFailsIsToldAndTriedAgain() throws Exception {
    Path built = beACheckout("echo 'no such symbol'; exit 1");

    Result failed = run(Map.of(), script(), "--version");

    assertThat(failed.status()).isEqualTo(1);
    assertThat(failed.output()).isEmpty();
    assertThat(failed.errors())
        .contains("no such symbol")
        .endsWith("stint: the build failed; the lines above tell why\n");
    assertThat(run(Map.of(), script(), "--version").status()).isEqualTo(1);
    assertThat(built).content().hasLineCount(2);
  }

  @Test
  void whoDiedAtABuildHoldsNobodyUp() throws Exception {
    beACheckout("ln -s '%s' cli/target/stint/lib".formatted(PROGRAM.resolve("lib")));
    Path lock = Files.createDirectories(home.resolve("cli/target/build.lock"));
    Process over = new ProcessBuilder("true").start();
    over.waitFor();
    Files.writeString(lock.resolve("pid"), over.pid() + "\n");

    assertThat(run(Map.of(), script(), "--version").status()).isZero();
    assertThat(lock).doesNotExist();
  }

  @Test
  void aJavaThatIsTooOldIsPassedOver() throws Exception {
    install();
    makeTrained();
    Path old = folder.resolve("old");
    executable(Files.createDirectories(old.resolve("bin")).resolve("java"), "exit 9");
    Files.writeString(old.resolve("release"), "JAVA_VERSION=\"17.0.1\"\n");

    Result version = run(Map.of("STINT_JAVA_HOME", old.toString()), script(), "--version");

    assertThat(version.status()).isZero();
  }

  @Test
  void theWidthOfTheTerminalIsToldAlsoWhereOnlyStandardErrorIsOne() throws Exception {
    assumeThat(Path.of("/usr/bin/script")).as("what makes a terminal").exists();
    install();
    makeTrained();
    Path java = folder.resolve("java");
    executable(
        Files.createDirectories(java.resolve("bin")).resolve("java"),
        "for word; do case $word in -Dstint.*) printf '%s ' \"${word#-Dstint.}\" ;; esac; done"
            + " >>told; echo >>told");
    Files.writeString(java.resolve("release"), "JAVA_VERSION=\"25\"\n");

    Result result =
        run(
            Map.of("STINT_JAVA_HOME", java.toString(), "LAUNCHER", script()),
            "-c",
            """
            script -qec 'stty cols 132 && "$LAUNCHER" a && "$LAUNCHER" b >out && "$LAUNCHER" c >out 2>&1' log
            """);

    assertThat(result.status()).as(result.output()).isZero();
    assertThat(folder.resolve("told"))
        .hasContent(
            """
            stdout.terminal=true stderr.terminal=true columns=132\s
            stderr.terminal=true columns=132\s
            columns=\s
            """);
  }

  @Test
  void itNeedsNoHome() throws Exception {
    install();
    makeTrained();

    Result version = run(Map.of(), "-c", "unset HOME; exec bash \"$0\" --version", script());

    assertThat(version.status()).isZero();
    assertThat(version.errors()).isEmpty();
  }

  private String script() {
    return home.resolve("stint").toString();
  }

  private Path app() {
    return home.resolve("cli/target/stint");
  }

  /** As a release has it: nothing that could be built. */
  private void install() throws IOException {
    Files.createDirectories(app());
    Files.copy(PROGRAM.resolve("stint.jar"), app().resolve("stint.jar"));
    Files.createSymbolicLink(app().resolve("lib"), PROGRAM.resolve("lib"));
    Files.createFile(app().resolve("built"));
  }

  private void makeTrained() throws IOException {
    Path trained = Files.createFile(app().resolve("trained"));
    Files.setLastModifiedTime(trained, FileTime.from(Instant.now().plusSeconds(60)));
  }

  /** With a Maven that writes a line for each build, which is returned, and then does as told. */
  private Path beACheckout(String andThen) throws IOException {
    Files.createFile(home.resolve("pom.xml"));
    Path builds = home.resolve("builds");
    executable(
        home.resolve("mvnw"),
        """
        cd "$(dirname "$0")"
        echo built >>builds
        rm -rf cli/target/stint
        mkdir -p cli/target/stint
        cp '%s' cli/target/stint
        touch -d '+1 minute' cli/target/stint/trained
        %s
        """
            .formatted(PROGRAM.resolve("stint.jar"), andThen));
    return builds;
  }

  private static void executable(Path file, String text) throws IOException {
    Files.writeString(file, "#!/bin/sh\n" + text + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Result run(Map<String, String> environment, String... command) throws Exception {
    return result(start(environment, command));
  }

  private Process start(Map<String, String> environment, String... command) throws IOException {
    List<String> all = new ArrayList<>(List.of("bash"));
    all.addAll(List.of(command));
    ProcessBuilder builder = new ProcessBuilder(all).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("STINT_"));
    builder.environment().putAll(environment);
    return builder.start();
  }

  private static Result result(Process process) throws Exception {
    try {
      String output = text(process.getInputStream());
      String errors = text(process.getErrorStream());
      return new Result(process.waitFor(), output, errors);
    } finally {
      end(process);
    }
  }

  /** With what it has started, should it not have become that. */
  private static void end(Process process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }
}
