package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LogFilesTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void aFolderThatIsNotThereIsMadeAndOneThatCannotBeWrittenIsNotTaken() throws Exception {
    LogFiles files = new LogFiles(folder.resolve("a").resolve("b"));
    assertThat(files.isWritable()).isTrue();

    Files.delete(folder.resolve("a").resolve("b"));
    Files.delete(folder.resolve("a"));
    Files.writeString(folder.resolve("a"), "in the way");
    assertThat(files.isWritable()).isFalse();

    Files.delete(folder.resolve("a"));
    assertThat(files.isWritable()).isTrue();
    assertThat(folder.resolve("a").resolve("b")).isEmptyDirectory();
  }

  @Test
  void twoWorkersMayTryTheSameFolderAtOnce() {
    long refusals =
        IntStream.range(0, 4)
            .parallel()
            .mapToObj(_ -> new LogFiles(folder))
            .mapToLong(files -> IntStream.range(0, 2_000).filter(_ -> !files.isWritable()).count())
            .sum();

    assertThat(refusals).isZero();
  }

  @Test
  void aJobIdCannotLeadOutOfTheFolder() {
    Path path = new LogFiles(folder).stdout(new Mark("../../etc/x", 1)).path();

    assertThat(path.getParent()).isEqualTo(folder);
  }
}
