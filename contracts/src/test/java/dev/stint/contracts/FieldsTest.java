package dev.stint.contracts;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[ 1 ,2]",
        "{\"a\" : { \"b\":[ ] } }",
        "\"te\\\"xt\"",
        "\"é𝄞\\u0000\\ud800\"",
        "-1.50e+3",
        "0",
        "true",
        "false",
        "12345678901234567890.123"
      })
  void aValueIsKeptAsTheTextItCameInAs(String json) {
    for (String around :
        List.of("{\"x\":1,\"v\":%s}", "{ \"v\" :\t%s\n, \"y\" : [] }", "{\"v\":%s }")) {
      assertThat(fields(around.formatted(json)).json("v")).isEqualTo(json);
    }
  }

  @Test
  void aValueIsKeptAlsoFarIntoALongBody() {
    String value = "{\"k\":\"" + "é".repeat(70_000) + "\"}";

    Fields fields = fields("{\"pad\":\"" + "x".repeat(70_000) + "\",\"v\":" + value + ",\"n\":7}");

    assertThat(fields.objectJson("v")).isEqualTo(value);
    assertThat(fields.integer("n", 0, 0, 9)).isEqualTo(7);
  }

  @Test
  void nullIsAsAbsent() {
    Fields fields = fields("{\"a\":null}");

    assertThat(fields.json("a")).isNull();
    assertThat(fields.optionalString("a")).isNull();
    assertThat(fields.optionalObjectJson("a")).isNull();
    assertThat(fields.optionalInteger("a", 0, 9)).isNull();
    assertThat(fields.optionalStrings("a", 9)).isEmpty();
    assertThat(fields.bool("a", true)).isTrue();
    assertThat(fields.integer("a", 5, 0, 9)).isEqualTo(5);
  }

  @Test
  void aFieldOfANestedObjectIsNamedWithItsPath() {
    Fields nested = fields("{\"error\":{\"code\":7}}").object("error");

    assertThatThrownBy(() -> nested.optionalString("code"))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("`error.code`");
  }

  @Test
  void depthIsBoundedAt64() {
    String deepest = "{\"a\":" + "[".repeat(63) + "]".repeat(63) + "}";
    assertThat(fields(deepest).json("a")).hasSize(126);

    assertThatThrownBy(() -> fields(deepest.replace("[]", "[[]]")))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("more than 64 levels");
  }

  @Test
  void theReplacementCharacterItselfIsNoMistake() {
    assertThat(fields("{\"a\":\"\uFFFD\"}").string("a")).isEqualTo("\uFFFD");
  }

  @Test
  void wordsForPeopleAreCutAndPutIntoOneLine() {
    Fields fields = fields("{\"a\":\"one\\ntwo\\u0000\\ud800three\",\"b\":\" \\n \"}");

    assertThat(fields.optionalWords("a", 100)).isEqualTo("one two three");
    assertThat(fields.optionalWords("a", 3)).isEqualTo("one");
    assertThat(fields.optionalWords("b", 100)).isNull();
  }

  @Test
  void listsAreBounded() {
    assertThatThrownBy(() -> fields("{\"a\":[\"1\",\"2\",\"3\"]}").strings("a", 2))
        .isInstanceOf(Refusal.class)
        .hasMessageContaining("at most 2");
  }

  @Test
  void anEntryOfAListIsNamedWithItsPlace() {
    assertThatThrownBy(() -> fields("{\"a\":[\"1\",2]}").strings("a", 9))
        .hasMessageContaining("`a[1]` must be a string");
    assertThatThrownBy(() -> fields("{\"a\":[{},1]}").objects("a", 9))
        .hasMessageContaining("`a[1]` must be a JSON object");
    assertThatThrownBy(() -> fields("{\"a\":[{\"b\":1}]}").objects("a", 9).getFirst().string("b"))
        .hasMessageContaining("`a[0].b` must be a string");
  }

  @ParameterizedTest
  @ValueSource(strings = {"300", "300.0", "3e2", "3.00E+2"})
  void aWholeNumberMayBeWrittenAsJsonDoes(String number) {
    assertThat(fields("{\"a\":" + number + "}").integer("a", 0, 0, 300)).isEqualTo(300);
  }

  @ParameterizedTest
  @ValueSource(strings = {"300.5", "3e-1", "3e99", "3e999999999", "-1", "301", "\"1\"", "true"})
  void whatIsNoWholeNumberInItsBoundsIsRefused(String number) {
    assertThatThrownBy(() -> fields("{\"a\":" + number + "}").integer("a", 0, 0, 300))
        .hasMessageContaining("`a` must be a whole number from 0 to 300");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"{", "{\"a\":[1", "{\"a\":NaN}", "{\"a\":tru}", "{'a':1}", "{\"a\":\"\u0001\"}"})
  void whatIsNoJsonIsRefusedInWordsForItsSender(String body) {
    assertThatThrownBy(() -> fields(body))
        .hasMessageContaining("the body is not valid JSON (line 1, column ")
        .message()
        .doesNotContain("Stream", "Feature", "REDACTED", "enable", "UNKNOWN");
  }

  private static Fields fields(String json) {
    return Fields.of(json.getBytes(UTF_8));
  }
}
