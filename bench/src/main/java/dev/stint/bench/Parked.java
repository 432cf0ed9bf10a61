package dev.stint.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Thousands of claims that wait: what they cost while nothing happens, and how soon one of them has
 * a job that is submitted.
 */
final class Parked implements Scenario {
  private static final int WAIT_MS = 60_000;
  private static final int SUBMITS_PER_SECOND = 100;
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(90);
  private static final Duration PARKED_WITHIN = Duration.ofSeconds(45);
  private static final double MOST_RSS_MB = 600;
  private static final double MOST_IDLE_CORES = 0.02;
  private static final double MOST_DELIVERY_MS = 25;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "parked",
            "%,d parked claims".formatted(setting.count()),
            "database",
            "RSS MB",
            "idle cores",
            "jobs",
            "delivery p50 ms",
            "p99 ms",
            "max ms",
            "cores meanwhile");
    sheet.fact(
        "measured",
        "idle for %.1f s; then %d submits a second for %.1f s, each counted from when it was due until a parked claim has the job"
            .formatted(setting.seconds() / 2, SUBMITS_PER_SECOND, setting.seconds()));
    for (Contender.Storage storage : setting.storages()) {
      try (ScenarioServers servers = ScenarioServers.on(storage)) {
        sheet.fact(storage.word(), servers.database().describe());
        measure(storage, servers.start(), setting, sheet);
      }
    }
    sheet.chart("p99 ms", false, "database");
    return sheet.note(
        "a claim waits 60 s and is then made again by its worker; the idle time lies before that");
  }

  private static void measure(
      Contender.Storage storage, ServerProcess server, Setting setting, Sheet sheet)
      throws RunFailedException {
    Target target = server.target();
    String queue = JobRequests.newQueue();
    int jobs = (int) (SUBMITS_PER_SECOND * (setting.warmUpSeconds() + setting.seconds()));
    JobRequests requests =
        new JobRequests(target, queue, JobRequests.submitBody(queue, 0), setting.count(), WAIT_MS);
    ParkedScript script = new ParkedScript(requests, setting.count(), jobs);
    try (Loop loop = Loop.open(target, setting.count(), ANSWER_WITHIN)) {
      AtomicReference<Double> idle = new AtomicReference<>(0.0);
      AtomicReference<Double> busy = new AtomicReference<>(0.0);
      CompletableFuture<Histogram> submits =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  awaitParked(target, setting.count());
                  Cpu idling = new Cpu(server.handle());
                  Drive.sleep(Drive.seconds(setting.seconds() / 2));
                  idle.set(idling.cores());
                  Cpu working = new Cpu(server.handle());
                  Histogram deliveries = submit(target, queue, jobs, script, setting);
                  busy.set(working.cores());
                  return deliveries;
                } catch (RunFailedException e) {
                  throw new CompletionException(e);
                } finally {
                  script.end();
                }
              },
              Thread::startVirtualThread);
      loop.run(script, Drive.NO_END, _ -> {});
      report(storage, server, submits.join(), idle.get(), busy.get(), sheet);
    } catch (CompletionException e) {
      throw e.getCause() instanceof RunFailedException failed
          ? failed
          : new RunFailedException("parked: " + e.getCause(), e);
    }
  }

  private static void report(
      Contender.Storage storage,
      ServerProcess server,
      Histogram deliveries,
      double idleCores,
      double busyCores,
      Sheet sheet) {
    Optional<Double> rss = server.figures().rssKb().map(kb -> kb / 1024.0);
    double p99 = deliveries.percentile(99) / 1e6;
    sheet.row(
        storage.word(),
        rss,
        idleCores,
        deliveries.count(),
        deliveries.percentile(50) / 1e6,
        p99,
        deliveries.max() / 1e6,
        busyCores);
    sheet.atMost(storage.word() + ": RSS in MB", MOST_RSS_MB, rss);
    sheet.atMost(storage.word() + ": idle cores", MOST_IDLE_CORES, Optional.of(idleCores));
    sheet.atMost(
        storage.word() + ": submit to delivery, p99 in ms", MOST_DELIVERY_MS, Optional.of(p99));
  }

  private static void awaitParked(Target target, int claims) throws RunFailedException {
    Probe probe = new Probe(target);
    long end = System.nanoTime() + PARKED_WITHIN.toNanos();
    while (probe.metric("stint_claims_parked").orElse(0.0) < claims) {
      if (System.nanoTime() > end) {
        throw new RunFailedException(
            "only %.0f of %d claims are parked after %d s"
                .formatted(
                    probe.metric("stint_claims_parked").orElse(0.0),
                    claims,
                    PARKED_WITHIN.toSeconds()));
      }
      Drive.sleep(Duration.ofMillis(200));
    }
    Drive.sleep(Duration.ofSeconds(1));
  }

  /** Submits at a fixed pace and returns how long those took that count. */
  private static Histogram submit(
      Target target, String queue, int jobs, ParkedScript script, Setting setting)
      throws RunFailedException {
    long[] due = new long[jobs];
    int counted = (int) (SUBMITS_PER_SECOND * setting.seconds());
    try (WaitingConnection connection = new WaitingConnection(target);
        Work.Step step = setting.work().begin("submits", jobs)) {
      long begin = System.nanoTime();
      for (int i = 0; i < jobs; i++) {
        due[i] = begin + i * (1_000_000_000L / SUBMITS_PER_SECOND);
        PacedWorker.sleepUntil(due[i]);
        String job =
            "{\"task\":\"tool\",\"queue\":\"%s\",\"payload\":{\"n\":%d}}".formatted(queue, i);
        byte[] body = job.getBytes(StandardCharsets.US_ASCII);
        connection.exchange("submit", target.post("/v1/jobs", body), 201);
        step.advance(1);
      }
      for (int waited = 0; script.deliveries() < jobs; waited++) {
        if (waited > 1_000) {
          throw new RunFailedException(
              "%d of %d jobs were given out".formatted(script.deliveries(), jobs));
        }
        Drive.sleep(Duration.ofMillis(10));
      }
    } catch (IOException e) {
      throw new RunFailedException("a submit failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
    Histogram deliveries = new Histogram();
    for (int i = jobs - counted; i < jobs; i++) {
      deliveries.record(script.receivedNanos(i) - due[i]);
    }
    return deliveries;
  }
}
