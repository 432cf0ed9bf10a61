package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AgesTest {
  @ParameterizedTest
  @CsvSource({
    "0, now",
    "1, 1 s ago",
    "119, 119 s ago",
    "180, 3 m ago",
    "7199, 119 m ago",
    "7200, 2 h ago",
    "172799, 47 h ago",
    "172800, 2 d ago",
    "-5, in 5 s",
    "-300, in 5 m"
  })
  void anAgeIsToldInTheUnitThatSuitsIt(long age, String text) {
    assertThat(Ages.ago(1_000_000, 1_000_000 - age)).isEqualTo(text);
  }
}
