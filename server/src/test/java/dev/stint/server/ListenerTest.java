package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ListenerTest {
  @Test
  void thereAreNoMoreConnectionsThanFileDescriptorsForThem() {
    assertThat(Listener.maxConnections(1_048_576)).isEqualTo(50_000);
    assertThat(Listener.maxConnections(20_000)).isEqualTo(19_000);
    assertThat(Listener.maxConnections(1_024)).isEqualTo(100);
  }
}
