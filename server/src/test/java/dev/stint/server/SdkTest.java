package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.Json;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.JobFailedException;
import dev.stint.client.sdk.JobView;
import dev.stint.client.sdk.RefusedException;
import dev.stint.client.sdk.StintClient;
import dev.stint.client.sdk.StintWorker;
import dev.stint.client.sdk.Submission;
import dev.stint.client.sdk.Submitted;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers and submitters written with the Java SDK, on a real server. */
@Timeout(120)
class SdkTest {
  private static final Duration LONG = Duration.ofSeconds(60);

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @SuppressWarnings("NullAway.Init")
  private StintClient client;

  @BeforeEach
  void start(@TempDir Path folder) {
    server = TestServer.start(folder);
    client = StintClient.to(url(), null);
  }

  private String url() {
    return "http://127.0.0.1:" + server.port();
  }

  private StintWorker.Builder worker(Handler handler) {
    return StintWorker.to(url())
        .workerId("w1")
        .heartbeatInterval(Duration.ofMillis(100))
        .handle(handler);
  }

  private String submit(Map<String, Object> payload) throws Exception {
    return client.submit(Submission.of("chat", payload), LONG);
  }

  private JobView await(String jobId) throws Exception {
    return client.await(jobId, LONG).orElseThrow();
  }

  @Test
  void aHandlerGetsTheJobAndItsResultIsKept() throws Exception {
    String id = submit(Map.of("n", 20, "words", List.of("a", "b")));

    try (StintWorker _ =
        worker(job ->
                Map.of(
                    "n", ((Map<?, ?>) Objects.requireNonNull(job.payload())).get("n"),
                    "task", String.valueOf(job.task()),
                    "id", job.id(),
                    "attempt", job.attempt(),
                    "fence", job.fence(),
                    "queue", job.queue()))
            .start()) {
      assertThat(await(id).result())
          .isEqualTo(
              Map.of(
                  "n",
                  20L,
                  "task",
                  "chat",
                  "id",
                  id,
                  "attempt",
                  1L,
                  "fence",
                  1L,
                  "queue",
                  Jobs.QUEUE));
    }
    assertThat(server.get("/v1/jobs/" + id).get("status")).isEqualTo("done");
  }

  @Test
  void whoHasForeverMaySaySo() throws Exception {
    Duration forever = ChronoUnit.FOREVER.getDuration();
    String id = client.submit(Submission.of("chat", Map.of()), forever);

    try (StintWorker _ = worker(job -> "done").start()) {
      assertThat(client.await(id, forever).orElseThrow().result()).isEqualTo("done");
    }
  }

  @Test
  void aFailureIsTriedAgainUnlessTheHandlerSaysThatItIsForGood() throws Exception {
    String flaky = submit(Map.of("fails", "once"));
    String hopeless = submit(Map.of("fails", "always"));

    try (StintWorker _ =
        worker(
                job -> {
                  if (Map.of("fails", "always").equals(job.payload())) {
                    throw JobFailedException.forGood("NO_HOPE", "it cannot be done");
                  } else if (job.attempt() == 1) {
                    throw new IllegalStateException("not today");
                  }
                  return new Json.Text("[1.50]");
                })
            .slots(2)
            .start()) {
      JobView failed = await(hopeless);
      assertThat(failed.status()).isEqualTo("error");
      assertThat(failed.error())
          .isEqualTo(Map.of("code", "NO_HOPE", "message", "it cannot be done", "retryable", false));
      assertThat(await(flaky).attempts()).isEqualTo(2);
    }
    assertThat(server.get("/v1/jobs/" + flaky).body()).contains("\"result\":[1.50]");
    assertThat(server.get("/v1/jobs/" + flaky + "/events").body())
        .contains("IllegalStateException", "not today");
  }

  @Test
  void aCancelInterruptsTheHandlerAndProgressIsSeenMeanwhile() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    AtomicInteger unwanted = new AtomicInteger();
    String id = submit(Map.of());

