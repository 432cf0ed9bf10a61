package dev.stint.client.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.stint.client.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a real control plane says only in bad times, from one that says what a test wants. */
@Timeout(60)
class WorkerInBadTimesTest {
  private record Reply(int status, String body) {}

  private static final Reply NOTHING = new Reply(200, "{\"jobs\":[]}");
  private static final Reply AWAY = new Reply(503, "{\"error\":\"unavailable\"}");

  private final List<Map<?, ?>> claims = new CopyOnWriteArrayList<>();
  private final List<Map<?, ?>> settlements = new CopyOnWriteArrayList<>();
  private volatile Function<Map<?, ?>, Reply> onClaim = claim -> NOTHING;
  private volatile Function<Map<?, ?>, Reply> onSettle = WorkerInBadTimesTest::allIsWell;

  @SuppressWarnings("NullAway.Init")
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/v1/leases/claim", call -> answer(call, claims, onClaim));
    server.createContext("/v1/leases/settle", call -> answer(call, settlements, onSettle));
    server.createContext("/v1/leases/heartbeat", call -> answer(call, claims, beat -> NOTHING));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static void answer(
      HttpExchange call, List<Map<?, ?>> calls, Function<Map<?, ?>, Reply> how) throws IOException {
    String sent = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(Json.read(sent));
    calls.add(body);
    Reply reply = how.apply(body);
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    try (call) {
      call.sendResponseHeaders(reply.status(), bytes.length);
      call.getResponseBody().write(bytes);
    }
  }

  private static Reply allIsWell(Map<?, ?> settle) {
    int count = ((List<?>) Objects.requireNonNull(settle.get("reports"))).size();
    return new Reply(200, results(IntStream.range(0, count).map(i -> 200).toArray()));
  }

  private static String results(int... statuses) {
    List<Map<String, Object>> results =
        IntStream.of(statuses)
            .mapToObj(status -> Map.<String, Object>of("status", status, "body", Map.of()))
            .toList();
    return Json.write(Map.of("results", results, "jobs", List.of()));
  }

  private static Reply jobs(String... ids) {
    List<Map<String, @Nullable Object>> jobs =
        List.of(ids).stream().map(WorkerInBadTimesTest::job).toList();
    return new Reply(200, Json.write(Map.of("jobs", jobs)));
  }

  private static Map<String, @Nullable Object> job(String id) {
    return Map.of(
        "job_id",
        id,
        "attempt_id",
        "a-" + id,
        "lease_token",
        "t",
        "stream",
        "q",
        "payload",
        Map.of(),
        "attempt",
        1,
        "fence",
        1);
  }

  private StintWorker.Builder worker() {
    return StintWorker.to("http://127.0.0.1:" + server.getAddress().getPort())
        .queue("q")
        .slots(4)
        .handle(Job::id);
  }

  private static void await(Condition condition) throws InterruptedException {
    while (!condition.isThere()) {
      Thread.sleep(5);
    }
  }

  private interface Condition {
    boolean isThere();
  }

  @Test
  void aClaimWhoseAnswerWasLostIsSentAgainUnderTheSameName() throws Exception {
    AtomicInteger calls = new AtomicInteger();
    onClaim = claim -> calls.incrementAndGet() == 1 ? AWAY : once(calls, 2, jobs("j1"));
    try (StintWorker _ = worker().start()) {
      await(() -> !settlements.isEmpty());
    }
    assertThat(claims.get(1).get("claim_id")).isEqualTo(claims.get(0).get("claim_id"));
    assertThat(claims.get(1).get("max_jobs")).isEqualTo(4L);
  }

  private static Reply once(AtomicInteger calls, int which, Reply reply) {
    return calls.get() == which ? reply : NOTHING;
  }

  @Test
  void whatIsGivenInTheMomentOfClosingIsFetchedAndDone() throws Exception {
    CountDownLatch parked = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    onClaim =
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
    StintWorker worker = worker().start();
    parked.await();

    worker.close();

    never.countDown();
    assertThat(claims).hasSize(2);
    assertThat(claims.get(1).get("claim_id")).isEqualTo(claims.get(0).get("claim_id"));
    assertThat(Json.write(settlements)).contains("\"job_id\":\"j1\"", "\"result\":\"j1\"");
    assertThat(settlements).allMatch(settle -> !settle.containsKey("claim"));
  }

  @Test
  void resultsAreSentUntilTheyAreHeardAndOneByOneIfACallIsRefused() throws Exception {
    AtomicInteger given = new AtomicInteger();
    AtomicInteger sent = new AtomicInteger();
    onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2", "j3") : NOTHING;
    CountDownLatch all = new CountDownLatch(3);
    Set<Object> accepted = ConcurrentHashMap.newKeySet();
    onSettle =
        settle ->
            switch (sent.incrementAndGet()) {
              case 1 -> AWAY;
              case 2 -> new Reply(400, "{\"error\":\"invalid_request\",\"message\":\"no\"}");
              case 3 -> new Reply(200, results(503));
              default -> accept(settle, accepted);
            };
    try (StintWorker _ =
        worker()
            .handle(job -> {
              all.countDown();
              assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
              return job.id();
            })
            .start()) {
      await(() -> accepted.size() == 3);
    }
    assertThat(settlements.get(0)).isEqualTo(settlements.get(1));
    assertThat(settlements.get(2).containsKey("claim")).isFalse();
    assertThat(accepted).containsExactlyInAnyOrder("j1", "j2", "j3");
  }

  private static Reply accept(Map<?, ?> settle, Set<Object> accepted) {
    for (Object report : (List<?>) Objects.requireNonNull(settle.get("reports"))) {
      accepted.add(Objects.requireNonNull(((Map<?, ?>) report).get("result")));
    }
    return allIsWell(settle);
  }

  @Test
  void aFailureThatCannotBeToldIsOneAllTheSame() throws Exception {
    AtomicInteger given = new AtomicInteger();
    onClaim = claim -> given.incrementAndGet() == 1 ? jobs("j1", "j2") : NOTHING;
    try (StintWorker _ =
        worker()
            .handle(job -> {
              throw job.id().equals("j1") ? new UntoldException() : withoutCode();
            })
            .start()) {
      await(() -> Json.write(settlements).contains("j1") && Json.write(settlements).contains("j2"));
    }
    assertThat(Json.write(settlements))
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
  void aWorkerWithoutAHandlerOrWithTooManySlotsIsRefused() {
    assertThatThrownBy(() -> StintWorker.to("http://h").start())
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> worker().slots(501)).hasMessageContaining("slots");
    assertThatThrownBy(() -> StintWorker.to("h").handle(Job::id).start())
        .hasMessageContaining("http://");
    Duration none = Duration.ZERO;
    worker().drain(none).start().close();
  }
}
