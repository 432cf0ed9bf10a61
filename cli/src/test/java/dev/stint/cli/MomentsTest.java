package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.server.SettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MomentsTest {
  private static final long NOW = 1_700_000_000_000L;

  @ParameterizedTest
  @CsvSource({
    "90s, 1699999910000",
    "30m, 1699998200000",
    "2h, 1699992800000",
    "7d, 1699395200000",
    "1600000000, 1600000000000",
    "2020-09-13T12:26:40Z, 1600000000000",
    "999999999d, 0"
  })
  void theyAreAgesDatesAndSeconds(String given, long millis) {
    assertThat(Moments.millis("--since", given, NOW)).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "h", "2 h", "yesterday", "-5m", "12345678901234567890"})
  void anythingElseIsRefusedByTheOptionsName(String given) {
    assertThatThrownBy(() -> Moments.millis("--since", given, NOW))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("--since");
  }

  @Test
  void nothingIsNothing() {
    assertThat(Moments.millis("--since", null, NOW)).isNull();
  }
}
