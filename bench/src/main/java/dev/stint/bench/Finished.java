package dev.stint.bench;

import java.time.Duration;
import java.util.Optional;

/**
 * What is left of the throughput when millions of jobs have finished, and while retention takes
 * them away again: jobs are finished in batches with a TTL that ends when enough of them are there,
 * so that from then on as many go as come.
 */
final class Finished implements Scenario {
  private static final int BATCH = 100;
  private static final int BATCH_CONNECTIONS = 4;
  private static final int SINGLE_CONNECTIONS = 64;
  private static final double LEAST_SHARE = 0.8;
  private static final double TTL_SLACK = 1.15;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "finished",
            "Throughput after many jobs have finished",
            "database",
            "how",
            "finished before",
            "jobs/s",
            "÷ empty",
            "removed/s meanwhile");
    sheet.fact("measured", "%.1f s each".formatted(setting.seconds()));
    for (Contender.Storage storage : setting.storages()) {
      try (ScenarioServers servers = ScenarioServers.on(storage)) {
        sheet.fact(storage.word(), servers.database().describe());
        new Run(servers.start().target(), setting).measure(storage, sheet);
      }
    }
    sheet.note(
        "single calls are measured before the first job's TTL is over, batches after it, while retention removes as many jobs as are finished");
    return sheet.chart("÷ empty", false, "database", "how", "finished before");
  }

  /** One server's life. */
  private static final class Run {
    private final Target target;
    private final Probe probe;
    private final Setting setting;
    private final Duration slice;
    private long finished;

    Run(Target target, Setting setting) {
      this.target = target;
      this.setting = setting;
      probe = new Probe(target);
      slice = Drive.seconds(setting.seconds());
    }

    void measure(Contender.Storage storage, Sheet sheet) throws RunFailedException {
      Duration warmUp = Drive.seconds(setting.warmUpSeconds());
      batches(warmUp, Long.MAX_VALUE, 3_600, "warm-up");
      singles(warmUp);
      double emptySingles = singles(slice);
      double emptyBatches = batches(slice, Long.MAX_VALUE, 3_600, "empty");
      if (emptySingles == 0 || emptyBatches == 0) {
        throw new RunFailedException("nothing was done in so short a time; give --seconds more");
      }
      sheet.row(storage.word(), "single calls", finished, emptySingles, 1.0, 0.0);
      sheet.row(storage.word(), "batches", finished, emptyBatches, 1.0, 0.0);

      double loadSeconds = setting.count() / emptyBatches * TTL_SLACK;
      int ttl = (int) Math.ceil(loadSeconds + 2 * setting.seconds() + 2);
      long firstExpiry = System.nanoTime() + Duration.ofSeconds(ttl).toNanos();
      batches(Drive.NO_END, setting.count(), ttl, "finishing %,d jobs".formatted(setting.count()));
      boolean isEarly = System.nanoTime() + slice.toNanos() < firstExpiry;
      long before = finished;
      double fullSingles = singles(slice);
      sheet.row(
          storage.word(),
          "single calls",
          before,
          fullSingles,
          fullSingles / emptySingles,
          isEarly ? Optional.of(0.0) : Optional.empty());
      while (System.nanoTime() < firstExpiry) {
        batches(Duration.ofSeconds(1), Long.MAX_VALUE, ttl, "until the first TTL is over");
      }
      batches(Duration.ofSeconds(3), Long.MAX_VALUE, ttl, "retention at work");
      double removedBefore = removed();
      long begin = System.nanoTime();
      before = finished - (long) removedBefore;
      double fullBatches = batches(slice, Long.MAX_VALUE, ttl, "with retention");
      double removedPerSecond = (removed() - removedBefore) * 1e9 / (System.nanoTime() - begin);
      sheet.row(
          storage.word(),
          "batches, retention at work",
          before,
          fullBatches,
          fullBatches / emptyBatches,
          removedPerSecond);
      sheet.atLeast(
          storage.word() + ": single calls, full ÷ empty",
          LEAST_SHARE,
          Optional.of(fullSingles / emptySingles));
      sheet.atLeast(
          storage.word() + ": batches with retention, full ÷ empty",
          LEAST_SHARE,
          Optional.of(fullBatches / emptyBatches));
    }

    private double removed() {
      return probe.metric("stint_jobs_removed_total").orElse(0.0);
    }

    /** Finishes jobs for so long, or so many, and returns how many in a second. */
    private double batches(Duration length, long jobs, int ttlSeconds, String what)
        throws RunFailedException {
      String queue = JobRequests.newQueue();
      byte[] job = JobRequests.submitBody(queue, Drive.PAYLOAD_BYTES, ",\"ttl_s\":" + ttlSeconds);
      BatchRequests requests = new BatchRequests(target, queue, job, BATCH);
      JobBook book = new JobBook();
      BatchScript script =
          new BatchScript(requests, BATCH, BATCH_CONNECTIONS, new Tally(), book, jobs);
      boolean byTime = jobs == Long.MAX_VALUE;
      long steps = byTime ? length.toMillis() : jobs;
      long[] shown = {0};
      try (Loop loop = Loop.open(target, BATCH_CONNECTIONS, Drive.ANSWER_WITHIN);
          Work.Step step = setting.work().begin(what, steps)) {
        loop.run(
            script,
            length,
            elapsedNanos -> {
              long now = byTime ? elapsedNanos / 1_000_000 : script.completed();
              step.advance(now - shown[0]);
              shown[0] = now;
            });
      }
      book.verify();
      finished += book.jobs();
      return script.completed() * 1e9 / length.toNanos();
    }

    private double singles(Duration length) throws RunFailedException {
      String queue = JobRequests.newQueue();
      byte[] job = JobRequests.submitBody(queue, Drive.PAYLOAD_BYTES);
      JobRequests requests = new JobRequests(target, queue, job, SINGLE_CONNECTIONS);
      Tally tally = new Tally();
      JobBook book = new JobBook();
      try (Loop loop = Loop.open(target, SINGLE_CONNECTIONS, Drive.ANSWER_WITHIN)) {
        loop.run(new LifecycleScript(requests, SINGLE_CONNECTIONS, tally, book), length, _ -> {});
      }
      book.verify();
      finished += book.jobs();
      return tally.of(Call.COMPLETE).count() * 1e9 / length.toNanos();
    }
  }
}
