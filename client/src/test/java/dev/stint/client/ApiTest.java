package dev.stint.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ApiTest {
  private static final String URL = "http://127.0.0.1:9";

  @ParameterizedTest
  @ValueSource(strings = {"s3cret\n", "s3cret\r\nX-Other: 1", "s3cret\0", "s3cret s", "s3crét"})
  void aTokenThatCannotBeSentIsRefusedWithoutShowingIt(String token) {
    assertThatThrownBy(() -> new Api(URL, token, Duration.ofSeconds(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("token")
        .hasMessageNotContaining("s3cr");
  }

  @Test
  void otherTokensAreTaken() {
    assertThat(new Api(URL + "/", "s3cret.-_~=", Duration.ofSeconds(1)).base()).isEqualTo(URL);
    assertThat(new Api(URL, null, Duration.ofSeconds(1)).base()).isEqualTo(URL);
  }

  @Test
  void howLongToBeLeftAloneIsReadInSecondsAndNeverTooLong() {
    assertThat(Api.retryAfter("7")).isEqualTo(Duration.ofSeconds(7));
    assertThat(Api.retryAfter("86400")).isEqualTo(Duration.ofMinutes(5));
    for (String none : new String[] {"", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"}) {
      assertThat(Api.retryAfter(none)).isZero();
    }
    assertThat(Api.retryAfter(null)).isZero();
  }
}
