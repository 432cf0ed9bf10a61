package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FingerprintTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {
        "timeout after 31 s | timeout after 7.5 s | timeout after <n> s",
        "no job 0190b5a4-0000-7000-8000-000000000000 | no job 0190b5a4-1111-7000-8000-00000000000f"
            + " | no job <id>",
        "at 0xdeadbeef | at 0x12 | at <hex>",
        "commit 3f9ac01bd7 is gone | commit aa01bd7c23 is gone | commit <hex> is gone",
        "KeyError: 'alpha' | KeyError: 'beta 2' | KeyError: '…'",
        "open /tmp/run12/out: denied | open /tmp/run7/out: denied | open /tmp/run<n>/out: denied"
      })
  void whatDiffersFromOneToTheNextIsTakenOut(String one, String other, String shape) {
    assertThat(of(one.strip())).isEqualTo(of(other.strip()));
    assertThat(of(one.strip()).shape()).isEqualTo(shape.strip());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\0',
      value = {"disk full | disk broken", "can't open, won't try | can't close, won't try"})
  void whatIsAnotherFailureIsAnotherGroup(String one, String other) {
    assertThat(of(one.strip()).id()).isNotEqualTo(of(other.strip()).id());
  }

  private static Fingerprint of(String message) {
    return Fingerprint.of("E", "{\"code\": \"E\", \"message\" : \"" + message + "\"}");
  }

  @Test
  void theCodeIsTheWorkersOwnOrTheReasonIfThatIsOneWord() {
    assertThat(Fingerprint.of("x", "{\"code\":\"E1\"}").code()).isEqualTo("E1");
    assertThat(Fingerprint.of("HEARTBEAT_TIMEOUT", null).code()).isEqualTo("HEARTBEAT_TIMEOUT");
    Fingerprint sentence = Fingerprint.of("it broke at 5", "{\"exit_code\":5}");
    assertThat(sentence.code()).isEmpty();
    assertThat(sentence.shape()).isEqualTo("it broke at <n>");
    assertThat(Fingerprint.of(null, null)).isEqualTo(Fingerprint.of("", "{}"));
  }

  @Test
  void escapesAreReadAndLongTextsAreCut() {
    Fingerprint escaped = Fingerprint.of("E", "{\"message\":\"a\\n\\\"b c\\\" \\u00e4\\\\\"}");
    assertThat(escaped.shape()).isEqualTo("a \"…\" ä\\");
    Fingerprint large = Fingerprint.of("E", "{\"message\":\"" + "wörter ".repeat(50_000) + "\"}");
    assertThat(large.shape()).hasSizeLessThanOrEqualTo(200).startsWith("wörter wörter");
    assertThat(Fingerprint.of("E", "{\"message\":\"cut off \\u00")).isNotNull();
    assertThat(Fingerprint.of("E", "{\"message\":{\"a\":1}}").shape()).isEmpty();
  }

  @Test
  void theMessageForPeopleIsWhatTheWorkerSaid() {
    assertThat(Fingerprint.message("E", "{\"message\":\"no file 7\"}")).isEqualTo("no file 7");
    assertThat(Fingerprint.message("it broke", null)).isEqualTo("it broke");
    assertThat(Fingerprint.message("TIMEOUT", null)).isNull();
    assertThat(Fingerprint.message("E", "{\"message\":\"a\\u0000b\\u001bc\"}")).isEqualTo("a b c");
  }
}