    try (StintWorker _ =
        worker(
                job -> {
                  job.progress(40, "reading");
                  running.countDown();
                  try {
                    Thread.sleep(60_000);
                    return null;
                  } finally {
                    unwanted.addAndGet(job.isUnwanted() ? 1 : 0);
                  }
                })
            .start()) {
      running.await();
      Waits.until(() -> server.get("/v1/jobs/" + id).body().contains("\"progress\":40"));
      client.cancel(id, "enough");

      assertThat(await(id).status()).isEqualTo("canceled");
      assertThat(unwanted).hasValue(1);
      String next = submit(Map.of());
      client.cancel(next, "cleaning up");
      assertThat(await(next).status()).isEqualTo("canceled");
    }
  }

  @Test
  void aLeaseThatIsLostInterruptsTheHandlerAndItsResultIsNotReported() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    String id = submit(Map.of());

    try (StintWorker _ =
        worker(
                job -> {
                  running.countDown();
                  try {
                    Thread.sleep(60_000);
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                  }
                  return "too late";
                })
            .start()) {
      running.await();
      server.post("/abort", "{\"job_id\":\"" + id + "\"}", "X-API-Token", "dev-token");

      assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(await(id).status()).isEqualTo("canceled");
    assertThat(server.get("/v1/jobs/" + id + "/events").body()).doesNotContain("late_result");
  }

  @Test
  void twoWorkersDoTwoThousandJobsInFewCallsAndNoneTwice() throws Exception {
    Map<String, Integer> runs = new ConcurrentHashMap<>();
    Set<String> both = ConcurrentHashMap.newKeySet();
    List<Submission> jobs =
        IntStream.range(0, 2_000).mapToObj(i -> Submission.of("chat", Map.of("n", i))).toList();

    List<Submitted> submitted = client.submitAll(jobs, LONG);
    try (StintWorker _ = counting("a", runs, both).start();
        StintWorker _ = counting("b", runs, both).start()) {
      for (Submitted one : submitted) {
        assertThat(await(Objects.requireNonNull(one.jobId())).status()).isEqualTo("done");
      }
    }

    assertThat(runs).hasSize(2_000);
    assertThat(runs.values()).containsOnly(1);
    assertThat(both).containsExactlyInAnyOrder("a", "b");
    assertThat(calls("/v1/leases/settle") + calls("/v1/leases/claim")).isLessThan(1_500);
  }

  private StintWorker.Builder counting(String name, Map<String, Integer> runs, Set<String> both) {
    return StintWorker.to(url())
        .workerId(name)
        .slots(16)
        .handle(job -> {
          runs.merge(job.id(), 1, Integer::sum);
          both.add(name);
          return Map.of("by", name);
        });
  }

  private double calls(String path) {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.contains("_count{") && line.contains("\"" + path + "\""))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  @Test
  void closingWaitsForHandlersAndHandsBackWhatTakesTooLong() throws Exception {
    CountDownLatch running = new CountDownLatch(2);
    String quick = submit(Map.of("ms", 300));
    String slow = submit(Map.of("ms", 60_000));
    StintWorker worker =
        worker(
                job -> {
                  running.countDown();
                  Map<?, ?> payload = (Map<?, ?>) Objects.requireNonNull(job.payload());
                  Thread.sleep(((Number) Objects.requireNonNull(payload.get("ms"))).longValue());
                  return "slept";
                })
            .slots(3)
            .drain(Duration.ofSeconds(2))
            .start();
    running.await();

    worker.close();

    assertThat(client.find(quick).orElseThrow().result()).isEqualTo("slept");
    JobView handedBack = client.find(slow).orElseThrow();
    assertThat(handedBack.status()).isEqualTo("queued");
    String later = submit(Map.of("ms", 0));
    assertThat(client.find(later).orElseThrow().status()).isEqualTo("queued");
  }

  @Test
  void aDrainedWorkerTakesNothingUntilItIsResumed() throws Exception {
    try (StintWorker _ = worker(Job::id).start()) {
      await(submit(Map.of()));
      operate("drain");
      String waits = submit(Map.of());
      assertThat(client.await(waits, Duration.ofSeconds(1)).orElseThrow().status())
          .isEqualTo("queued");

      operate("resume");

      assertThat(await(waits).status()).isEqualTo("done");
    }
  }

  private void operate(String verb) {
    assertThat(server.post("/v1/workers/w1/" + verb, "{}", "X-API-Token", "dev-token").status())
        .isEqualTo(200);
  }

  @Test
  void largeResultsGoInSeveralCallsAndOneThatFitsIntoNoneIsAFailure() throws Exception {
    List<String> large =
        IntStream.range(0, 6)
            .mapToObj(i -> Submission.of("chat", Map.of("kb", 400)))
            .map(job -> submitted(job))
            .toList();
    String tooLarge = submit(Map.of("kb", 1_100));

    try (StintWorker _ =
        worker(
                job -> {
                  Map<?, ?> payload = (Map<?, ?>) Objects.requireNonNull(job.payload());
                  return "x"
                      .repeat(
                          ((Number) Objects.requireNonNull(payload.get("kb"))).intValue() << 10);
                })
            .slots(7)
            .start()) {
      for (String id : large) {
        assertThat(await(id).result()).isEqualTo("x".repeat(400 << 10));
      }
      assertThat(await(tooLarge).error()).asString().contains("RESULT_TOO_LARGE");
    }
  }

  private String submitted(Submission job) {
    try {
      return client.submit(job, LONG);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aSubmissionThatFitsIntoNoCallIsRefusedAndTheOthersGoOn() throws Exception {
    Submission tooLarge = Submission.of("chat", Map.of("text", "x".repeat(1_100_000)));
    List<Submission> jobs =
        List.of(Submission.of("chat", Map.of()), tooLarge, Submission.of("chat", Map.of()));

    List<Submitted> outcomes = client.submitAll(jobs, LONG);

    assertThat(outcomes).extracting(Submitted::status).containsExactly(201, 413, 201);
    assertThat(outcomes.get(1).problem()).contains("1000000 bytes");
    assertThatThrownBy(() -> client.submit(tooLarge, LONG))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("413");
  }

  @Test
  void manyAndLargeSubmissionsAreSplitAndEachIsToldOfInItsPlace() throws Exception {
    Map<String, @Nullable Object> payload = Map.of("text", "x".repeat(150_000));
    List<Submission> large =
        IntStream.range(0, 20)
            .mapToObj(i -> Submission.of(i == 7 ? "dance" : "chat", payload).queue("q" + i % 2))
            .toList();
    List<Submission> many =
        IntStream.range(0, 1_001)
            .mapToObj(i -> Submission.of("chat", Map.of()).priority(i).idempotencyKey("k" + i))
            .toList();

    List<Submitted> outcomes = client.submitAll(large, LONG);
    assertThat(outcomes).hasSize(20);
    assertThat(outcomes.get(7).isAccepted()).isFalse();
    assertThat(outcomes.get(7).problem()).contains("`task`");
    assertThat(outcomes.stream().filter(Submitted::isAccepted)).hasSize(19);

    List<Submitted> first = client.submitAll(many, LONG);
    assertThat(first).hasSize(1_001).allMatch(one -> one.status() == 201);
    assertThat(client.submitAll(many.subList(0, 3), LONG))
        .extracting(Submitted::jobId)
        .containsExactlyElementsOf(first.subList(0, 3).stream().map(Submitted::jobId).toList());
    assertThat(client.submitAll(List.of(), LONG)).isEmpty();
    assertThatThrownBy(() -> client.submit(Submission.of("dance", Map.of()), LONG))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("400");
  }
}
