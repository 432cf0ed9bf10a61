package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Json;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WaitingTest {
  @ParameterizedTest
  @CsvSource({
    "COMPLETED, 0, 0",
    "COMPLETED, null, 0",
    "COMPLETED, 3, 3",
    "FAILED, 1, 1",
    "FAILED, 255, 255",
    "FAILED, 256, 120",
    "FAILED, -1, 255",
    "FAILED, 0, 120",
    "FAILED, null, 120",
    "ABORTED, null, 121",
    "ABORTED, 143, 121"
  })
  void theExitStatusIsTheCommandsAndNeverZeroUnlessTheJobCompleted(
      String status, String exitCode, int expected) {
    assertThat(
            Waiting.exitCode(job("{\"status\":\"" + status + "\",\"exit_code\":" + exitCode + "}")))
        .isEqualTo(expected);
  }

  @SuppressWarnings("unchecked") // it is an object
  private static Fields job(String json) {
    return new Fields((Map<String, @Nullable Object>) Objects.requireNonNull(Json.read(json)));
  }
}
