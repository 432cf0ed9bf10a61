package dev.stint.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A folder with a page of all measurements and a picture for each. Every measurement has a section
 * of its own on the page, which the next one of the same name takes the place of.
 */
final class MeasurementsFolder {
  private static final String HEAD =
      """
      # Measurements

      Written by `./stint bench all`; see [bench/README.md](../../bench/README.md) for what each of them does and [performance](../performance.md) for what was found. All
      processes of a measurement share one machine. A section is what its last run saw.
      """;

  private final Path folder;
  private final String machine;

  /** In a folder, which is made if need be. */
  MeasurementsFolder(Path folder) {
    this.folder = folder;
    machine =
        String.format(
            Locale.ROOT,
            "%d cores, load average %.1f at the end",
            Report.cores(),
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  void write(Sheet sheet, String command) throws RunFailedException {
    try {
      Files.createDirectories(folder);
      Path page = folder.resolve("README.md");
      String before = Files.exists(page) ? Files.readString(page) : HEAD;
      if (sheet.chart().isPresent()) {
        Files.writeString(
            folder.resolve(sheet.name() + ".svg"), BarChart.of(sheet, sheet.chart().get()));
      }
      Files.writeString(page, withSection(before, sheet.name(), section(sheet, command)));
    } catch (IOException e) {
      throw new RunFailedException("cannot write to %s: %s".formatted(folder, e), e);
    }
  }

  static String withSection(String page, String name, String section) {
    String begin = "<!-- %s -->\n".formatted(name);
    String end = "<!-- end of %s -->\n".formatted(name);
    String whole = begin + section + end;
    int from = page.indexOf(begin);
    int to = page.indexOf(end);
    if (from < 0 || to < 0) {
      return page.stripTrailing() + "\n\n" + whole;
    }
    return page.substring(0, from) + whole + page.substring(to + end.length());
  }

  private String section(Sheet sheet, String command) {
    StringBuilder text = new StringBuilder();
    text.append("\n## ").append(sheet.title()).append("\n\n");
    text.append("`").append(command).append("`, ");
    text.append(Instant.now().truncatedTo(ChronoUnit.MINUTES)).append(", ").append(machine);
    text.append("\n\n");
    sheet
        .facts()
        .forEach((what, value) ->
            text.append("- ").append(what).append(": ").append(value).append('\n'));
    text.append('\n').append(table(sheet.columns(), sheet.rows()));
    if (!sheet.aims().isEmpty()) {
      List<String> head = List.of("aimed at", "bound", "measured", "verdict");
      text.append('\n').append(table(head, SheetText.verdicts(sheet)));
    }
    if (sheet.chart().isPresent()) {
      text.append("\n![%s](%s.svg)\n".formatted(sheet.title(), sheet.name()));
    }
    if (!sheet.notes().isEmpty()) {
      text.append('\n');
      sheet.notes().forEach(note -> text.append("- ").append(note).append('\n'));
    }
    return text.append('\n').toString();
  }

  private static String table(List<String> columns, List<List<Object>> rows) {
    StringBuilder text = new StringBuilder();
    text.append(line(columns));
    text.append(line(columns.stream().map(_ -> "---").toList()));
    for (List<Object> row : rows) {
      text.append(line(row.stream().map(Cells::show).toList()));
    }
    return text.toString();
  }

  private static String line(List<String> cells) {
    return cells.stream()
        .map(cell -> cell.replace("|", "\\|"))
        .collect(Collectors.joining(" | ", "| ", " |\n"));
  }
}
