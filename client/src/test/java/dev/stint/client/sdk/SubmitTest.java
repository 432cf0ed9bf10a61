package dev.stint.client.sdk;

import static dev.stint.client.sdk.FakeControlPlane.results;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.sdk.FakeControlPlane.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Submitting to a control plane that does not take it just now. */
@Timeout(30)
class SubmitTest {
  private static final Duration SHORT = Duration.ofMillis(300);

  private final Submission job = Submission.of("tool", Map.of());

  @Test
  void whoWantsToBeLeftAloneForLongerThanThereIsTimeIsNotWaitedFor() throws Exception {
    try (FakeControlPlane control = new FakeControlPlane()) {
      control.onSubmit = submission -> new Reply(503, "{\"error\":\"unavailable\"}", 120);
      StintClient client = StintClient.to(control.url(), null);

      assertThatThrownBy(() -> client.submit(job, SHORT))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("answers 503");
      assertThat(control.submissions).hasSize(2);
    }
  }

  @Test
  void aQueueThatStaysFullIsToldOfWhenTheTimeIsUp() throws Exception {
    try (FakeControlPlane control = new FakeControlPlane()) {
      control.onSubmit = submission -> new Reply(200, results(429));
      StintClient client = StintClient.to(control.url(), null);

      assertThat(client.submitAll(List.of(job), SHORT).getFirst().status()).isEqualTo(429);
    }
  }

  @Test
  void aStartBetweenTwoSecondsIsRoundedUpSoThatNothingStartsEarly() {
    assertThat(job.notBefore(Instant.ofEpochSecond(100, 1)).json().json())
        .contains("\"scheduled_at\":101");
    assertThat(job.notBefore(Instant.ofEpochSecond(100)).json().json())
        .contains("\"scheduled_at\":100");
  }
}
