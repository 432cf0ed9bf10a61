package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class PaceTest {
  private final Pace pace = new Pace(4, 2, 3, 100);

  @Test
  void workersAndTheirCallsLieEvenlyInASecond() {
    assertThat(pace.due(0, 0, WorkerCall.POLL)).isZero();
    assertThat(pace.due(0, 1, WorkerCall.POLL)).isEqualTo(Duration.ofMillis(250));
    assertThat(pace.submitDue(0, 1)).isEqualTo(Duration.ofMillis(375));
    assertThat(pace.due(2, 3, WorkerCall.POLL)).isEqualTo(Duration.ofMillis(2_750));
    assertThat(pace.due(1, 0, WorkerCall.HEARTBEAT).toMillis()).isEqualTo(1_333);
    assertThat(pace.due(1, 0, WorkerCall.COMPLETE).toMillis()).isEqualTo(1_666);
  }

  @Test
  void warmUpDoesNotCount() {
    assertThat(pace.counts(1)).isFalse();
    assertThat(pace.counts(2)).isTrue();
    assertThat(pace.rounds()).isEqualTo(5);
    assertThat(pace.tasks()).isEqualTo(20);
    assertThat(pace.callsPerSecond()).isEqualTo(16);
  }

  @Test
  void aCallCountsFromWhenItWasDueNotFromWhenItWasSent() {
    Latencies latencies = new Latencies();

    latencies.record(WorkerCall.HEARTBEAT, 1_000_000, 9_000_000, 10_000_000);

    assertThat(latencies.of(WorkerCall.HEARTBEAT).max()).isEqualTo(9_000_000);
    assertThat(latencies.sentLate().max()).isEqualTo(8_000_000);
    assertThat(latencies.keeps(WorkerCall.HEARTBEAT)).isFalse();
    assertThat(latencies.keepsAll()).isFalse();
  }

  @Test
  void aPromiseIsKeptWhenAllButOneInAHundredAreQuicker() {
    Latencies latencies = new Latencies();
    for (int i = 0; i < 99; i++) {
      latencies.record(WorkerCall.POLL, 0, 0, 9_000_000);
    }
    latencies.record(WorkerCall.POLL, 0, 0, 500_000_000);
    assertThat(latencies.keeps(WorkerCall.POLL)).isTrue();

    latencies.record(WorkerCall.POLL, 0, 0, 500_000_000);
    assertThat(latencies.keeps(WorkerCall.POLL)).isFalse();
  }
}
