package dev.stint.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonTest {
  @Test
  void whatIsReadIsWrittenAgainAsItWas() {
    String text =
        "{\"z\":1,\"a\":[true,false,null,-2.5,\"\\\"\\n\u00e9\"],\"o\":{},\"big\":9007199254740993}";

    assertThat(Json.write(Json.read(text))).isEqualTo(text);
  }

  @Test
  void valuesAreThoseOfTheLanguage() {
    assertThat(Json.read("{\"n\":1,\"l\":[\"x\"]}")).isEqualTo(Map.of("n", 1L, "l", List.of("x")));
    assertThat(Json.read("12345678901234567890123")).isEqualTo(1.2345678901234568E22);
  }

  @Test
  void numbersThatJavaHasNoTypeForAreKeptAsTheyAreWhereThatIsAskedFor() {
    String text = "[12345678901234567890,0.10000000000000000000001,1.50,1E400,{\"n\":-0}]";

    assertThat(Json.write(Json.readExactly(text))).isEqualTo(text);
    assertThat(Json.readExactly("\"1\"")).isEqualTo("1");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "{", "{} {}", "nope", "{\"a\":}", "[1,]"})
  void whatIsNotOneValueIsRefused(String text) {
    assertThatThrownBy(() -> Json.read(text)).isInstanceOf(IllegalArgumentException.class);
  }
}
