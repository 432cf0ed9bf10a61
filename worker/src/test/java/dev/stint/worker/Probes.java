package dev.stint.worker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What tests of several parts need: settings, jobs, and processes that tell their number. */
final class Probes {
  static final long MAX_LOG_BYTES = 4_000_000;

  private Probes() {}

  static WorkerSettings settings(Path folder, Duration killGrace) {
    return settings("http://127.0.0.1:9", folder, killGrace);
  }

  static WorkerSettings settings(String url, Path folder, Duration killGrace) {
    Duration second = Duration.ofSeconds(1);
    return new WorkerSettings(
        url,
        "w1",
        "dev-token",
        null,
        List.of(),
        "commands",
        1,
        folder,
        folder.resolve("state.json"),
        MAX_LOG_BYTES,
        new WorkerSettings.Times(second, second, second, second, killGrace),
        false,
        false);
  }

  static Assignment job(Mark mark, long timeoutMs, String command, String... args) {
    return new Assignment(mark, "a-" + mark.fence(), 1, command, List.of(args), null, timeoutMs);
  }

  /** A shell script that writes its number to a file once it runs. */
  static String sleeper(Path pidFile) {
    return "exec sh -c \"echo \\$\\$ > %s.new; mv %s.new %s; exec sleep 1000\""
        .formatted(pidFile, pidFile, pidFile);
  }

  /** The process whose number is in a file, when it is there. */
  static ProcessHandle process(Path pidFile) throws IOException, InterruptedException {
    await(() -> Files.exists(pidFile));
    return ProcessHandle.of(Long.parseLong(Files.readString(pidFile).strip())).orElseThrow();
  }

  /** Whether it runs; one that has ended and waits for its parent to notice does not. */
  static boolean isRunning(ProcessHandle process) {
    return process.isAlive()
        && ProcessTable.rows().stream().anyMatch(row -> row.pid() == process.pid());
  }

  static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("it does not come");
      }
      Thread.sleep(10);
    }
  }
}
