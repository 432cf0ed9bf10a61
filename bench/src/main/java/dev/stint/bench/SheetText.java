package dev.stint.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sheets for a person at a terminal. */
final class SheetText {
  private static final int FACT_WIDTH = 12;

  private final PrintWriter out;

  SheetText(PrintWriter out) {
    this.out = out;
  }

  void print(Sheet sheet) {
    out.println(sheet.title());
    sheet.facts().forEach(this::line);
    out.println();
    table(sheet.columns(), sheet.rows());
    if (!sheet.aims().isEmpty()) {
      out.println();
      table(List.of("aimed at", "bound", "measured", "verdict"), verdicts(sheet));
    }
    if (!sheet.notes().isEmpty()) {
      out.println();
      sheet.notes().forEach(note -> line("note", note));
    }
    out.flush();
  }

  static List<List<Object>> verdicts(Sheet sheet) {
    List<List<Object>> rows = new ArrayList<>();
    for (Sheet.Aim aim : sheet.aims()) {
      Optional<Object> value = aim.value().map(Object.class::cast);
      rows.add(List.of(aim.what(), aim.bound(), value.orElse("-"), aim.verdict()));
    }
    return rows;
  }

  private void line(String name, String value) {
    out.println(padded(name, FACT_WIDTH, false) + " " + value);
  }

  private void table(List<String> columns, List<List<Object>> rows) {
    List<List<String>> shown = new ArrayList<>();
    shown.add(columns);
    rows.forEach(row -> shown.add(row.stream().map(Cells::show).toList()));
    for (List<String> row : shown) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < columns.size(); column++) {
        int at = column;
        int width = shown.stream().mapToInt(each -> each.get(at).length()).max().orElse(0);
        boolean isNumber = rows.stream().anyMatch(each -> each.get(at) instanceof Number);
        line.append(column == 0 ? "" : "  ").append(padded(row.get(column), width, isNumber));
      }
      out.println(line.toString().stripTrailing());
    }
  }

  private static String padded(String text, int width, boolean toTheRight) {
    String space = " ".repeat(Math.max(0, width - text.length()));
    return toTheRight ? space + text : text + space;
  }
}
