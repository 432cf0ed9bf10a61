package dev.stint.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Words as a shell reads and writes them: quotes and backslashes, but nothing is expanded. */
final class ShellWords {
  private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");
  private static final String ESCAPED_IN_QUOTES = "\"\\$`\n";

  private final String text;
  private final List<String> words = new ArrayList<>();
  private final StringBuilder word = new StringBuilder();
  private boolean isInWord;
  private int at;

  private ShellWords(String text) {
    this.text = text;
  }

  /**
   * The words of a line.
   *
   * @throws IllegalArgumentException if a quote is not closed, or nothing follows a backslash
   */
  static List<String> split(String text) {
    return new ShellWords(text).split();
  }

  /** A line that {@link #split} makes the same words of. */
  static String join(List<String> words) {
    return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
  }

  static String join(String command, List<String> args) {
    return join(Stream.concat(Stream.of(command), args.stream()).toList());
  }

  private static String quoted(String word) {
    return PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'";
  }

  private List<String> split() {
    while (at < text.length()) {
      char c = text.charAt(at++);
      switch (c) {
        case ' ', '\t', '\n', '\r' -> endWord();
        case '\'' -> singleQuoted();
        case '"' -> doubleQuoted();
        case '\\' -> append(next("nothing follows the backslash at its end"));
        default -> append(c);
      }
    }
    endWord();
    return List.copyOf(words);
  }

  private void append(char c) {
    isInWord = true;
    word.append(c);
  }

  private void endWord() {
    if (isInWord) {
      words.add(word.toString());
      word.setLength(0);
      isInWord = false;
    }
  }

  private void singleQuoted() {
    isInWord = true;
    for (char c = next("a ' is not closed"); c != '\''; c = next("a ' is not closed")) {
      word.append(c);
    }
  }

  private void doubleQuoted() {
    isInWord = true;
    for (char c = next("a \" is not closed"); c != '"'; c = next("a \" is not closed")) {
      if (c == '\\') {
        char escaped = next("a \" is not closed");
        if (ESCAPED_IN_QUOTES.indexOf(escaped) < 0) {
          word.append('\\');
        }
        word.append(escaped);
      } else {
        word.append(c);
      }
    }
  }

  private char next(String problem) {
    if (at == text.length()) {
      throw new IllegalArgumentException(problem);
    }
    return text.charAt(at++);
  }
}
