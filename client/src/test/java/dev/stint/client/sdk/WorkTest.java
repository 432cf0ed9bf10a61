package dev.stint.client.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class WorkTest {
  private final Work work = new Work();

  @AfterEach
  void end() {
    work.end();
  }

  @Test
  void aHandlerIsInterruptedOnceSoThatItCanCleanUp() {
    work.begin();
    assertThat(Thread.interrupted()).isFalse();
    work.stop(new Work.Stop.Cancelled("enough"));
    assertThat(Thread.interrupted()).isTrue();
    work.stop(new Work.Stop.Cancelled("enough"));
    work.stop(new Work.Stop.Lost());
    assertThat(Thread.interrupted()).isFalse();
    assertThat(work.isLost()).isTrue();
  }

  @Test
  void whatWasStoppedBeforeItBeganIsInterruptedAtOnce() {
    work.stop(new Work.Stop.Closing());
    work.begin();
    assertThat(Thread.interrupted()).isTrue();
  }
}
