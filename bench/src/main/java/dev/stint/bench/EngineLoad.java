package dev.stint.bench;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobIds;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/**
 * The batch lifecycle given to an engine in this process: the same commands as by HTTP, from as
 * many threads as there would be connections.
 */
final class EngineLoad {
  private static final Command.Claim.Terms TERMS =
      new Command.Claim.Terms(60_000, 20_000, 60_000, 120_000);

  private final String queue;
  private final String payload;
  private final int batch;
  private final int threads;

  EngineLoad(String queue, String payload, int batch, int threads) {
    this.queue = queue;
    this.payload = payload;
    this.batch = batch;
    this.threads = threads;
  }

  /**
   * Jobs that went through their whole life.
   *
   * @param nanos until the last of them was durable
   */
  record Done(long jobs, long nanos) {
    double perSecond() {
      return jobs * 1e9 / nanos;
    }
  }

  Done run(Store store, Duration length) throws RunFailedException {
    long begin = System.nanoTime();
    long jobs = 0;
    try (Engine engine = Engine.start(store, EngineSettings.DEFAULT, Observer.NONE);
        ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Future<Long>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        String worker = "bench-worker-" + i;
        all.add(executor.submit(() -> live(engine, worker, begin + length.toNanos())));
      }
      for (Future<Long> each : all) {
        jobs += each.get();
      }
      return new Done(jobs, System.nanoTime() - begin);
    } catch (ExecutionException e) {
      throw new RunFailedException("the engine failed: " + e.getCause(), e);
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private long live(Engine engine, String worker, long endNanos) {
    long jobs = 0;
    List<Outcome.Claimed> held = List.of();
    while (System.nanoTime() < endNanos || !held.isEmpty()) {
      if (System.nanoTime() < endNanos) {
        for (Supplier<Outcome.OfSubmit> each : engine.executeAll(submits(), null)) {
          require(each.get() instanceof Outcome.Submitted, each);
        }
      }
      List<Supplier<Outcome.OfReport>> settled =
          engine.executeAll(held.stream().map(each -> completion(worker, each)).toList(), null);
      List<Supplier<Outcome.OfClaim>> claims =
          engine.executeAll(Collections.nCopies(batch, claim(worker)), null);
      for (Supplier<Outcome.OfReport> each : settled) {
        require(each.get() instanceof Outcome.Settled, each);
        jobs++;
      }
      held =
          claims.stream()
              .map(Supplier::get)
              .filter(Outcome.Claimed.class::isInstance)
              .map(Outcome.Claimed.class::cast)
              .toList();
    }
    return jobs;
  }

  private static void require(boolean isRight, Supplier<? extends Outcome> outcome) {
    if (!isRight) {
      throw new IllegalStateException("a command was refused: " + outcome.get());
    }
  }

  private List<Command.Submit> submits() {
    List<Command.Submit> submits = new ArrayList<>(batch);
    for (int i = 0; i < batch; i++) {
      submits.add(
          new Command.Submit(
              JobIds.next(),
              new Command.Submit.Draft(
                  queue,
                  Needs.NOTHING,
                  0,
                  0,
                  Times.NEVER,
                  3_600_000,
                  RetryPolicy.attempts(3),
                  LeasePolicy.OF_THE_CLAIMER),
              new JobContent("gateway", "tool", payload, null, Scope.NONE, null),
              null,
              Long.MAX_VALUE));
    }
    return submits;
  }

  private Command.Claim claim(String worker) {
    return new Command.Claim(worker, List.of(queue), Skills.NONE, false, null, TERMS);
  }

  private static Command.Complete completion(String worker, Outcome.Claimed claimed) {
    Proof proof =
        new Proof(worker, claimed.lease().attemptId(), claimed.lease().token(), null, null);
    return new Command.Complete(claimed.job().id(), proof, "{\"ok\":true}", null);
  }
}
