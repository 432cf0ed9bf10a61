package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class AnswerTest {
  private final Answer answer = new Answer();

  @Test
  void isWholeOnlyWithItsLastByte() throws IOException {
    assertWholeOnlyAtTheEnd("HTTP/1.1 201 Created|content-LENGTH: 5|X: y||hello", "hello");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.lastOnItsConnection()).isFalse();
  }

  @Test
  void joinsChunks() throws IOException {
    assertWholeOnlyAtTheEnd(
        "HTTP/1.1 200 OK|Transfer-Encoding: chunked||3|hel|A;x=y|lo, world!|0||", "hello, world!");
  }

  @Test
  void noContentHasNoBody() throws IOException {
    assertWholeOnlyAtTheEnd("HTTP/1.1 204 No Content|Connection: close||", "");
    assertThat(answer.lastOnItsConnection()).isTrue();
  }

  @Test
  void refusesWhatCannotBeAnAnswer() {
    for (String text :
        new String[] {
          "SSH-2.0-OpenSSH_9||",
          "HTTP/1.1 200 OK|X: y||",
          "HTTP/1.1 200 OK|Content-Length: 1||xHTTP/1.1",
          "HTTP/1.1 200 OK|Transfer-Encoding: chunked||zz||"
        }) {
      byte[] bytes = bytes(text);
      assertThatThrownBy(() -> answer.parse(bytes, bytes.length))
          .as(text)
          .isInstanceOf(IOException.class);
    }
  }

  private void assertWholeOnlyAtTheEnd(String text, String body) throws IOException {
    byte[] bytes = bytes(text);
    for (int length = 0; length < bytes.length; length++) {
      // A longer buffer with an older answer's rest behind the new bytes.
      byte[] buffer = Arrays.copyOf(Arrays.copyOf(bytes, length), bytes.length + 20);
      assertThat(answer.parse(buffer, length)).as("after %d bytes", length).isFalse();
    }
    assertThat(answer.parse(bytes, bytes.length)).isTrue();
    assertThat(
            new String(
                answer.bytes(),
                answer.bodyStart(),
                answer.bodyEnd() - answer.bodyStart(),
                StandardCharsets.UTF_8))
        .isEqualTo(body);
  }

  /** A bar stands for the end of a line. */
  private static byte[] bytes(String text) {
    return text.replace("|", "\r\n").getBytes(StandardCharsets.UTF_8);
  }
}
