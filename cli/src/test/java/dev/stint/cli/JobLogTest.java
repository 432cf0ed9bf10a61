package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobLogTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private @Nullable String read(Map<String, @Nullable Object> job) throws IOException {
    JobLog log = new JobLog("j", "stdout", List.of(folder.resolve("no-such-folder"), folder));
    try (InputStream in = log.open(new Fields(job))) {
      return in == null ? null : new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void aFileThatIsWholeBeforeItsJobIsReportedIsFoundUnderItsFinalName() throws IOException {
    Files.writeString(folder.resolve("j.1.stdout.log.tmp"), "former");
    assertThat(read(Map.of("status", "RUNNING", "fence", 12L))).isNull();
    Files.writeString(folder.resolve("j.12.stdout.log"), "now");
    assertThat(read(Map.of("status", "RUNNING", "fence", 12L))).isEqualTo("now");
    assertThat(read(Map.of("status", "RUNNING", "fence", 2L))).isNull();
    assertThat(read(Map.of("status", "ABORTED", "fence", 1L))).isEqualTo("former");
  }

  @Test
  void aPathThatCannotBeOneOnThisMachineIsNotHere() throws IOException {
    assertThat(read(Map.of("status", "COMPLETED", "artifact_stdout_path", "a\0b"))).isNull();
  }
}
