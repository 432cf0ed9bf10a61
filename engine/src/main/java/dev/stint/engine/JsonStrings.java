package dev.stint.engine;

/** Text as a JSON string, so that what is inside cannot be taken for JSON itself. */
public final class JsonStrings {
  private static final char[] HEX = "0123456789abcdef".toCharArray();

  private JsonStrings() {}

  /** Appends the text in quotes. */
  public static void append(StringBuilder out, String value) {
    out.append('"');
    int written = 0;
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (!isPlain(c)) {
        out.append(value, written, i);
        escape(out, c);
        written = i + 1;
      }
    }
    out.append(value, written, value.length()).append('"');
  }

  private static boolean isPlain(char c) {
    return c < 0x80
        ? c >= 0x20 && c != '"' && c != '\\'
        : c != '\u2028' && c != '\u2029' && !Character.isSurrogate(c);
  }

  private static void escape(StringBuilder out, char c) {
    switch (c) {
      case '"' -> out.append("\\\"");
      case '\\' -> out.append("\\\\");
      case '\n' -> out.append("\\n");
      case '\r' -> out.append("\\r");
      case '\t' -> out.append("\\t");
      default ->
          // Escaped, a surrogate stays what it was even if its other half is missing.
          out.append("\\u")
              .append(HEX[c >> 12])
              .append(HEX[(c >> 8) & 15])
              .append(HEX[(c >> 4) & 15])
              .append(HEX[c & 15]);
    }
  }
}
