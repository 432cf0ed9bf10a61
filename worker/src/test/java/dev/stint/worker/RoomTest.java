package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
@EnabledOnOs(OS.LINUX)
class RoomTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void whatIsLeftOfAllJobsIsAskedToEndBeforeAnyIsWaitedFor() throws Exception {
    Mark one = new Mark(UUID.randomUUID().toString(), 1);
    Mark other = new Mark(UUID.randomUUID().toString(), 2);
    try (State state = new State(folder.resolve("state.json"))) {
      state.open();
      state.name("w1");
      state.started(one);
      state.started(other);
    }
    List<Process> left = List.of(endsAfter(one, other), endsAfter(other, one));
    Workshop shop = Workshop.of(Probes.settings(folder, Duration.ofSeconds(10)));
    try (State state = shop.state()) {
      Room room = new Room(shop, new Session(shop));
      assertThat(room.open()).isTrue();

      assertThat(state.running()).isEmpty();
      assertThat(room.open()).isFalse();
    } finally {
      left.forEach(Process::destroyForcibly);
    }
    assertThat(left.getFirst().waitFor()).isEqualTo(7);
    assertThat(left.getLast().waitFor()).isEqualTo(7);
    assertThat(Files.readString(folder.resolve("state.json"))).contains("\"running\":[]");
  }

  /** A process that, once asked to end, does so when the other was asked as well. */
  private Process endsAfter(Mark mark, Mark other) throws IOException, InterruptedException {
    Path up = folder.resolve(mark.fileName() + ".up");
    String script =
        "trap 'touch %s; while [ ! -e %s ]; do sleep 0.05; done; exit 7' TERM; touch %s; "
            .formatted(folder.resolve(mark.jobId()), folder.resolve(other.jobId()), up);
    ProcessBuilder builder =
        new ProcessBuilder("sh", "-c", script + "while :; do sleep 0.05; done");
    mark.putInto(builder.environment());
    Process process = builder.start();
    Probes.await(() -> Files.exists(up));
    return process;
  }
}
