package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
class ProcessTreeTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final Duration SHORT = Duration.ofMillis(300);

  private final Mark mark = new Mark(UUID.randomUUID().toString(), 7);
  private final Mark other = new Mark(mark.jobId(), 8);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AfterEach
  void endAll() throws Exception {
    new ProcessTree(mark, null).end(Duration.ZERO);
    new ProcessTree(other, null).end(Duration.ZERO);
  }

  private static Process start(Mark mark, String... command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    mark.putInto(builder.environment());
    return builder.start();
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  @Test
  void grandchildrenEndWithTheJob() throws Exception {
    Process job = start(mark, "sh", "-c", "sh -c '" + Probes.sleeper(file("a")) + "' & wait");
    ProcessHandle grandchild = Probes.process(file("a"));

    assertThat(new ProcessTree(mark, job.toHandle()).end(LONG)).isEqualTo(2);

    assertThat(Probes.isRunning(grandchild)).isFalse();
    assertThat(job.waitFor()).isNotZero();
  }

  @Test
  void whoLeftSessionAndParentIsFoundByTheMark() throws Exception {
    Process job =
        start(mark, "sh", "-c", "setsid sh -c '(" + Probes.sleeper(file("a")) + ") & ' & exit 0");
    ProcessHandle daemon = Probes.process(file("a"));
    job.waitFor();

    assertThat(new ProcessTree(mark, null).end(LONG)).isPositive();

    assertThat(Probes.isRunning(daemon)).isFalse();
  }

  @Test
  void whoWipedItsEnvironmentIsFoundByTheSession() throws Exception {
    Process job =
        start(
            mark,
            "setsid",
            "sh",
            "-c",
            "env -i PATH=\"$PATH\" sh -c '" + Probes.sleeper(file("a")) + "' & exit 0");
    ProcessHandle bare = Probes.process(file("a"));
    job.waitFor();

    assertThat(new ProcessTree(mark, job.toHandle()).end(LONG)).isPositive();

    assertThat(Probes.isRunning(bare)).isFalse();
  }

  @Test
  void whoDoesNotHeedTheTermIsKilledAfterTheGrace() throws Exception {
    Process job =
        start(mark, "sh", "-c", "trap '' TERM; (" + Probes.sleeper(file("a")) + ") & wait; wait");
    ProcessHandle stubborn = Probes.process(file("a"));

    new ProcessTree(mark, job.toHandle()).end(SHORT);

    assertThat(Probes.isRunning(stubborn)).isFalse();
    assertThat(job.waitFor()).isEqualTo(137);
  }

  @Test
  void anotherAttemptAtTheSameJobIsLeftAlone() throws Exception {
    Process job = start(mark, "sleep", "1000");
    Process next = start(other, "sleep", "1000");

    new ProcessTree(mark, job.toHandle()).end(LONG);

    assertThat(job.waitFor()).isEqualTo(143);
    assertThat(next.isAlive()).isTrue();
    next.destroyForcibly();
  }

  @Test
  void whereNothingRunsNothingIsEnded() throws Exception {
    assertThat(new ProcessTree(mark, null).end(LONG)).isZero();
  }
}
