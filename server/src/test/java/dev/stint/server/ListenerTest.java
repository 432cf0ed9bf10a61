package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ListenerTest {
  private static final long MUCH = 64L << 30;

  @Test
  void thereAreNoMoreConnectionsThanFileDescriptorsForThem() {
    assertThat(Listener.maxConnections(1_048_576, MUCH, true)).isEqualTo(50_000);
    assertThat(Listener.maxConnections(20_000, MUCH, false)).isEqualTo(19_000);
    assertThat(Listener.maxConnections(1_024, MUCH, false)).isEqualTo(100);
  }

  @Test
  void thereAreNoMoreConnectionsThanHalfOfTheMemoryIsEnoughFor() {
    assertThat(Listener.maxConnections(1_048_576, 512 << 20, false)).isEqualTo(8_192);
    assertThat(Listener.maxConnections(1_048_576, 512 << 20, true)).isEqualTo(2_048);
    assertThat(Listener.maxConnections(1_048_576, 1 << 20, true)).isEqualTo(100);
  }
}
