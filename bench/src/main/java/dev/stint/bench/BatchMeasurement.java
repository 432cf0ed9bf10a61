package dev.stint.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;

/** One run with batches: over HTTP and without it in turns, after a warm-up of both. */
final class BatchMeasurement {
  private static final int SLICES = 4;

  private final Target target;
  private final Plan plan;
  private final int batch;
  private final Optional<BareStore> bare;
  private final Window window;
  private final Progress progress;
  private final Tally tally = new Tally();
  private final JobBook book = new JobBook();
  private final BatchRequests requests;
  private long completed;

  /**
   * What to measure.
   *
   * @param bare empty where only HTTP is to be measured
   */
  BatchMeasurement(
      Target target,
      Plan plan,
      int batch,
      Optional<BareStore> bare,
      Optional<ProcessHandle> server,
      Progress progress) {
    this.target = target;
    this.plan = plan;
    this.batch = batch;
    this.bare = bare;
    this.progress = progress;
    window = new Window(server);
    String queue = JobRequests.newQueue();
    byte[] job = JobRequests.submitBody(queue, plan.payloadBytes());
    requests = new BatchRequests(target, queue, job, batch);
  }

  /**
   * What came of it.
   *
   * @param engine the engine alone on SQLite, jobs/s
   * @param store the store alone, jobs/s
   */
  record Figures(
      int connections,
      int jobs,
      double jobsPerSecond,
      Tally tally,
      Window window,
      Optional<Double> engine,
      Optional<Double> store) {
    Optional<Double> ratio() {
      return store.map(rate -> jobsPerSecond / rate);
    }
  }

  /** How long {@link #run} takes about, for a progress bar. */
  static Duration length(Plan plan) {
    return plan.warmUp().plus(plan.each());
  }

  Figures run() throws RunFailedException {
    List<BareStore.Slice> slices = new ArrayList<>();
    Duration slice = plan.each().dividedBy(SLICES);
    try (Loop loop = Loop.open(target, plan.connections(), plan.answerWithin())) {
      Progress.timed(
          progress,
          "warm-up",
          plan.warmUp(),
          onTick -> {
            loop.run(script(new Tally()), plan.warmUp(), onTick);
          });
      if (bare.isPresent()) {
        bare.get().run(plan.warmUp().dividedBy(2));
      }
      for (int i = 0; i < SLICES; i++) {
        if (bare.isPresent()) {
          slices.add(bare.get().run(slice.dividedBy(2)));
        }
        Progress.timed(progress, "batches", slice, onTick -> measure(loop, slice, onTick));
      }
    }
    book.verify();
    return new Figures(
        plan.connections(),
        book.jobs(),
        window.perSecond(completed),
        tally,
        window,
        rate(slices.stream().map(BareStore.Slice::engine).toList()),
        rate(slices.stream().map(BareStore.Slice::store).toList()));
  }

  private void measure(Loop loop, Duration slice, LongConsumer onTick) throws RunFailedException {
    BatchScript script = script(tally);
    window.add(() -> loop.run(script, slice, onTick));
    completed += script.completed();
  }

  private BatchScript script(Tally tally) {
    return new BatchScript(requests, batch, plan.connections(), tally, book);
  }

  private static Optional<Double> rate(List<EngineLoad.Done> slices) {
    if (slices.isEmpty()) {
      return Optional.empty();
    }
    long jobs = slices.stream().mapToLong(EngineLoad.Done::jobs).sum();
    long nanos = slices.stream().mapToLong(EngineLoad.Done::nanos).sum();
    return Optional.of(new EngineLoad.Done(jobs, nanos).perSecond());
  }
}
