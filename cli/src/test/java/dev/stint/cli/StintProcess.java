package dev.stint.cli;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The real program in a process of its own, which can be killed and started again. */
final class StintProcess implements AutoCloseable {
  private final ProcessBuilder builder;
  private final List<Socket> crowd = new ArrayList<>();
  private Process process;

  private StintProcess(ProcessBuilder builder) throws IOException {
    this.builder = builder;
    this.process = builder.start();
  }

  /** With its output to be read by {@link #line} and {@link #errors}. */
  static StintProcess start(Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    return new StintProcess(builder(folder, environment, arguments));
  }

  /** With all its output at the end of a file, as it has to be if it may print much. */
  static StintProcess logging(Path log, Map<String, String> environment, String... arguments)
      throws IOException {
    return new StintProcess(
        builder(Objects.requireNonNull(log.getParent()), environment, arguments)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
  }

  /** With what it prints on standard output in a device such as {@code /dev/full}. */
  static StintProcess printingTo(
      String device, Path folder, Map<String, String> environment, String... arguments)
      throws IOException {
    return new StintProcess(
        builder(folder, environment, arguments).redirectOutput(new File(device)));
  }

  private static ProcessBuilder builder(
      Path folder, Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("-XX:+UseSerialGC");
    command.add("-XX:TieredStopAtLevel=1");
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path", "")));
    command.add("dev.stint.cli.Stint");
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().keySet().removeIf(name -> name.matches("(STINT|HDCF|JOB)_.*"));
    builder.environment().putAll(environment);
    return builder;
  }

  /** For a server that is started again and has to be found where it was. */
  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
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

  /** The next line that it prints on standard error; null if there is none any more. */
  @Nullable String errorLine() throws IOException {
    return process.errorReader().readLine();
  }

  /** Leaves the pipe, as {@code head} does when it has seen enough. */
  void readNoMore() throws IOException {
    process.getInputStream().close();
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

  /** Opens more connections to it than it may have files, which are closed with this. */
  void crowd(int port) throws Exception {
    String pid = Long.toString(process.pid());
    String[] open = Objects.requireNonNull(new File("/proc/" + pid + "/fd").list());
    new ProcessBuilder("prlimit", "--pid", pid, "--nofile=" + (open.length + 20) + ":")
        .start()
        .waitFor();
    try {
      for (int i = 0; i < 40; i++) {
        crowd.add(new Socket(InetAddress.getLoopbackAddress(), port));
      }
    } catch (ConnectException e) {
      // It listens no more: there were enough.
    }
  }

  int exitCode() throws InterruptedException {
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      throw new AssertionError("it does not end");
    }
    return process.exitValue();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** As {@code kill -9} does it. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  void startAgain() throws IOException {
    process = builder.start();
  }

  @Override
  public void close() {
    for (Socket socket : crowd) {
      try {
        socket.close();
      } catch (IOException e) {
        // It is of no use any more in any case.
      }
    }
    process.destroy();
    if (process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join().isAlive()) {
      process.destroyForcibly().onExit().join();
    }
  }
}
