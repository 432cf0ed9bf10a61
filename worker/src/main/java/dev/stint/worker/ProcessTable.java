package dev.stint.worker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The machine's processes as Linux shows them in {@code /proc}. */
final class ProcessTable {
  private static final Path PROC = Path.of("/proc");
  static final boolean IS_THERE = Files.isReadable(PROC.resolve("self/environ"));

  private ProcessTable() {}

  /** One that lives; what has ended and only waits to be fetched by its parent is left out. */
  record Row(long pid, long parent, long session) {
    boolean carriesOneOf(List<Mark> marks) {
      try {
        String environ = Mark.text(Files.readAllBytes(PROC.resolve(pid + "/environ")));
        return marks.stream().anyMatch(mark -> mark.isIn(environ));
      } catch (IOException e) {
        return false; // it has ended, or is another user's
      }
    }
  }

  static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        Row row = row(process);
        if (row != null) {
          rows.add(row);
        }
      }
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException(e.getCause());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return rows;
  }

  /** {@code pid (name) state parent group session …}; the name may hold anything. */
  private static @Nullable Row row(Path process) {
    try {
      byte[] stat = Files.readAllBytes(process.resolve("stat"));
      String text = new String(stat, StandardCharsets.ISO_8859_1);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ", 5);
      boolean isOver = fields[0].equals("Z") || fields[0].equals("X");
      return isOver
          ? null
          : new Row(
              Long.parseLong(process.getFileName().toString()),
              Long.parseLong(fields[1]),
              Long.parseLong(fields[3]));
    } catch (IOException e) {
      return null;
    }
  }
}
