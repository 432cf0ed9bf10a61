package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonFieldsTest {
  private final JsonFields fields = new JsonFields("ok", "id");

  @Test
  void findsFieldsInAnyOrderWithAnySpacing() {
    assertThat(scan(" { \"id\" : \"7\" ,\n \"ok\":true } ")).isTrue();
    assertThat(fields.isTrue(0)).isTrue();
    assertThat(fields.string(1)).isEqualTo("7");
    assertThat(fields.length(1)).isEqualTo(3);
  }

  @Test
  void looksOnlyAtTheTopLevel() {
    assertThat(scan("{\"x\":{\"id\":\"inner\",\"y\":[\"]}\",{}]},\"ok\":false}")).isTrue();
    assertThat(fields.has(1)).isFalse();
    assertThat(fields.isTrue(0)).isFalse();
  }

  @Test
  void keepsEscapesAsTheyAre() {
    assertThat(scan("{\"id\":\"a\\\"b\\\\\",\"ok\":1}")).isTrue();
    assertThat(fields.string(1)).isEqualTo("a\\\"b\\\\");
  }

  @Test
  void forgetsTheLastObject() {
    scan("{\"ok\":true,\"id\":\"1\"}");
    assertThat(scan("{}")).isTrue();
    assertThat(fields.isTrue(0)).isFalse();
    assertThat(fields.string(1)).isEmpty();
  }

  @Test
  void numbersAndNullAreNoStrings() {
    assertThat(scan("{\"id\":null,\"ok\":12.5e3}")).isTrue();
    assertThat(fields.has(1)).isTrue();
    assertThat(fields.string(1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "[]",
        "true",
        "{",
        "{\"ok\"",
        "{\"ok\":",
        "{\"ok\":}",
        "{\"ok\":true",
        "{\"ok\":true,}",
        "{\"id\":\"a",
        "{\"id\":\"a\\",
        "{\"id\":[1",
        "{} x",
        "{ok:true}"
      })
  void saysWhenItIsNoWholeObject(String text) {
    assertThat(scan(text)).isFalse();
  }

  private boolean scan(String text) {
    byte[] bytes = ("##" + text + "##").getBytes(StandardCharsets.UTF_8);
    return fields.scan(bytes, 2, bytes.length - 2);
  }
}
