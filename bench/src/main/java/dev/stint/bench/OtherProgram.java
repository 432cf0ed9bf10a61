package dev.stint.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A program that is not ours, running or run to its end. What it says goes into a file of its
 * folder; it is gone after {@link #close} and after Ctrl-C.
 */
final class OtherProgram implements AutoCloseable {
  private static final int STOP_WITHIN_SECONDS = 10;
  private static final int LOG_LINES_SHOWN = 8;
  private static final int POLL_MS = 50;

  private final String name;
  private final Path log;
  private final Process process;
  private final Thread hook = new Thread(this::end, "end-program");

  private OtherProgram(String name, Path log, Process process) {
    this.name = name;
    this.log = log;
    this.process = process;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Starts it with all that it says in the log. */
  static OtherProgram start(String name, Path folder, List<String> command)
      throws RunFailedException {
    Path log = folder.resolve(name + ".log");
    ProcessBuilder builder = builder(folder, command, Map.of());
    builder.redirectErrorStream(true).redirectOutput(log.toFile());
    return start(name, log, builder);
  }

  private static OtherProgram start(String name, Path log, ProcessBuilder builder)
      throws RunFailedException {
    try {
      return new OtherProgram(name, log, builder.start());
    } catch (IOException e) {
      throw new RunFailedException("cannot start %s: %s".formatted(name, e.getMessage()), e);
    }
  }

  /** Runs it to its end and returns the lines of its standard output. */
  static List<String> run(
      String name,
      Path folder,
      List<String> command,
      Map<String, String> environment,
      Duration within)
      throws RunFailedException {
    Path log = folder.resolve(name + ".log");
    ProcessBuilder builder = builder(folder, command, environment);
    builder.redirectError(log.toFile());
    try (OtherProgram program = start(name, log, builder)) {
      Thread patience = Thread.startVirtualThread(() -> endAfter(program.process, within));
      List<String> lines = new ArrayList<>();
      try (BufferedReader output = program.process.inputReader()) {
        output.lines().forEach(lines::add);
      }
      int status = program.process.waitFor();
      patience.interrupt();
      if (status != 0) {
        throw new RunFailedException(
            "%s ended with status %d: %s".formatted(name, status, program.lastWords()));
      }
      return lines;
    } catch (IOException | UncheckedIOException e) {
      throw new RunFailedException("cannot read what %s says: %s".formatted(name, e), e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private static void endAfter(Process process, Duration within) {
    try {
      if (!process.waitFor(within.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ProcessBuilder builder(
      Path folder, List<String> command, Map<String, String> environment) {
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(environment);
    builder.redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    return builder;
  }

  /** Something that becomes true once the program is ready. */
  interface Sign {
    boolean isThere() throws IOException;
  }

  /** Waits for it to be ready, and ends it if it is not in time. */
  void await(Sign sign, Duration within) throws RunFailedException {
    await(sign, within, POLL_MS);
  }

  /** The same, looking more often or less. */
  void await(Sign sign, Duration within, int pollMs) throws RunFailedException {
    long end = System.nanoTime() + within.toNanos();
    try {
      while (!isThere(sign)) {
        if (!process.isAlive() || System.nanoTime() > end) {
          throw new RunFailedException("%s did not start: %s".formatted(name, lastWords()));
        }
        Drive.sleep(Duration.ofMillis(pollMs));
      }
    } catch (RunFailedException e) {
      close();
      throw e;
    }
  }

  private static boolean isThere(Sign sign) {
    try {
      return sign.isThere();
    } catch (IOException e) {
      return false;
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  private String lastWords() {
    try (Stream<String> lines = Files.lines(log)) {
      List<String> all = lines.filter(line -> !line.isBlank()).toList();
      return String.join(" | ", all.subList(Math.max(0, all.size() - LOG_LINES_SHOWN), all.size()));
    } catch (IOException | UncheckedIOException e) {
      return "it said nothing";
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // The JVM is going down already, and the hook is at it.
    }
    end();
  }

  private void end() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_WITHIN_SECONDS, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
