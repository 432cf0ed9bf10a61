package dev.stint.client.sdk;

import static dev.stint.client.sdk.FakeControlPlane.NOTHING;
import static dev.stint.client.sdk.FakeControlPlane.accept;
import static dev.stint.client.sdk.FakeControlPlane.allIsWell;
import static dev.stint.client.sdk.FakeControlPlane.await;
import static dev.stint.client.sdk.FakeControlPlane.jobs;
import static dev.stint.client.sdk.FakeControlPlane.refusal;
import static dev.stint.client.sdk.FakeControlPlane.reported;
import static dev.stint.client.sdk.FakeControlPlane.results;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Api;
import dev.stint.client.Patience;
import dev.stint.client.sdk.FakeControlPlane.Reply;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Results that a control plane is there for and does not take. */
@Timeout(60)
class UnwelcomeWorkerTest {
  private static final Logger PATIENCE = Logger.getLogger(Patience.class.getName());

  @SuppressWarnings("NullAway.Init")
  private FakeControlPlane control;

  private final AtomicInteger given = new AtomicInteger();
  private final Set<Object> accepted = ConcurrentHashMap.newKeySet();
  private final List<LogRecord> told = new CopyOnWriteArrayList<>();
  private final Handler listener = new Listener(told::add);

  private static final class Listener extends Handler {
    private final Consumer<LogRecord> where;

    Listener(Consumer<LogRecord> where) {
      this.where = where;
    }

    @Override
    public void publish(LogRecord line) {
      where.accept(line);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void start() throws IOException {
    control = new FakeControlPlane();
    PATIENCE.addHandler(listener);
  }

  @AfterEach
  void stop() {
    PATIENCE.removeHandler(listener);
    control.close();
  }

  private List<String> errors() {
    return told.stream()
        .filter(line -> line.getLevel().equals(Level.SEVERE))
        .map(LogRecord::getMessage)
        .toList();
  }

  /** A worker with a single slot asks again when that is free. */
  private void awaitFree() throws InterruptedException {
    await(() -> control.claims.size() >= 2);
  }

  @Test
  void aResultWhoseWorkerIsNotLetInIsKeptForAsLongAsALeaseAndThenDropped() throws Exception {
    Reply barred = refusal(401, "the credential is not valid");
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs(1, "j1") : barred;
    control.onSettle = settle -> barred;
    try (StintWorker _ = control.worker().slots(1).start()) {
      awaitFree();
      int sent = control.settlements.size();
      assertThat(sent).isGreaterThan(1);
      given.set(0);
      control.onSettle = settle -> accept(settle, accepted);
      control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j2") : NOTHING;
      await(() -> accepted.contains("j2"));
      assertThat(control.settlements).hasSize(sent + 1);
    }
    assertThat(accepted).containsExactly("j2");
    assertThat(errors()).hasSize(1);
    assertThat(errors().getFirst())
        .contains("does not let this worker in", "401", "the credential is not valid", "token");
  }

  @Test
  void aResultIsTakenWhenTheTokenIsPutRightInTime() throws Exception {
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1") : NOTHING;
    AtomicInteger sent = new AtomicInteger();
    control.onSettle =
        settle -> sent.incrementAndGet() < 3 ? refusal(403, "not you") : accept(settle, accepted);
    try (StintWorker _ = control.worker().start()) {
      await(() -> accepted.contains("j1"));
    }
  }

  @Test
  void oneReportThatTheControlPlaneFailsOverDoesNotKeepTheOthersFromBeingTaken() throws Exception {
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs(1, "j1", "j2", "j3") : NOTHING;
    control.onSettle =
        settle ->
            reported(settle).contains("j1") ? refusal(500, "a mishap") : accept(settle, accepted);
    CountDownLatch all = new CountDownLatch(3);
    try (StintWorker _ =
        control
            .worker()
            .handle(job -> {
              all.countDown();
              all.await();
              return job.id();
            })
            .start()) {
      await(() -> accepted.containsAll(Set.of("j2", "j3")));
    }
    assertThat(accepted).doesNotContain("j1");
  }

  @Test
  void aControlPlaneThatAsksToBeLeftAloneIs() throws Exception {
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1") : NOTHING;
    List<Long> times = new CopyOnWriteArrayList<>();
    control.onSettle =
        settle -> {
          times.add(System.nanoTime());
          return times.size() == 1 ? new Reply(503, "{}", 2) : allIsWell(settle);
        };
    try (StintWorker _ = control.worker().start()) {
      await(() -> times.size() == 2);
    }
    assertThat(Duration.ofNanos(times.get(1) - times.get(0)))
        .isGreaterThanOrEqualTo(Duration.ofMillis(1_900));
  }

  @Test
  void aResultThatTheControlPlaneFailsOverFortyTimesIsGivenUpAndItsSlotIsFree() throws Exception {
    control.onSettle = settle -> new Reply(200, results(500));
    Patience patience = new Patience();
    patience.stop(); // so that nobody sleeps
    LeaseCalls calls =
        new LeaseCalls(
            new Api(control.url(), null, Duration.ofSeconds(10)),
            patience,
            "w1",
            List.of("q"),
            List.of());
    Holdings holdings = new Holdings(1, Duration.ofMinutes(1));
    List<Integer> freed = new ArrayList<>();
    Settler settler = new Settler(holdings, calls, patience, (slots, leases) -> freed.add(slots));
    Lease lease = new Lease(Map.of("job_id", "j1", "attempt_id", "a1", "lease_token", "t"));
    holdings.fill(holdings.reserve(1), List.of(lease));
    Thread settling = Thread.ofVirtual().start(settler);

    settler.add(Report.completed(lease, "done"));

    assertThat(holdings.awaitEmpty(Duration.ofSeconds(30))).isTrue();
    settling.interrupt();
    settling.join();
    assertThat(control.settlements).hasSize(41);
    assertThat(freed.stream().mapToInt(Integer::intValue).sum()).isEqualTo(1);
  }
}
