package dev.stint.contracts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonWriterTest {

  @Test
  void stringsAreEscapedSoThatTheyReadBackAsTheyWere() {
    String hard = "\"\\/\b\f\n\r\t\u0000\u001f\u2028 é 𝄞 \ud800";

    String json = new JsonWriter().add(hard, hard).toJson();

    assertThat(Fields.of(json.getBytes(java.nio.charset.StandardCharsets.UTF_8)).json(hard))
        .isEqualTo(
            "\"\\\"\\\\/\\u0008\\u000c\\n\\r\\t\\u0000\\u001f\\u2028 é \\ud834\\udd1e \\ud800\"");
  }

  @Test
  void valuesOfEveryKindAreWrittenInOrder() {
    assertThat(
            new JsonWriter()
                .add("s", (String) null)
                .add("n", -5)
                .add("b", false)
                .addJson("j", "{ }")
                .addJson("nothing", null)
                .add("l", List.of("a", "b"))
                .addSeconds("whole", 60_000)
                .addSeconds("part", 333)
                .addSeconds("half", 1_500)
                .toJson())
        .isEqualTo(
            "{\"s\":null,\"n\":-5,\"b\":false,\"j\":{ },\"nothing\":null,\"l\":[\"a\",\"b\"],"
                + "\"whole\":60,\"part\":0.333,\"half\":1.5}");
  }
}
