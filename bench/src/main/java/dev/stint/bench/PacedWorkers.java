package dev.stint.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * One run of the worker API at the pace of real workers: each has a token, a connection and a
 * thread of its own, and a producer submits as many tasks as they take.
 */
final class PacedWorkers {
  /** Time for all threads to start. */
  private static final Duration LEAD = Duration.ofMillis(300);

  /** Calls that are late are made all the same, but not for ever. */
  private static final Duration CATCH_UP_WITHIN = Duration.ofMinutes(1);

  private final Target target;
  private final Pace pace;
  private final Optional<ProcessHandle> server;
  private final Progress progress;
  private final Latencies latencies = new Latencies();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CompletionService<Integer> load = new ExecutorCompletionService<>(threads);
  private int running;

  /**
   * Prepares a run.
   *
   * @param target with the token of an admin
   */
  PacedWorkers(Target target, Pace pace, Optional<ProcessHandle> server, Progress progress) {
    this.target = target;
    this.pace = pace;
    this.server = server;
    this.progress = progress;
  }

  LatencyReport.Figures run() throws RunFailedException {
    String queue = JobRequests.newQueue();
    List<PacedWorker> workers = new ArrayList<>();
    try (PacedProducer producer = new PacedProducer(target, queue, pace)) {
      for (int i = 0; i < pace.workers(); i++) {
        workers.add(new PacedWorker(i, producer.enrol(i), queue, pace, latencies));
      }
      producer.submitAhead();
      LatencyReport.Figures figures = measure(producer, workers);
      for (int i = 0; i < pace.workers(); i++) {
        producer.dismiss(i);
      }
      return figures;
    } catch (IOException e) {
      throw RunFailedException.broken(target, e);
    } finally {
      workers.forEach(PacedWorker::close);
    }
  }

  private LatencyReport.Figures measure(PacedProducer producer, List<PacedWorker> workers)
      throws RunFailedException {
    running = 1 + workers.size();
    long begin = System.nanoTime() + LEAD.toNanos();
    try (threads) {
      load.submit(() -> producer.work(begin));
      workers.forEach(worker -> load.submit(() -> worker.work(begin)));
      try {
        return watch(begin);
      } finally {
        threads.shutdownNow();
      }
    }
  }

  private LatencyReport.Figures watch(long begin) throws RunFailedException {
    Probe probe = new Probe(target);
    Window window = new Window(server);
    await("warm-up", begin, 0, pace.warmUpRounds());
    Optional<Commits> before = probe.commits();
    window.add(() -> {
      await("measured", begin, pace.warmUpRounds(), pace.rounds());
      return pace.startOf(pace.measuredRounds()).toNanos();
    });
    Optional<Commits> after = probe.commits();
    awaitUntil(System.nanoTime() + CATCH_UP_WITHIN.toNanos());
    if (running > 0) {
      throw new RunFailedException("the server is too slow for this pace: calls are a minute late");
    }
    Commits commits =
        before.flatMap(first -> after.map(last -> last.minus(first))).orElse(Commits.NONE);
    return new LatencyReport.Figures(latencies, window, commits);
  }

  private void await(String phase, long begin, int fromRound, int toRound)
      throws RunFailedException {
    for (int round = fromRound; round < toRound; round++) {
      awaitUntil(begin + pace.startOf(round + 1).toNanos());
      progress.advanced(phase, pace.startOf(1).toMillis());
    }
  }

  /** Returns early when all have done their work; fails as soon as one of them has failed. */
  private void awaitUntil(long nanos) throws RunFailedException {
    try {
      while (running > 0) {
        Future<Integer> ended = load.poll(nanos - System.nanoTime(), TimeUnit.NANOSECONDS);
        if (ended == null) {
          return;
        }
        ended.get();
        running--;
      }
    } catch (ExecutionException e) {
      throw RunFailedException.of(e, lost -> RunFailedException.broken(target, lost));
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }
}
