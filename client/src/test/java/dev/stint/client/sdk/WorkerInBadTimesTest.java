package dev.stint.client.sdk;

import static dev.stint.client.sdk.FakeControlPlane.AWAY;
import static dev.stint.client.sdk.FakeControlPlane.NOTHING;
import static dev.stint.client.sdk.FakeControlPlane.accept;
import static dev.stint.client.sdk.FakeControlPlane.await;
import static dev.stint.client.sdk.FakeControlPlane.jobs;
import static dev.stint.client.sdk.FakeControlPlane.refusal;
import static dev.stint.client.sdk.FakeControlPlane.results;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.Api;
import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.sdk.FakeControlPlane.Reply;
import java.io.IOException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a real control plane says only in bad times, from one that says what a test wants. */
@Timeout(60)
class WorkerInBadTimesTest {
  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private FakeControlPlane control;

  @BeforeEach
  void start() throws IOException {
    control = new FakeControlPlane();
  }

  @Test
  void aClaimWhoseAnswerWasLostIsSentAgainUnderTheSameName() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    control.onClaim = claim -> calls.incrementAndGet() == 1 ? AWAY : once(calls, 2, jobs("j1"));
    try (StintWorker _ = control.worker().start()) {
      await(() -> !control.settlements.isEmpty());
    }
    assertThat(control.claims.get(1).get("claim_id"))
        .isEqualTo(control.claims.get(0).get("claim_id"));
    assertThat(control.claims.get(1).get("max_jobs")).isEqualTo(4L);
  }

  private static Reply once(AtomicInteger calls, int which, Reply reply) {
    return calls.get() == which ? reply : NOTHING;
  }

  @Test
  void whatIsGivenInTheMomentOfClosingIsFetchedAndDone() throws Exception {
    CountDownLatch parked = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    control.onClaim =
        claim -> {
          if (List.of("q").equals(claim.get("streams"))) {
            parked.countDown();
            try {
              never.await();
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          }
          return jobs("j1");
        };
    StintWorker worker = control.worker().start();
    parked.await();

    worker.close();

    never.countDown();
    assertThat(control.claims).hasSize(2);
    assertThat(control.claims.get(1).get("claim_id"))
        .isEqualTo(control.claims.get(0).get("claim_id"));
    assertThat(Json.write(control.settlements)).contains("\"job_id\":\"j1\"", "\"result\":\"j1\"");
    assertThat(control.settlements).allMatch(settle -> !settle.containsKey("claim"));
  }

  @Test
  void resultsAreSentUntilTheyAreHeardAndOneByOneIfACallIsRefused() throws Exception {
    AtomicInteger given = new AtomicInteger();
    AtomicInteger sent = new AtomicInteger();
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2", "j3") : NOTHING;
    CountDownLatch all = new CountDownLatch(3);
    Set<Object> accepted = ConcurrentHashMap.newKeySet();
    control.onSettle =
        settle ->
            switch (sent.incrementAndGet()) {
              case 1 -> AWAY;
              case 2 -> refusal(400, "no");
              case 3 -> new Reply(200, results(503));
              default -> accept(settle, accepted);
            };
    try (StintWorker _ =
        control
            .worker()
            .handle(job -> {
              all.countDown();
              assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
              return job.id();
            })
            .start()) {
      await(() -> accepted.size() == 3);
    }
    assertThat(control.settlements.get(0)).isEqualTo(control.settlements.get(1));
    assertThat(control.settlements.get(2).containsKey("claim")).isFalse();
    assertThat(accepted).containsExactlyInAnyOrder("j1", "j2", "j3");
  }

  @Test
  void aFailureThatCannotBeToldIsOneAllTheSame() throws Exception {
    AtomicInteger given = new AtomicInteger();
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2") : NOTHING;
    try (StintWorker _ =
        control
            .worker()
            .handle(job -> {
              throw job.id().equals("j1") ? new UntoldException() : withoutCode();
            })
            .start()) {
      await(() ->
          Json.write(control.settlements).contains("j1")
              && Json.write(control.settlements).contains("j2"));
    }
    assertThat(Json.write(control.settlements))
        .contains(UntoldException.class.getName(), "\"code\":\"ERROR\",\"message\":\"nameless\"");
  }

  /** As callers can make it whose compiler does not look for null. */
  @SuppressWarnings("NullAway")
  private static Exception withoutCode() {
    return JobFailedException.forGood(null, "nameless");
  }

  private static final class UntoldException extends Exception {
    @Override
    public String getMessage() {
      throw new IllegalStateException("no words for it");
    }
  }

  @Test
  void aJobForWhichThereIsNoThreadIsReportedAsFailedToBeTriedAgain() throws Exception {
    AtomicInteger given = new AtomicInteger();
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2") : NOTHING;
    AtomicInteger threads = new AtomicInteger();
    ThreadFactory oneIsTooMany =
        work -> {
          if (threads.incrementAndGet() == 1) {
            throw new OutOfMemoryError("unable to create native thread");
          }
          return new Thread(work);
        };
    try (StintWorker _ = control.worker().handlerThreads(oneIsTooMany).start()) {
      await(() -> Json.write(control.settlements).contains("\"result\":\"j2\""));
      await(() -> Json.write(control.settlements).contains("\"job_id\":\"j1\""));
    }
    assertThat(Json.write(control.settlements))
        .contains("\"code\":\"OutOfMemoryError\"", "\"retryable\":true")
        .doesNotContain("\"result\":\"j1\"");
  }

  /** Stands for whatever goes wrong in a call: it throws when the control plane is away. */
  private static final class BrokenLog extends java.util.logging.Handler {
    private final AtomicInteger errors = new AtomicInteger();

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().equals(Level.WARNING)) {
        errors.incrementAndGet();
        throw new OutOfMemoryError("unable to create native thread");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void anErrorInACallEndsNeitherClaimsNorHeartbeatsNorReports() throws Exception {
    AtomicInteger claims = new AtomicInteger();
    AtomicInteger beats = new AtomicInteger();
    AtomicInteger settles = new AtomicInteger();
    Set<Object> accepted = ConcurrentHashMap.newKeySet();
    control.onClaim = claim -> claims.incrementAndGet() == 1 ? AWAY : once(claims, 2, jobs("j1"));
    control.onBeat = beat -> beats.incrementAndGet() == 1 ? AWAY : NOTHING;
    control.onSettle = settle -> settles.incrementAndGet() == 1 ? AWAY : accept(settle, accepted);
    Logger patience = Logger.getLogger(Patience.class.getName());
    BrokenLog broken = new BrokenLog();
    patience.addHandler(broken);
    try (StintWorker _ =
        control
            .worker()
            .heartbeatInterval(Duration.ofMillis(50))
            .handle(job -> {
              await(() -> beats.get() >= 3);
              return job.id();
            })
            .start()) {
      await(() -> accepted.contains("j1"));
    } finally {
      patience.removeHandler(broken);
    }
    assertThat(broken.errors).hasValue(3);
  }

  private Thread beat(Holdings holdings) {
    Patience patience = new Patience();
    LeaseCalls calls =
        new LeaseCalls(
            new Api(control.url(), null, Duration.ofSeconds(10)),
            patience,
            "w1",
            List.of("q"),
            List.of());
    return Thread.ofVirtual().start(new Beats(holdings, calls, patience));
  }

  private static Lease lease(String id, double heartbeatIntervalSeconds) {
    return new Lease(
        Map.of(
            "job_id",
            id,
            "attempt_id",
            "a-" + id,
            "lease_token",
            "t",
            "heartbeat_interval_seconds",
            heartbeatIntervalSeconds));
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 503})
  void aLeaseWhoseBeatCannotBeTakenJustNowIsBeatenAgainAtOnceWithItsProgress(int status)
      throws Exception {
    AtomicInteger beats = new AtomicInteger();
    control.onBeat =
        beat -> new Reply(200, results(beats.incrementAndGet() < 3 ? status : 200, 200));
    Holdings holdings = new Holdings(3, Duration.ofHours(1));
    Lease soon = lease("soon", 0.05);
    Lease first = lease("j1", 3_600);
    first.progress(40, "reading");
    Lease second = lease("j2", 3_600);
    second.progress(50, "writing");
    holdings.fill(holdings.reserve(3), List.of(soon, first, second));
    holdings.release(List.of(soon)); // the others' next beat is an hour away after this one
    Thread beating = beat(holdings);

    await(() -> !first.beat().containsKey("message"));

    holdings.end();
    beating.interrupt();
    beating.join();
    assertThat(control.beats.stream().map(Json::write))
        .allMatch(beat -> beat.contains("reading"))
        .hasSize(3)
        .filteredOn(beat -> beat.contains("writing"))
        .hasSize(1);
  }

  @Test
  void heartbeatsGoOnWithinTheLeaseHoweverLongTheControlPlaneWantsToBeLeftAlone() throws Exception {
    control.onBeat = beat -> new Reply(503, "{\"error\":\"unavailable\"}", 300);
    Holdings holdings = new Holdings(1, Duration.ofHours(1));
    holdings.fill(holdings.reserve(1), List.of(lease("j1", 0.4)));
    Thread beating = beat(holdings);

    await(() -> control.beats.size() >= 8);

    beating.interrupt();
    beating.join();
  }

  @Test
  void closingOnAnInterruptedThreadStopsHandlersAndReportsThem() throws Exception {
    AtomicInteger given = new AtomicInteger();
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2") : NOTHING;
    CountDownLatch running = new CountDownLatch(2);
    StintWorker worker =
        control
            .worker()
            .drain(Duration.ofHours(1))
            .handle(job -> {
              running.countDown();
              new CountDownLatch(1).await();
              return "never";
            })
            .start();
    running.await();

    Thread.currentThread().interrupt();
    worker.close();

    assertThat(Thread.interrupted()).isTrue();
    assertThat(Json.write(control.settlements))
        .contains("\"job_id\":\"j1\"", "\"job_id\":\"j2\"", "WORKER_STOPPED");
  }

  @Test
  void aHeartbeatThatCrossesTheReportOfItsJobTellsOfNoLoss() throws Exception {
    AtomicInteger given = new AtomicInteger();
    AtomicInteger crossed = new AtomicInteger();
    CountDownLatch reported = new CountDownLatch(1);
    CountDownLatch heard = new CountDownLatch(1);
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1") : NOTHING;
    control.onBeat =
        beat -> {
          boolean isOver = reported.getCount() == 0;
          if (isOver && crossed.incrementAndGet() == 2) {
            heard.countDown(); // the answer to the one before
          }
          return new Reply(200, results(isOver ? 409 : 200));
        };
    control.onSettle =
        settle -> {
          reported.countDown();
          try {
            heard.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return FakeControlPlane.allIsWell(settle);
        };
    Set<String> told = ConcurrentHashMap.newKeySet();
    Logger beats = Logger.getLogger(Beats.class.getName());
    beats.setFilter(line -> told.add(line.getMessage()));
    try (StintWorker _ = control.worker().heartbeatInterval(Duration.ofMillis(20)).start()) {
      heard.await();
    } finally {
      beats.setFilter(null);
    }
    assertThat(told).isEmpty();
  }

  @Test
  void whoClosesAWorkerThatIsBeingClosedReturnsWhenItIsClosed() throws Exception {
    AtomicInteger given = new AtomicInteger();
    control.onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1") : NOTHING;
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    StintWorker worker =
        control
            .worker()
            .drain(Duration.ofHours(1))
            .handle(job -> {
              running.countDown();
              done.await();
              return job.id();
            })
            .start();
    running.await();
    Thread first = Thread.ofPlatform().start(worker::close);
    await(() -> isWaiting(first));

    AtomicInteger reported = new AtomicInteger();
    Thread second =
        Thread.ofPlatform()
            .start(() -> {
              worker.close();
              reported.set(control.settlements.size());
            });
    await(() -> isWaiting(second) || !second.isAlive());
    done.countDown();

    second.join();
    first.join();
    assertThat(reported).hasValue(1);
  }

  private static boolean isWaiting(Thread thread) {
    return Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState());
  }

  @Test
  void aWorkerWithoutAHandlerOrWithTooManySlotsIsRefused() {
    assertThatThrownBy(() -> StintWorker.to("http://h").start())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> control.worker().slots(501)).hasMessageContaining("slots");
    for (String none : List.of("h", "http://h:65536")) {
      assertThatThrownBy(() -> StintWorker.to(none).handle(Job::id).start())
          .hasMessageContaining("not an http://");
    }
    Duration none = Duration.ZERO;
    control.worker().drain(none).start().close();
  }

  @Test
  void timesThatNobodyCanKeepAreRefusedAndForeverIsOne() {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofSeconds(-1))) {
      assertThatThrownBy(() -> control.worker().heartbeatInterval(wrong))
          .hasMessageContaining("heartbeatInterval must be more than 0");
    }
    for (Duration wrong : List.of(Duration.ZERO, Duration.ofNanos(1), forever)) {
      assertThatThrownBy(() -> control.worker().requestTimeout(wrong))
          .hasMessageContaining("requestTimeout must be from 1 ms to 1 day");
    }
    control.worker().drain(forever).heartbeatInterval(forever).start().close();
  }
}
