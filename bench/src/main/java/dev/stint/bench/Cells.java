package dev.stint.bench;

import java.util.Locale;

/** How values stand in a table. */
final class Cells {
  private Cells() {}

  /** As many digits as a measurement has to give. */
  static String show(Object value) {
    if (value instanceof Double number) {
      double size = Math.abs(number);
      String format = size >= 1_000 ? "%,.0f" : size >= 100 ? "%.0f" : size >= 10 ? "%.1f" : "%.2f";
      return String.format(Locale.ROOT, format, number);
    }
    return value instanceof Number number
        ? String.format(Locale.ROOT, "%,d", number.longValue())
        : value.toString();
  }
}
