package dev.stint.worker;

import static dev.stint.worker.FakeControlPlane.assignment;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A worker in a JVM that runs out of what it needs. */
@Timeout(60)
class SlotTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /** What is in hand, at a time when there is no room for more, or even to look at it. */
  private static final class Crowd extends AbstractSet<Run> {
    private final Set<Run> runs = ConcurrentHashMap.newKeySet();
    private final AtomicInteger failures = new AtomicInteger(2);

    private void fail() {
      if (failures.getAndDecrement() > 0) {
        throw new OutOfMemoryError("unable to create native thread");
      }
    }

    @Override
    public boolean add(Run run) {
      fail();
      return runs.add(run);
    }

    @Override
    public Object[] toArray() {
      fail();
      return runs.toArray();
    }

    @Override
    public Iterator<Run> iterator() {
      return runs.iterator();
    }

    @Override
    public int size() {
      return runs.size();
    }
  }

  private interface Work {
    void with(Workshop shop, Session session) throws InterruptedException;
  }

  private void work(FakeControlPlane control, Work work, BooleanSupplier isDone) throws Exception {
    Workshop usual = Workshop.of(Probes.settings(control.url(), folder, Duration.ofSeconds(1)));
    Workshop shop =
        new Workshop(
            usual.settings(),
            usual.patience(),
            usual.state(),
            usual.control(),
            usual.reporter(),
            usual.files(),
            new Crowd());
    try (State state = shop.state()) {
      state.open();
      state.name("w1");
      Thread thread =
          Thread.ofPlatform()
              .start(() -> {
                try {
                  work.with(shop, new Session(shop));
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      Probes.await(isDone);
      shop.patience().stop();
      thread.interrupt();
      thread.join();
    }
  }

  @Test
  void aSlotOutlivesAnErrorAndForgetsNoJob() throws Exception {
    try (FakeControlPlane control = new FakeControlPlane()) {
      AtomicInteger fence = new AtomicInteger();
      control.on("/next-job", call -> assignment("j1", fence.incrementAndGet(), "true"));
      work(
          control,
          (shop, session) -> new Slot(shop, session, new Room(shop, session), new Turns()).work(),
          () -> !control.calls("/complete").isEmpty());

      assertThat(control.calls("/release").getFirst().field("assignment_id")).isEqualTo("j1-1");
    }
  }

  @Test
  void theHeartbeatOutlivesAnError() throws Exception {
    try (FakeControlPlane control = new FakeControlPlane()) {
      work(
          control,
          (shop, session) -> new Heartbeat(shop, session, null).beat(Duration.ofMillis(10)),
          () -> !control.calls("/heartbeat").isEmpty());
    }
  }
}
