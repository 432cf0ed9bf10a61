package dev.stint.cli;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Rows in aligned columns. Where it is wider than the terminal, the columns that were named for it
 * get narrower; without a terminal nothing is cut.
 */
final class Table {
  /** The column whose words have colours. */
  static final String STATUS = "STATUS";

  private static final String GAP = "  ";
  private static final int LEAST_WIDTH = 8;

  private final List<String> headers;
  private final List<String> narrowing;
  private final List<List<String>> rows = new ArrayList<>();

  /**
   * An empty table.
   *
   * @param narrowing the headers of columns that may be cut
   */
  Table(List<String> narrowing, String... headers) {
    this.narrowing = List.copyOf(narrowing);
    this.headers = List.of(headers);
  }

  void add(String... cells) {
    rows.add(Arrays.stream(cells).map(Screen::line).toList());
  }

  List<String> lines(Screen screen) {
    int[] widths = widths();
    if (screen.isTerminal()) {
      narrow(widths, screen.columns());
    }
    List<String> lines = new ArrayList<>();
    lines.add(screen.bold(line(headers, widths, Screen.NONE)));
    rows.forEach(row -> lines.add(line(row, widths, screen)));
    return lines;
  }

  private int[] widths() {
    int[] widths = headers.stream().mapToInt(Table::width).toArray();
    for (List<String> row : rows) {
      for (int i = 0; i < widths.length; i++) {
        widths[i] = Math.max(widths[i], width(row.get(i)));
      }
    }
    return widths;
  }

  private void narrow(int[] widths, int columns) {
    int tooMuch = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) - columns;
    while (tooMuch > 0) {
      int widest = -1;
      for (int i = 0; i < widths.length; i++) {
        boolean mayShrink = narrowing.contains(headers.get(i)) && widths[i] > LEAST_WIDTH;
        if (mayShrink && (widest < 0 || widths[i] > widths[widest])) {
          widest = i;
        }
      }
      if (widest < 0) {
        return;
      }
      widths[widest]--;
      tooMuch--;
    }
  }

  private String line(List<String> cells, int[] widths, Screen screen) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String cell = cut(cells.get(i), widths[i]);
      boolean isLast = i == widths.length - 1;
      String padded = isLast ? cell : cell + " ".repeat(widths[i] - width(cell)) + GAP;
      line.append(headers.get(i).equals(STATUS) ? screen.state(cells.get(i), padded) : padded);
    }
    return line.toString().stripTrailing();
  }

  private static String cut(String cell, int width) {
    return width(cell) <= width
        ? cell
        : cell.substring(0, cell.offsetByCodePoints(0, width - 1)) + "…";
  }

  private static int width(String cell) {
    return cell.codePointCount(0, cell.length());
  }
}
