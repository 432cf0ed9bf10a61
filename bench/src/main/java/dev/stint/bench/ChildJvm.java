package dev.stint.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Another JVM with this one's class path, and a directory for it. Both are gone after {@link
 * #close}, after Ctrl-C (by a shutdown hook), and the process also after this one was killed: it is
 * expected to end when its standard input does, which is a pipe from here.
 */
final class ChildJvm implements AutoCloseable {
  private static final int STOP_WITHIN_SECONDS = 10;
  private static final int LOG_LINES_SHOWN = 15;

  private final Path directory;
  private final Process process;
  private final Thread hook = new Thread(this::end, "end-child");
  private volatile boolean ending;

  private ChildJvm(Path directory, Process process) {
    this.directory = directory;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts it.
   *
   * @param directory is the child's own from now on, and deleted with it
   */
  static ChildJvm start(
      Path directory,
      Class<?> main,
      List<String> javaOptions,
      List<String> arguments,
      Map<String, String> environment)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(javaOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectError(logIn(directory).toFile());
    return new ChildJvm(directory, builder.start());
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Whether it is being ended from here, so that its silence is no surprise. */
  boolean isEnding() {
    return ending;
  }

  BufferedReader output() {
    return process.inputReader();
  }

  /** The last lines that it wrote to standard error. */
  String lastWords() {
    try (Stream<String> lines = Files.lines(logIn(directory))) {
      List<String> all = lines.toList();
      return String.join("\n", all.subList(Math.max(0, all.size() - LOG_LINES_SHOWN), all.size()));
    } catch (IOException | UncheckedIOException e) {
      return "";
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is going down already, and the hook is at it.
      return;
    }
    end();
  }

  private void end() {
    ending = true;
    process.destroy();
    try {
      if (!process.waitFor(STOP_WITHIN_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    TemporaryFolder.delete(directory);
  }

  private static Path logIn(Path directory) {
    return directory.resolve("server.log");
  }
}
