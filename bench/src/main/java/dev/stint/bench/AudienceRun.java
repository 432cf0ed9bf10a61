package dev.stint.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One run with readers: all follow their jobs before the first report that counts is made. */
final class AudienceRun {
  private static final Duration LEAD = Duration.ofMillis(300);
  private static final Duration READY_WITHIN = Duration.ofSeconds(30);
  private static final Duration CATCH_UP_WITHIN = Duration.ofMinutes(1);

  private final Target target;
  private final Audience audience;
  private final Optional<ProcessHandle> server;
  private final Progress progress;
  private final List<FollowedJob> jobs = new ArrayList<>();
  private final List<JobReader> readers = new ArrayList<>();

  AudienceRun(Target target, Audience audience, Optional<ProcessHandle> server, Progress progress) {
    this.target = target;
    this.audience = audience;
    this.server = server;
    this.progress = progress;
  }

  AudienceReport.Figures run() throws RunFailedException {
    String queue = JobRequests.newQueue();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      try {
        for (int i = 0; i < audience.jobs(); i++) {
          jobs.add(new FollowedJob(i, target, queue, audience));
        }
        for (int i = 0; i < audience.readers(); i++) {
          readers.add(new JobReader(jobs.get(i % jobs.size()), target, audience.reports()));
        }
        return measure(threads);
      } finally {
        readers.forEach(JobReader::close);
        jobs.forEach(FollowedJob::close);
        threads.shutdownNow();
      }
    } catch (IOException e) {
      throw RunFailedException.broken(target, e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private AudienceReport.Figures measure(ExecutorService threads)
      throws RunFailedException, InterruptedException {
    CountDownLatch reading = new CountDownLatch(readers.size());
    List<Future<Integer>> load = new ArrayList<>();
    readers.forEach(reader -> load.add(threads.submit(() -> reader.read(reading))));
    if (!reading.await(READY_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new RunFailedException("not all readers were let in within 30 s");
    }
    long begin = System.nanoTime() + LEAD.toNanos();
    jobs.forEach(job -> load.add(threads.submit(() -> job.work(begin))));
    Window window = new Window(server);
    await("warm-up", begin, 0, audience.warmUpSeconds());
    window.add(() -> {
      await("measured", begin, audience.warmUpSeconds(), (int) audience.length().toSeconds());
      return Duration.ofSeconds(audience.measuredSeconds()).toNanos();
    });
    for (Future<Integer> each : load) {
      awaitEnd(each);
    }
    return figures(window);
  }

  private void await(String phase, long begin, int from, int to) throws RunFailedException {
    try {
      for (int second = from; second < to; second++) {
        PacedWorker.sleepUntil(begin + Duration.ofSeconds(second + 1).toNanos());
        progress.advanced(phase, 1_000);
      }
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private void awaitEnd(Future<Integer> each) throws RunFailedException, InterruptedException {
    try {
      each.get(CATCH_UP_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      throw new RunFailedException("the readers are more than a minute late", e);
    } catch (ExecutionException e) {
      throw RunFailedException.of(e, lost -> RunFailedException.broken(target, lost));
    }
  }

  private AudienceReport.Figures figures(Window window) {
    Histogram sinceSent = new Histogram();
    Histogram sinceAnswer = new Histogram();
    for (JobReader reader : readers) {
      for (int i = 0; i < audience.reports(); i++) {
        if (audience.counts(i)) {
          sinceSent.record(reader.receivedNanos(i) - reader.job().sentNanos(i));
          sinceAnswer.record(reader.receivedNanos(i) - reader.job().answeredNanos(i));
        }
      }
    }
    return new AudienceReport.Figures(sinceSent, sinceAnswer, window);
  }
}
