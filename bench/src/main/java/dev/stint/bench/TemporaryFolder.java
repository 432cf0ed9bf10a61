package dev.stint.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A folder for the files of a run, gone with all that is in it once it is closed, and after Ctrl-C.
 */
final class TemporaryFolder implements AutoCloseable {
  private static final int TRIES = 100;
  private static final int BETWEEN_TRIES_MS = 150;

  private final Path path;
  private final Thread hook = new Thread(this::outlive, "remove-folder");

  private TemporaryFolder(Path path) {
    this.path = path;
    Runtime.getRuntime().addShutdownHook(hook);
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
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      return; // The JVM is going down already, and the hook is at it.
    }
    delete(path);
  }

  /** The programs that write here are being ended meanwhile, by hooks of their own. */
  private void outlive() {
    try {
      for (int i = 0; i < TRIES && Files.exists(path); i++) {
        if (isDeleted(path)) {
          return;
        }
        Thread.sleep(BETWEEN_TRIES_MS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void delete(Path folder) {
    if (!isDeleted(folder)) {
      System.err.println("stint bench: could not remove " + folder);
    }
  }

  private static boolean isDeleted(Path folder) {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
      return true;
    } catch (IOException | UncheckedIOException e) {
      return false;
    }
  }
}
