package dev.stint.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** How soon what native workers write into Redis is seen over HTTP. */
final class NativeJobs implements Scenario {
  private static final long ROUND_NANOS = 1_000_000_000L;
  private static final double MOST_MS = 250;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "natives",
            "%,d native workers".formatted(setting.count()),
            "database",
            "seen",
            "jobs",
            "p50 ms",
            "p99 ms",
            "max ms");
    sheet.fact(
        "measured",
        "a job a second of each worker for %d s after %d s; from when the worker begins to write, or has its job, until somebody who follows the job, or reads it, sees it"
            .formatted(rounds(setting.seconds()), (int) setting.warmUpSeconds()));
    for (Contender.Storage storage : setting.storages()) {
      measure(setting, storage, sheet);
    }
    return sheet.note(
        "every job was seen to run, to tell one word, and to be done, in this order; when its end was in its events, it was also there for who read the job");
  }

  private static void measure(Setting setting, Contender.Storage storage, Sheet sheet)
      throws RunFailedException {
    try (RedisProcess redis = RedisProcess.startInMemory(PeerCache.ofUser());
        ScenarioServers servers = ScenarioServers.on(storage)) {
      sheet.fact(storage.word(), servers.database().describe());
      Target target = servers.startWithRedis("redis://127.0.0.1:" + redis.port()).target();
      NativeSights sights = work(setting, target, redis.port());
      for (NativeSights.Sight sight : NativeSights.Sight.values()) {
        Histogram times = sights.of(sight);
        sheet.row(
            storage.word(),
            sight.words(),
            times.count(),
            times.percentile(50) / 1e6,
            times.percentile(99) / 1e6,
            times.max() / 1e6);
      }
      sheet.atMost(
          storage.word() + ": until the slowest of these is seen, p99 in ms",
          MOST_MS,
          Optional.of(sights.p99Ms()));
    }
  }

  private static NativeSights work(Setting setting, Target target, int redisPort)
      throws RunFailedException {
    String queue = JobRequests.newQueue();
    List<NativeWorker> workers = new ArrayList<>();
    try {
      NativeWorker.makeGroup(redisPort, queue);
      for (int i = 0; i < setting.count(); i++) {
        workers.add(new NativeWorker(i, target, redisPort, queue));
      }
      int warmUpRounds = (int) setting.warmUpSeconds();
      run(setting.work(), "warm-up", workers, warmUpRounds, new NativeSights());
      NativeSights sights = new NativeSights();
      run(setting.work(), "measured", workers, rounds(setting.seconds()), sights);
      return sights;
    } catch (IOException e) {
      throw failed(e);
    } finally {
      workers.forEach(NativeWorker::close);
    }
  }

  private static int rounds(double seconds) {
    return Math.max(1, (int) seconds);
  }

  /** All workers do a job a second, and lie evenly in the second. */
  private static void run(
      Work work, String phase, List<NativeWorker> workers, int rounds, NativeSights sights)
      throws RunFailedException {
    long begin = System.nanoTime();
    try (Work.Step step = work.begin(phase, (long) workers.size() * rounds);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CompletionService<Integer> load = new ExecutorCompletionService<>(threads);
      for (int i = 0; i < workers.size(); i++) {
        NativeWorker worker = workers.get(i);
        long first = begin + i * ROUND_NANOS / workers.size();
        load.submit(() -> {
          for (int round = 0; round < rounds; round++) {
            PacedWorker.sleepUntil(first + round * ROUND_NANOS);
            worker.work(sights);
            step.advance(1);
          }
          return rounds;
        });
      }
      try {
        for (int ended = 0; ended < workers.size(); ended++) {
          load.take().get();
        }
      } finally {
        threads.shutdownNow();
      }
    } catch (ExecutionException e) {
      throw RunFailedException.of(e, NativeJobs::failed);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private static RunFailedException failed(IOException e) {
    return new RunFailedException("a native worker failed: " + e.getMessage(), e);
  }
}
