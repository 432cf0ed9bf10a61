package dev.stint.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Very many leases that are kept by heartbeats, a thousand in each call, at their interval. */
final class Leases implements Scenario {
  private static final int WORKERS = 4;
  private static final int BATCH = 100;
  private static final int BEATS_IN_A_CALL = 1_000;

  /** A third of the lease's time, as the server tells its workers. */
  private static final double INTERVAL_SECONDS = 20;

  private static final double MOST_CORES = 0.5;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "leases",
            "%,d leases kept by heartbeat".formatted(setting.count()),
            "database",
            "leases",
            "beats/s",
            "call p50 ms",
            "p99 ms",
            "max ms",
            "server cores",
            "database cores");
    sheet.fact(
        "measured",
        "%.0f s, every lease each %.0f s in calls of %,d, counted from when a call was due; %d workers"
            .formatted(setting.seconds(), INTERVAL_SECONDS, BEATS_IN_A_CALL, WORKERS));
    for (Contender.Storage storage : setting.storages()) {
      try (ScenarioServers servers = ScenarioServers.on(storage)) {
        sheet.fact(storage.word(), servers.database().describe());
        measure(storage, servers, setting, sheet);
      }
    }
    return sheet.note("a lease that is lost fails the run: there was none");
  }

  private static void measure(
      Contender.Storage storage, ScenarioServers servers, Setting setting, Sheet sheet)
      throws RunFailedException {
    ServerProcess server = servers.start();
    Target target = server.target();
    String queue = JobRequests.newQueue();
    Drive.load(target, queue, "", setting.count(), setting.work());
    BatchRequests requests = new BatchRequests(target, queue, new byte[0], BATCH);
    List<List<BatchAnswer.Lease>> held = hold(target, requests, setting);
    Histogram calls = new Histogram();
    beat(target, requests, held, setting.warmUpSeconds(), new Histogram(), setting);
    Cpu ofServer = new Cpu(server.handle());
    Optional<Cpu> ofDatabase = servers.databaseCpu();
    long beats = beat(target, requests, held, setting.seconds(), calls, setting);
    double cores = ofServer.cores();
    Optional<Double> databaseCores = ofDatabase.map(Cpu::cores);
    long leases = held.stream().mapToLong(List::size).sum();
    double p99 = calls.percentile(99) / 1e6;
    sheet.row(
        storage.word(),
        leases,
        beats / setting.seconds(),
        calls.percentile(50) / 1e6,
        p99,
        calls.max() / 1e6,
        cores,
        databaseCores);
    sheet.atMost(storage.word() + ": cores of the server", MOST_CORES, Optional.of(cores));
    sheet.atMost(
        storage.word() + ": latest heartbeat in s, against its interval",
        INTERVAL_SECONDS,
        Optional.of(calls.max() / 1e9));
  }

  private static List<List<BatchAnswer.Lease>> hold(
      Target target, BatchRequests requests, Setting setting) throws RunFailedException {
    try (Loop loop = Loop.open(target, WORKERS, Drive.ANSWER_WITHIN);
        Work.Step step = setting.work().begin("claiming", setting.count())) {
      HoldScript script = new HoldScript(requests, WORKERS, step);
      loop.run(script, Drive.NO_END, _ -> {});
      return script.held();
    }
  }

  /** Keeps all leases for so long, and returns how many beats that took. */
  private static long beat(
      Target target,
      BatchRequests requests,
      List<List<BatchAnswer.Lease>> held,
      double seconds,
      Histogram calls,
      Setting setting)
      throws RunFailedException {
    long begin = System.nanoTime();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        Work.Step step = setting.work().begin("heartbeats", (long) seconds)) {
      List<Future<Long>> workers = new ArrayList<>();
      for (int i = 0; i < held.size(); i++) {
        Worker worker = new Worker(i, target, requests, held.get(i), calls);
        workers.add(threads.submit(() -> worker.beat(begin, seconds)));
      }
      for (int second = 0; second < seconds; second++) {
        PacedWorker.sleepUntil(begin + (second + 1) * 1_000_000_000L);
        step.advance(1);
      }
      long beats = 0;
      for (Future<Long> worker : workers) {
        beats += worker.get();
      }
      return beats;
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RunFailedException failed
          ? failed
          : new RunFailedException("a worker failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  /** Holds its part of the leases. */
  private record Worker(
      int number,
      Target target,
      BatchRequests requests,
      List<BatchAnswer.Lease> held,
      Histogram calls) {

    /** A lease that is not held any more fails the run. */
    long beat(long beginNanos, double seconds)
        throws IOException, InterruptedException, RunFailedException {
      int groups = (held.size() + BEATS_IN_A_CALL - 1) / BEATS_IN_A_CALL;
      if (groups == 0) {
        return 0;
      }
      double stepNanos = INTERVAL_SECONDS * 1e9 / groups;
      long beats = 0;
      try (WaitingConnection connection = new WaitingConnection(target)) {
        for (int call = 0; call * stepNanos < seconds * 1e9; call++) {
          long due = beginNanos + (long) (call * stepNanos);
          PacedWorker.sleepUntil(due);
          int from = call % groups * BEATS_IN_A_CALL;
          List<BatchAnswer.Lease> part =
              held.subList(from, Math.min(held.size(), from + BEATS_IN_A_CALL));
          Answer answer = connection.exchange("heartbeat", requests.heartbeat(number, part), 200);
          long nanos = System.nanoTime() - due;
          if (!BatchAnswer.read(answer).allHave(200, part.size())) {
            throw new RunFailedException("a lease was lost: " + answer.shown());
          }
          synchronized (calls) {
            calls.record(nanos);
          }
          beats += part.size();
        }
      }
      return beats;
    }
  }
}
