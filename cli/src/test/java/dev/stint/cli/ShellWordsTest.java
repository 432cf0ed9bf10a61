package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ShellWordsTest {
  static Stream<Arguments> lines() {
    return Stream.of(
        Arguments.of("", List.of()),
        Arguments.of("  \t\n ", List.of()),
        Arguments.of("2", List.of("2")),
        Arguments.of("2 'a b'", List.of("2", "a b")),
        Arguments.of("  a   b  ", List.of("a", "b")),
        Arguments.of("''", List.of("")),
        Arguments.of("a '' \"\"", List.of("a", "", "")),
        Arguments.of("--name='a b'\"c d\"e", List.of("--name=a bc de")),
        Arguments.of("a\\ b \\'", List.of("a b", "'")),
        Arguments.of("'a\\b'", List.of("a\\b")),
        Arguments.of("\"a\\b \\\" \\\\ \\$HOME\"", List.of("a\\b \" \\ $HOME")),
        Arguments.of("$HOME *.txt `id` ~ a|b;c", List.of("$HOME", "*.txt", "`id`", "~", "a|b;c")),
        Arguments.of("\"it's\" 'say \"hi\"'", List.of("it's", "say \"hi\"")),
        Arguments.of("grün 'ä ö' 🙂", List.of("grün", "ä ö", "🙂")));
  }

  @ParameterizedTest
  @MethodSource("lines")
  void aLineIsSplitAsAShellDoesButNothingIsExpanded(String line, List<String> words) {
    assertThat(ShellWords.split(line)).isEqualTo(words);
  }

  @ParameterizedTest
  @MethodSource("lines")
  void wordsThatAreJoinedAndSplitAgainAreTheSame(String line, List<String> words) {
    assertThat(ShellWords.split(ShellWords.join(words))).isEqualTo(words);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'a", "a '", "\"a b", "\"a\\\"", "a\\"})
  void whatIsNotClosedIsRefused(String line) {
    assertThatThrownBy(() -> ShellWords.split(line))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .hasLineCount(1);
  }

  @Test
  void onlyWhatNeedsQuotesGetsThem() {
    assertThat(ShellWords.join("echo", List.of("-n", "a b", "it's", "")))
        .isEqualTo("echo -n 'a b' 'it'\\''s' ''");
  }
}
