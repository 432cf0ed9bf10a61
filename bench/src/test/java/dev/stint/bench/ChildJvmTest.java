package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ChildJvmTest {
  @TempDir Path temporary = Path.of("");

  /** What the child does. */
  static final class Sleeper {
    public static void main(String[] arguments) throws Exception {
      System.err.println("token " + System.getenv("BENCH_TEST"));
      System.out.println(arguments[0]);
      Thread.sleep(60_000);
    }
  }

  @Test
  void isGoneWithItsDirectoryAfterClose() throws Exception {
    Path directory = Files.createDirectory(temporary.resolve("child"));
    ProcessHandle handle;
    try (ChildJvm child = start(directory)) {
      handle = child.handle();
      assertThat(child.output().readLine()).isEqualTo("hello");
      assertThat(child.isAlive()).isTrue();
      assertThat(child.lastWords()).isEqualTo("token 7");
      assertThat(ServerFigures.of(handle.pid(), 5).peakRssKb())
          .hasValueSatisfying(kb -> assertThat(kb).isPositive());
    }
    assertThat(handle.isAlive()).isFalse();
    assertThat(directory).doesNotExist();
  }

  private static ChildJvm start(Path directory) throws IOException {
    return ChildJvm.start(
        directory,
        Sleeper.class,
        List.of("-Xmx32m", "-XX:+UseSerialGC"),
        List.of("hello"),
        Map.of("BENCH_TEST", "7"));
  }
}
