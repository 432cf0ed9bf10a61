package dev.stint.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class TurnsTest {
  private final Turns turns = new Turns();
  private final Semaphore asking = new Semaphore(0);
  private final Slots slots = new Slots();

  /** Slots that each wait for a turn and keep it. */
  private final class Slots {
    private final List<Thread> threads = new ArrayList<>();

    void add(int count) {
      for (int i = 0; i < count; i++) {
        threads.add(Thread.startVirtualThread(this::ask));
      }
    }

    private void ask() {
      try {
        turns.take();
        asking.release();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @AfterEach
  void end() {
    slots.threads.forEach(Thread::interrupt);
  }

  @Test
  void oneAsksWhileThereIsNothingAndTwiceAsManyWithEveryJob() throws Exception {
    slots.add(8);
    await(1);
    turns.giveBack(false);
    await(1);
    turns.giveBack(true);
    await(2);
    turns.giveBack(true);
    await(3);
    turns.giveBack(false);
    assertThat(asking.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
  }

  /** So many more ask now, and no further one. */
  private void await(int more) throws InterruptedException {
    assertThat(asking.tryAcquire(more, 10, TimeUnit.SECONDS)).isTrue();
    assertThat(asking.tryAcquire(50, TimeUnit.MILLISECONDS)).isFalse();
  }
}
