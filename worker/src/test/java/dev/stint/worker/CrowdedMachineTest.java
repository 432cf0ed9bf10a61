package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A machine that starts no process, as all files are open that may be: in a JVM of its own. */
@Timeout(60)
@EnabledOnOs(OS.LINUX)
class CrowdedMachineTest {
  /** Enough to write a file, and too few for a process. */
  private static final int LEFT = 3;

  @Test
  void aJobIsHandedBackOrWaitsAndIsNotToBlame(@TempDir Path folder) throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                "sh",
                "-c",
                "ulimit -n 200; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path", "")),
                CrowdedMachineTest.class.getName(),
                folder.toString())
            .redirectError(folder.resolve("errors").toFile());
    Process process = builder.start();
    try {
      assertThat(process.inputReader().readAllAsString())
          .isEqualTo("COMPLETED done\nRELEASED waits\nCOMPLETED done\n");
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  /** Runs a job and a handler's command three times: with room, without, and with room again. */
  public static void main(String[] args) throws Exception {
    Path folder = Path.of(args[0]);
    System.out.println(outcome(folder) + " " + (isHandled() ? "done" : "waits"));
    Deque<FileInputStream> open = fill();
    String crowded = outcome(folder) + " " + (isHandled() ? "done" : "waits");
    while (!open.isEmpty()) {
      open.pop().close();
    }
    System.out.println(crowded);
    System.out.println(outcome(folder) + " " + (isHandled() ? "done" : "waits"));
  }

  private static Deque<FileInputStream> fill() throws IOException {
    Deque<FileInputStream> open = new ArrayDeque<>();
    try {
      while (true) {
        open.push(new FileInputStream("/dev/null"));
      }
    } catch (FileNotFoundException e) {
      for (int i = 0; i < LEFT; i++) {
        open.pop().close();
      }
    }
    return open;
  }

  private static String outcome(Path folder) throws InterruptedException {
    Workshop shop = Workshop.of(Probes.settings(folder, Duration.ofSeconds(1)));
    Report report = new Run(Probes.job(new Mark("j1", 1), 0, "true"), "w1", shop).execute();
    return Objects.requireNonNull(report).kind().name();
  }

  /** Whether it comes to its end, and does not wait for better times. */
  private static boolean isHandled() throws InterruptedException {
    Thread handling =
        Thread.ofPlatform()
            .start(() -> {
              try {
                new CommandHandler(List.of("true"), Duration.ofSeconds(1)).handle(new GivenJob(""));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    while (handling.isAlive() && handling.getState() != Thread.State.TIMED_WAITING) {
      Thread.sleep(10);
    }
    boolean isHandled = handling.join(Duration.ofMillis(200));
    handling.interrupt();
    handling.join();
    return isHandled;
  }
}
