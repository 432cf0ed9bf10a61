package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class OtherProgramTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path temporary = Path.of("");

  @Test
  void whatItSaysIsReadAndWhyItFailedIsTold() throws Exception {
    assertThat(run("echo one; echo two", LONG)).containsExactly("one", "two");
    assertThatThrownBy(() -> run("echo out of paper >&2; exit 3", LONG))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("status 3")
        .hasMessageContaining("out of paper");
  }

  @Test
  void oneThatDoesNotEndIsEnded() {
    assertThatThrownBy(() -> run("exec sleep 600", Duration.ofMillis(200)))
        .isInstanceOf(RunFailedException.class);
  }

  @Test
  void oneThatEndsInsteadOfGettingReadyIsToldWithItsLastWords() throws Exception {
    try (OtherProgram program = OtherProgram.start("sh", temporary, sh("echo no disk; exit 1"))) {
      assertThatThrownBy(() -> program.await(() -> false, LONG))
          .hasMessageContaining("did not start")
          .hasMessageContaining("no disk");
    }
  }

  @Test
  void itIsGoneAfterClose() throws Exception {
    ProcessHandle handle;
    try (OtherProgram program = OtherProgram.start("sh", temporary, sh("exec sleep 600"))) {
      handle = program.handle();
      program.await(handle::isAlive, LONG);
    }
    assertThat(handle.isAlive()).isFalse();
  }

  @Test
  void theLauncherIsFoundBesideItsJarOnly() {
    assertThat(Starts.launcher("/somewhere/else.jar")).isEqualTo(Optional.empty());
  }

  private List<String> run(String script, Duration within) throws RunFailedException {
    return OtherProgram.run("sh", temporary, sh(script), Map.of(), within);
  }

  private static List<String> sh(String script) {
    return List.of("sh", "-c", script);
  }
}
