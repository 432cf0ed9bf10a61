package dev.stint.worker;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/** Files that are whole or not there at all, whatever happens to the process or the machine. */
final class Disk {
  private Disk() {}

  /** Puts a text where another was: who looks finds the old one or the new one. */
  static void replace(Path file, String text) throws IOException {
    Path temporary = file.resolveSibling(file.getFileName() + ".tmp");
    Files.writeString(temporary, text);
    keep(temporary, file);
  }

  /** Gives a finished file its final name, once all of it is on disk. */
  static void keep(Path temporary, Path file) throws IOException {
    sync(temporary, StandardOpenOption.WRITE);
    Files.move(
        temporary, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    sync(Objects.requireNonNull(file.getParent()), StandardOpenOption.READ);
  }

  private static void sync(Path path, StandardOpenOption how) throws IOException {
    try (FileChannel channel = FileChannel.open(path, how)) {
      channel.force(true);
    }
  }
}
