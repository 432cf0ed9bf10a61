package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** An engine over the store under test, and what the suites do with it. */
@Timeout(60)
public abstract class EngineFixture {
  /** Opens the store under test; a further call opens the same jobs again. */
  protected abstract Store openStore(Clock clock);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String queue = "q-" + UUID.randomUUID();
  private @Nullable FaultyStore openedStore;
  private @Nullable Engine startedEngine;

  @BeforeEach
  void open() {
    openedStore = new FaultyStore(openStore(Clock.systemUTC()));
    startedEngine = Engine.start(store(), EngineSettings.DEFAULT, Observer.NONE);
  }

  @AfterEach
  void close() {
    engine().close();
    store().close();
    threads.shutdownNow();
  }

  /** Starts another engine on the same store. */
  protected final void restart() {
    restart(EngineSettings.DEFAULT);
  }

  final void restart(EngineSettings settings) {
    restart(settings, Observer.NONE);
  }

  final void restart(EngineSettings settings, Observer observer) {
    engine().close();
    startedEngine = Engine.start(store(), settings, observer);
  }

  protected final FaultyStore store() {
    return Objects.requireNonNull(openedStore);
  }

  protected final Engine engine() {
    return Objects.requireNonNull(startedEngine);
  }

  protected final String queue() {
    return queue;
  }

  protected final UUID submit() {
    Command.Submit submit = Orders.submit(queue);
    assertThat(engine().execute(submit, null)).isInstanceOf(Outcome.Submitted.class);
    return submit.jobId();
  }

  protected final Outcome.Claimed claim(String worker) {
    return claimed(Orders.claim(worker, queue));
  }

  final Outcome.Claimed claimed(Command.Claim claim) {
    return (Outcome.Claimed) engine().execute(claim, null);
  }

  protected final Future<Outcome.OfClaim> park(String worker, long maxWaitMs) {
    return threads.submit(
        () -> engine().claim(Orders.claim(worker, queue), maxWaitMs, () -> () -> true, null));
  }

  protected static UUID jobOf(Outcome.OfClaim outcome) {
    return ((Outcome.Claimed) outcome).job().id();
  }

  final Store.JobView view(UUID id) {
    return engine().find(id).orElseThrow();
  }

  protected final Job job(UUID id) {
    return view(id).job();
  }

  final long queued() {
    return engine().tally().getOrDefault(new Store.TallyKey(queue, JobState.PENDING), 0L);
  }

  /** Does something beside what the test does. */
  protected final <T> Future<T> begin(Callable<T> call) {
    return threads.submit(call);
  }

  final <T> List<T> all(int times, Callable<T> call) throws Exception {
    List<Future<T>> futures = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      futures.add(threads.submit(call));
    }
    List<T> results = new ArrayList<>();
    for (Future<T> future : futures) {
      results.add(future.get(30, TimeUnit.SECONDS));
    }
    return results;
  }

  /** For what has no signal to wait for. */
  protected static void waitUntil(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(2);
    }
  }
}
