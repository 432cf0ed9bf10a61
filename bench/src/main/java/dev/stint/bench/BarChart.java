package dev.stint.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * A column of a sheet as horizontal bars, in SVG that stands on its own and follows the reader's
 * light or dark colours.
 */
final class BarChart {
  private static final int BAR = 18;
  private static final int GAP = 10;
  private static final int TOP = 44;
  private static final int LABELS = 340;
  private static final int BARS = 340;
  private static final int VALUES = 90;
  private static final int PER_CHARACTER = 7;

  private final String title;
  private final boolean isLog;
  private final List<Bar> bars;

  private record Bar(String label, double value, boolean isOurs) {}

  private BarChart(String title, boolean isLog, List<Bar> bars) {
    this.title = title;
    this.isLog = isLog;
    this.bars = bars;
  }

  /** The picture that a sheet asks for. */
  static String of(Sheet sheet, Sheet.Chart chart) {
    int valueColumn = sheet.columns().indexOf(chart.value());
    List<Bar> bars = new ArrayList<>();
    for (List<Object> row : sheet.rows()) {
      if (row.get(valueColumn) instanceof Number number) {
        String label =
            chart.labels().stream()
                .map(column -> Cells.show(row.get(sheet.columns().indexOf(column))))
                .collect(Collectors.joining(", "));
        boolean isOurs = !sheet.name().equals("peers") || label.startsWith("stint");
        bars.add(new Bar(label, number.doubleValue(), isOurs));
      }
    }
    String scale = chart.isLog() ? ", logarithmic" : "";
    String title = "%s: %s%s".formatted(sheet.title(), chart.value(), scale);
    return new BarChart(title, chart.isLog(), bars).toSvg();
  }

  private String toSvg() {
    int width = LABELS + BARS + VALUES;
    int height = TOP + bars.size() * (BAR + GAP) + GAP;
    StringBuilder svg = new StringBuilder();
    svg.append(
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
        <title>%3$s</title>
        <style>
          text { font: 13px system-ui, sans-serif; fill: #1f2328; }
          .title { font-weight: 600; font-size: 15px; }
          .label { text-anchor: end; }
          .ours { fill: #0969da; }
          .other { fill: #9aa4af; }
          @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .ours { fill: #4493f8; }
            .other { fill: #6e7681; }
          }
        </style>
        <text class="title" x="8" y="24">%3$s</text>
        """
            .formatted(width, height, escaped(title)));
    double most = bars.stream().mapToDouble(Bar::value).max().orElse(1);
    for (int i = 0; i < bars.size(); i++) {
      append(svg, bars.get(i), TOP + i * (BAR + GAP), most);
    }
    return svg.append("</svg>\n").toString();
  }

  private void append(StringBuilder svg, Bar bar, int y, double most) {
    double length = Math.max(1, BARS * share(bar.value(), most));
    svg.append(
        String.format(
            Locale.ROOT,
            """
            <text class="label" x="%d" y="%d">%s</text>
            <rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>
            <text x="%.1f" y="%d">%s</text>
            """,
            LABELS - 8,
            y + BAR - 5,
            escaped(shortened(bar.label())),
            bar.isOurs() ? "ours" : "other",
            LABELS,
            y,
            length,
            BAR,
            LABELS + length + 6,
            y + BAR - 5,
            Cells.show(bar.value())));
  }

  private double share(double value, double most) {
    if (most <= 0 || value <= 0) {
      return 0;
    }
    // The logarithmic one begins at 1.
    return isLog ? Math.log10(Math.max(1, value)) / Math.log10(Math.max(10, most)) : value / most;
  }

  private static String shortened(String label) {
    int most = (LABELS - 16) / PER_CHARACTER;
    return label.length() <= most ? label : label.substring(0, most - 1) + "…";
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
