package dev.stint.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UuidsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {"0190b5a4-0000-7000-8000-0000000000ab", "0190B5A4-0000-7000-8000-0000000000AB"})
  void aUuidIsReadInEitherCase(String text) {
    assertThat(Uuids.parse(text)).hasToString("0190b5a4-0000-7000-8000-0000000000ab");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "1-1-1-1-1",
        "0190b5a4000070008000000000000000abcd",
        "0190b5a4-0000-7000-8000-0000000000ag",
        "0190b5a4-00000-700-8000-0000000000ab",
        "{190b5a4-0000-7000-8000-0000000000a}"
      })
  void whatIsWrittenOtherwiseIsNone(String text) {
    assertThat(Uuids.parse(text)).isNull();
  }
}
