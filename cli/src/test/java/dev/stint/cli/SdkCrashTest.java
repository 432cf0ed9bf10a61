package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.JobView;
import dev.stint.client.sdk.StintClient;
import dev.stint.client.sdk.StintWorker;
import dev.stint.client.sdk.Submission;
import dev.stint.client.sdk.Submitted;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Workers of the Java SDK while their server is killed and comes back. */
@Timeout(180)
class SdkCrashTest {
  private static final Duration LONG = Duration.ofSeconds(90);

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private int port;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private StintProcess server;

  @BeforeEach
  void start() throws Exception {
    port = StintProcess.freePort();
    server =
        StintProcess.logging(
            folder.resolve("server.log"),
            Map.of("STINT_LEASE_TTL_SECONDS", "3"),
            "server",
            "--addr",
            "127.0.0.1:" + port);
  }

  private String url() {
    return "http://127.0.0.1:" + port;
  }

  @Test
  void allJobsEndWellThoughTheServerIsKilledTwice() throws Exception {
    StintClient client = StintClient.to(url(), null);
    List<Submission> jobs =
        IntStream.range(0, 600)
            .mapToObj(i -> Submission.of("chat", Map.of("n", i)).maxAttempts(20))
            .toList();
    Map<String, Long> fences = new ConcurrentHashMap<>();
    AtomicInteger done = new AtomicInteger();
    List<Submitted> submitted = client.submitAll(jobs, LONG);
    try (StintWorker _ = worker("a", fences, done).start();
        StintWorker _ = worker("b", fences, done).start()) {
      for (int kills = 1; kills <= 2; kills++) {
        int before = done.get();
        Fleet.await(() -> done.get() > before + 50);
        server.kill();
        server.startAgain();
      }
      for (Submitted one : submitted) {
        JobView job = client.await(Objects.requireNonNull(one.jobId()), LONG).orElseThrow();
        assertThat(job.status()).as(job.toString()).isEqualTo("done");
        // What counted is the result of the attempt that held the job last.
        assertThat(job.result()).isEqualTo(fences.get(job.id()));
      }
    }
  }

  private StintWorker.Builder worker(String name, Map<String, Long> fences, AtomicInteger done) {
    return StintWorker.to(url())
        .workerId(name)
        .slots(8)
        .handle(job -> {
          Thread.sleep(10);
          fences.merge(job.id(), job.fence(), Math::max);
          done.incrementAndGet();
          return job.fence();
        });
  }

  @Test
  void whoWaitsForAJobDoesSoThroughRestartsOfTheServer() throws Exception {
    StintClient client = StintClient.to(url(), null);
    String id = client.submit(Submission.of("chat", Map.of()), LONG);
    FutureTask<JobView> waiting = new FutureTask<>(() -> client.await(id, LONG).orElseThrow());
    Thread.startVirtualThread(waiting);
    for (int restarts = 0; restarts < 2; restarts++) {
      // It may be before, in or between its calls.
      Thread.sleep(1_500);
      server.kill();
      assertThat(waiting.isDone()).isFalse();
      server.startAgain();
    }
    try (StintWorker _ = StintWorker.to(url()).handle(job -> "at last").start()) {
      assertThat(waiting.get().result()).isEqualTo("at last");
    }
  }

  @Test
  void aLeaseThatRanOutWhileTheServerWasAwayIsDroppedAndTheOtherWorkersResultCounts()
      throws Exception {
    StintClient client = StintClient.to(url(), null);
    CountDownLatch held = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    String id = client.submit(Submission.of("chat", Map.of()), LONG);
    StintWorker first =
        StintWorker.to(url())
            .workerId("first")
            .handle(job -> {
              if (job.attempt() > 1) {
                return "again by " + job.attempt();
              }
              held.countDown();
              return untilInterrupted(job, interrupted);
            })
            .start();
    try (first) {
      held.await();
      server.kill();
      Thread.sleep(3_500);
      server.startAgain();

      assertThat(interrupted.await(60, TimeUnit.SECONDS)).isTrue();
      assertThat(client.await(id, LONG).orElseThrow().result()).isEqualTo("again by 2");
    }
  }

  private static String untilInterrupted(Job job, CountDownLatch interrupted) {
    try {
      Thread.sleep(120_000);
    } catch (InterruptedException e) {
      assertThat(job.isUnwanted()).isTrue();
      interrupted.countDown();
    }
    return "too late";
  }
}
