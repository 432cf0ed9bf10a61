package dev.stint.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class PatienceTest {
  private final Patience patience = new Patience();

  @Test
  void aStopEndsAllSleep() throws Exception {
    Thread sleeper =
        Thread.startVirtualThread(() -> quietly(() -> patience.sleep(Duration.ofHours(1))));
    while (sleeper.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    patience.stop();
    sleeper.join();
    patience.awaitStop();
    patience.backOff(100);
    assertThat(patience.isStopping()).isTrue();
  }

  @Test
  void theReturnOfTheControlPlaneEndsTheWaitForIt() throws Exception {
    patience.lost("nobody listens there");
    Thread waiter =
        Thread.startVirtualThread(() -> {
          for (int i = 0; i < 3; i++) {
            quietly(() -> patience.backOff(50));
          }
        });
    while (waiter.isAlive()) {
      patience.lost("again");
      Thread.sleep(5);
      patience.heard();
    }
    assertThat(patience.isStopping()).isFalse();
  }

  @Test
  void whoHasLittleTimeWaitsNoLonger() throws Exception {
    patience.lost("it is full", Duration.ofMinutes(5));
    patience.backOff(50, Duration.ofMillis(10));
    assertThat(patience.isAway()).isTrue();
  }

  private interface Wait {
    void run() throws InterruptedException;
  }

  private static void quietly(Wait wait) {
    try {
      wait.run();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
