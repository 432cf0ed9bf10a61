package dev.stint.cli;

import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * What is known of where output goes. The launcher tells, since a JVM cannot find out of standard
 * output alone, nor of standard error at all; without it, nobody looks.
 *
 * @param isTerminal whether a person looks at standard output
 * @param isErrorTerminal whether a person looks at standard error
 * @param columns how wide the terminal is
 * @param hasColours never where NO_COLOR is set, or the terminal is too simple
 */
record Screen(boolean isTerminal, boolean isErrorTerminal, int columns, boolean hasColours) {
  private static final int USUAL_COLUMNS = 80;
  private static final int LEAST_COLUMNS = 40;
  private static final String PLAIN = "\033[0m";

  /** No terminal at all. */
  static final Screen NONE = new Screen(false, false, USUAL_COLUMNS, false);

  static Screen of(Map<String, String> environment, Properties told) {
    boolean isTerminal = isTold(told, "stint.stdout.terminal");
    return new Screen(
        isTerminal,
        isTold(told, "stint.stderr.terminal"),
        columns(told.getProperty("stint.columns"), environment.get("COLUMNS")),
        isTerminal
            && environment.getOrDefault("NO_COLOR", "").isEmpty()
            && !environment.getOrDefault("TERM", "dumb").equals("dumb"));
  }

  private static boolean isTold(Properties told, String name) {
    return Boolean.parseBoolean(told.getProperty(name));
  }

  private static int columns(@Nullable String... sizes) {
    for (String size : sizes) {
      if (size != null && size.matches("[1-9]\\d{0,3}")) {
        return Math.max(LEAST_COLUMNS, Integer.parseInt(size));
      }
    }
    return USUAL_COLUMNS;
  }

  String bold(String text) {
    return hasColours ? "\033[1m" + text + PLAIN : text;
  }

  /** A state word in the colour that tells at a glance how it stands. */
  String state(String word, String text) {
    String colour =
        switch (word) {
          case "COMPLETED", "ONLINE" -> "32";
          case "FAILED" -> "31";
          case "ABORTED", "LOST", "RETRYING", "OFFLINE", "DRAINING" -> "33";
          case "ASSIGNED", "RUNNING" -> "36";
          default -> "";
        };
    return hasColours && !colour.isEmpty() ? "\033[" + colour + "m" + text + PLAIN : text;
  }

  /** Text of somebody else as it is, but for what moves the cursor or colours the screen. */
  static String lines(String text) {
    StringBuilder lines = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> c == '\n' || c == '\t' || !Character.isISOControl(c) ? c : '?')
        .forEach(lines::appendCodePoint);
    return lines.toString();
  }

  /** Text of somebody else on one line, so that it cannot move the cursor or colour the screen. */
  static String line(String text) {
    StringBuilder line = new StringBuilder(text.length());
    text.codePoints()
        .map(c -> c == '\n' || c == '\r' || c == '\t' ? ' ' : Character.isISOControl(c) ? '?' : c)
        .forEach(line::appendCodePoint);
    return line.toString();
  }
}
