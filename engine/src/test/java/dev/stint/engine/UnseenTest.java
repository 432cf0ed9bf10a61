package dev.stint.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class UnseenTest {
  private final UUID job = JobIds.next();

  @Test
  void aLookWaitsForAllThatChangeAJobUntoldAlsoIfALaterOneIsOver() throws Exception {
    Unseen unseen = new Unseen(true);
    commit(unseen, turn -> turn.comes(job));
    CountDownLatch hasChanged = new CountDownLatch(1);
    CountDownLatch mayCommit = new CountDownLatch(1);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> slow =
          threads.submit(() ->
              commit(
                  unseen,
                  turn -> {
                    assertThat(turn.changes(job, null)).isFalse();
                    hasChanged.countDown();
                    await(mayCommit);
                  }));
      await(hasChanged);
      commit(unseen, turn -> assertThat(turn.changes(job, null)).isFalse());

      Future<?> look = threads.submit(() -> unseen.look(List.of(job)));

      boolean waits = isStillRunning(look);
      mayCommit.countDown();
      assertThat(waits).isTrue();
      slow.get(30, TimeUnit.SECONDS);
      look.get(30, TimeUnit.SECONDS);
    }
  }

  private static boolean isStillRunning(Future<?> future) throws Exception {
    try {
      future.get(200, TimeUnit.MILLISECONDS);
      return false;
    } catch (TimeoutException e) {
      return true;
    }
  }

  @Test
  void aCommitThatMayStillHappenEndsTheLeadThatItCountedOn() {
    assertThat(leadAfter(new StoreUnavailableException("nobody knows"))).isNull();
  }

  @Test
  void aTransactionThatWasRolledBackEndsNoLead() {
    assertThat(leadAfter(new IllegalStateException("rolled back"))).isEqualTo("first");
  }

  private static @Nullable String leadAfter(RuntimeException failure) {
    Unseen unseen = new Unseen(false);
    unseen.begin("first");
    assertThatThrownBy(() ->
            commit(
                unseen,
                _ -> {
                  throw failure;
                }))
        .isSameAs(failure);
    return unseen.lead();
  }

  private static void commit(Unseen unseen, Consumer<Unseen.Turn> work) {
    unseen.during(turn -> {
      turn.ask(leading());
      work.accept(turn);
      Batch batch = new Batch();
      return new Clerk.Done(
          batch.changes(0, new Notes(true, turn, 0)),
          0,
          List.of(),
          batch.ready(),
          batch.earliestDueAt(),
          batch.completions(),
          batch.departures(),
          0);
    });
  }

  /** A transaction that knows the lead, and nothing else. */
  private static Store.Transaction leading() {
    return (Store.Transaction)
        Proxy.newProxyInstance(
            UnseenTest.class.getClassLoader(),
            new Class<?>[] {Store.Transaction.class},
            (_, method, _) -> {
              assertThat(method.getName()).isEqualTo("leads");
              return true;
            });
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
