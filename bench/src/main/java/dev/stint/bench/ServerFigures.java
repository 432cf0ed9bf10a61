package dev.stint.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What the server process itself cost; only known of a server that the bench started.
 *
 * @param firstAnswerMs from the start of the process to its first answer to {@code /healthz}
 * @param rssKb memory at the end of the run
 * @param peakRssKb the most it ever had
 */
record ServerFigures(long firstAnswerMs, Optional<Long> rssKb, Optional<Long> peakRssKb) {

  static ServerFigures of(long pid, long firstAnswerMs) {
    Optional<String> status = read(Path.of("/proc", Long.toString(pid), "status"));
    return new ServerFigures(
        firstAnswerMs,
        status.flatMap(text -> kilobytes(text, "VmRSS:")),
        status.flatMap(text -> kilobytes(text, "VmHWM:")));
  }

  static Optional<Long> kilobytes(String status, String name) {
    return status
        .lines()
        .filter(line -> line.startsWith(name))
        .map(line -> Long.parseLong(line.replaceAll("\\D+", "")))
        .findFirst();
  }

  /** Linux has it; elsewhere the figure is left out. */
  private static Optional<String> read(Path path) {
    try {
      return Optional.of(Files.readString(path));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}
