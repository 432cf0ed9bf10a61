package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GpusTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private Gpus gpus(String script) throws Exception {
    Path program = Files.writeString(folder.resolve("nvidia-smi"), "#!/bin/sh\n" + script);
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    return new Gpus("/no/such/folder:" + folder);
  }

  @Test
  void theyAreToldOnceTheyAreKnown() throws Exception {
    Gpus gpus = gpus("echo 'A100, 37, 1024, 40960'; echo 'T4, [N/A], 1, 2'");

    assertThat(gpus.latest()).isEmpty();
    Probes.await(() -> !gpus.latest().isEmpty());

    assertThat(Json.write(gpus.latest()))
        .isEqualTo(
            "[{\"name\":\"A100\",\"utilization_percent\":37,"
                + "\"memory_used_mib\":1024,\"memory_total_mib\":40960},"
                + "{\"name\":\"T4\",\"utilization_percent\":null,"
                + "\"memory_used_mib\":1,\"memory_total_mib\":2}]");
  }

  @Test
  void oneQuestionAtATimeIsAsked() throws Exception {
    Path asked = folder.resolve("asked");
    Path answer = folder.resolve("answer");
    Gpus gpus =
        gpus(
            "echo x >> "
                + asked
                + "; i=0; while [ ! -e "
                + answer
                + " ] && [ $i -lt 900 ]; do sleep 0.01; i=$((i+1)); done; echo 'T4, 1, 1, 2'");
    gpus.latest();
    Probes.await(() -> Files.exists(asked));

    for (int i = 0; i < 20; i++) {
      assertThat(gpus.latest()).isEmpty();
    }
    assertThat(asked).hasContent("x\n");
    Files.createFile(answer);
    Probes.await(() -> !gpus.latest().isEmpty());
  }

  @Test
  void aMachineWithoutThemTellsOfTheRest() {
    Metrics metrics = new Metrics(folder, new Gpus("/no/such/folder"));

    assertThat(metrics.sample())
        .containsKeys("cpus", "memory_total_bytes", "memory_free_bytes", "disk_free_bytes")
        .doesNotContainKey("gpus");
    assertThat(Json.write(metrics.sample())).contains("\"disk_free_bytes\":");
  }
}
