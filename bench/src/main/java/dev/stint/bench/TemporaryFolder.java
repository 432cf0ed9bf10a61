package dev.stint.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A folder for the files of a run, gone with all that is in it once it is closed. */
final class TemporaryFolder implements AutoCloseable {
  private final Path path;

  private TemporaryFolder(Path path) {
    this.path = path;
  }

  /** Makes one in the folder for temporary files. */
  static TemporaryFolder make() throws RunFailedException {
    return makeIn(Path.of(System.getProperty("java.io.tmpdir")));
  }

  static TemporaryFolder makeIn(Path parent) throws RunFailedException {
    try {
      return new TemporaryFolder(Files.createTempDirectory(parent, "stint-bench-"));
    } catch (IOException e) {
      throw new RunFailedException("cannot make a folder in %s: %s".formatted(parent, e), e);
    }
  }

  Path path() {
    return path;
  }

  @Override
  public void close() {
    delete(path);
  }

  static void delete(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    } catch (IOException | UncheckedIOException e) {
      System.err.println("stint bench: could not remove " + folder + ": " + e.getMessage());
    }
  }
}
