package dev.stint.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The real program in a process of its own. */
final class StintProcess implements AutoCloseable {
  private final Process process;

  private StintProcess(Process process) {
    this.process = process;
  }

  static StintProcess start(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", "")));
    command.add("dev.stint.cli.Stint");
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(STINT|HDCF|JOB)_.*"));
    builder.environment().putAll(environment);
    return new StintProcess(builder.start());
  }

  /** The next line that it prints. */
  String line() throws IOException {
    BufferedReader reader = process.inputReader();
    String line = reader.readLine();
    if (line == null) {
      throw new AssertionError("it printed nothing, but on stderr: " + errors());
    }
    return line;
  }

  /** The port out of its first line. */
  int port() throws IOException {
    String line = line();
    return Integer.parseInt(line.replaceFirst("^stint listens on http://[^ ]*:(\\d+).*", "$1"));
  }

  String errors() {
    try {
      return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void signal(String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
