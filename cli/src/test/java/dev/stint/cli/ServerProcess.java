package dev.stint.cli;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A real {@code stint server} process on a port of its own, to be killed and started again. */
final class ServerProcess implements AutoCloseable {
  private final List<String> command;
  private final Path log;
  private final int port;
  private Process process;

  private ServerProcess(List<String> command, Path log, int port) throws IOException {
    this.command = command;
    this.log = log;
    this.port = port;
    this.process = launch();
  }

  static ServerProcess start(Path log, String db, String... options) throws IOException {
    int port = freePort();
    List<String> command =
        new ArrayList<>(
            List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "--enable-native-access=ALL-UNNAMED",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                "dev.stint.cli.Stint",
                "server",
                "--addr",
                "127.0.0.1:" + port,
                "--db",
                db));
    command.addAll(List.of(options));
    return new ServerProcess(command, log, port);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private Process launch() throws IOException {
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  String url(String path) {
    return "http://127.0.0.1:" + port + path;
  }

  /** As {@code kill -9} does it, and at once another one in its place. */
  void killAndStartAgain() throws IOException, InterruptedException {
    process.destroyForcibly().waitFor();
    process = launch();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  @Override
  public void close() {
    process.destroy();
    if (process.onExit().completeOnTimeout(process, 20, TimeUnit.SECONDS).join().isAlive()) {
      process.destroyForcibly().onExit().join();
    }
  }
}
