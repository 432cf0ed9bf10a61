package dev.stint.bench;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A page of all measurements, with a picture for each in the folder that is named as the page is.
 * Every measurement has a section of its own, which the next one of the same name takes the place
 * of; the verdicts of all sections stand together at the top. What else is on the page stays.
 */
final class PerformancePage {
  private static final String HEAD =
      """
      # Performance

      <!-- verdicts -->
      <!-- end of verdicts -->
      """;

  private static final String VERDICTS = "verdicts";
  private static final String AIMED_AT = "aimed at";

  private final Path page;
  private final String machine;

  /** On a page, which is made if need be. */
  PerformancePage(Path page) {
    this.page = page;
    machine =
        String.format(
            Locale.ROOT,
            "%d cores, load average %.1f at the end",
            Report.cores(),
            ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }

  void write(Sheet sheet, String command) throws RunFailedException {
    try {
      Path pictures = pictures();
      Files.createDirectories(pictures);
      String before = Files.exists(page) ? Files.readString(page) : HEAD;
      if (sheet.chart().isPresent()) {
        Files.writeString(
            pictures.resolve(sheet.name() + ".svg"), BarChart.of(sheet, sheet.chart().get()));
      }
      String after = withSection(before, sheet.name(), section(sheet, command));
      Files.writeString(page, withSection(after, VERDICTS, verdicts(after)));
    } catch (IOException e) {
      throw new RunFailedException("cannot write %s: %s".formatted(page, e), e);
    }
  }

  private Path pictures() {
    String name = page.toAbsolutePath().getFileName().toString();
    int dot = name.lastIndexOf('.');
    return page.toAbsolutePath().resolveSibling(dot > 0 ? name.substring(0, dot) : name + "-plots");
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

  /** The verdicts of all sections in one table, each with a link to its section. */
  private static String verdicts(String page) {
    StringBuilder text = new StringBuilder();
    text.append('\n').append(line(List.of("measurement", AIMED_AT, "bound", "measured", "")));
    text.append(line(Collections.nCopies(5, "---")));
    String title = "";
    boolean isVerdict = false;
    for (String line : page.lines().toList()) {
      if (line.startsWith("## ")) {
        title = line.substring(3);
      }
      if (isVerdict && line.startsWith("| ") && !line.startsWith("| ---")) {
        text.append("| [%s](#%s) ".formatted(title, anchor(title))).append(line).append('\n');
      }
      isVerdict = line.startsWith("| " + AIMED_AT) || (isVerdict && line.startsWith("| "));
    }
    return text.append('\n').toString();
  }

  /** How a heading is linked to, as GitHub makes it. */
  private static String anchor(String heading) {
    return heading.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
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
      List<String> head = List.of(AIMED_AT, "bound", "measured", "verdict");
      text.append('\n').append(table(head, SheetText.verdicts(sheet)));
    }
    if (sheet.chart().isPresent()) {
      Path picture = pictures().getFileName().resolve(sheet.name() + ".svg");
      text.append("\n![%s](%s)\n".formatted(sheet.title(), picture));
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
