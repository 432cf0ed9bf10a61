package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * A look at JSON that was checked when it came in: finds the first string under a name, without
 * parsing the rest.
 */
final class JsonGlance {
  private static final int MAX_LOOK = 64 * 1024;
  private static final int MAX_TEXT = 4_000;

  private JsonGlance() {}

  static @Nullable String text(@Nullable String json, String name) {
    if (json == null) {
      return null;
    }
    int end = Math.min(json.length(), MAX_LOOK);
    String quoted = "\"" + name + "\"";
    for (int at = json.indexOf(quoted); at >= 0 && at < end; at = json.indexOf(quoted, at + 1)) {
      int value = skipSpace(json, at + quoted.length());
      if (value < json.length() && json.charAt(value) == ':') {
        value = skipSpace(json, value + 1);
        return value < json.length() && json.charAt(value) == '"' ? read(json, value + 1) : null;
      }
    }
    return null;
  }

  private static int skipSpace(String json, int from) {
    int at = from;
    while (at < json.length() && json.charAt(at) <= ' ') {
      at++;
    }
    return at;
  }

  private static String read(String json, int from) {
    StringBuilder text = new StringBuilder();
    int at = from;
    while (at < json.length() && json.charAt(at) != '"' && text.length() < MAX_TEXT) {
      char c = json.charAt(at);
      boolean isEscape = c == '\\' && at + 1 < json.length();
      char escaped = isEscape ? json.charAt(at + 1) : c;
      if (isEscape && escaped == 'u' && at + 6 <= json.length()) {
        text.append(shown((char) Integer.parseInt(json, at + 2, at + 6, 16)));
        at += 6;
      } else {
        text.append(isEscape && "nrtbf".indexOf(escaped) >= 0 ? ' ' : escaped);
        at += isEscape ? 2 : 1;
      }
    }
    return text.toString();
  }

  /** PostgreSQL takes no NUL in a text, and nobody wants to see the others. */
  private static char shown(char c) {
    return Character.isISOControl(c) ? ' ' : c;
  }
}
