package dev.stint.bench;

import java.time.Duration;
import java.util.Optional;

/**
 * One run: warm-up, then echo and lifecycle in turns. On a shared machine a noisy neighbour comes
 * and goes; the slices lie so that both kinds have the same mean time, and a drift hits both alike.
 */
final class Measurement {
  /** Warm-up goes mostly to the lifecycle, which has more code to compile. */
  private static final int WARM_UP_LIFECYCLE_QUARTERS = 3;

  private final Target target;
  private final Plan plan;
  private final Optional<ProcessHandle> server;
  private final Progress progress;
  private final Probe probe;
  private final JobBook book = new JobBook();
  private final JobRequests requests;
  private final byte[] body;
  private Commits commits = Commits.NONE;

  Measurement(Target target, Plan plan, Optional<ProcessHandle> server, Progress progress) {
    this.target = target;
    this.plan = plan;
    this.server = server;
    this.progress = progress;
    probe = new Probe(target);
    String queue = JobRequests.newQueue();
    body = JobRequests.submitBody(queue, plan.payloadBytes());
    requests = new JobRequests(target, queue, body, plan.connections());
  }

  Figures run() throws RunFailedException {
    boolean hasEcho = probe.echoes(body);
    Tally tally = new Tally();
    Window lifecycle = new Window(server);
    Window echo = new Window(server);
    try (Loop loop = Loop.open(target, plan.connections(), plan.answerWithin())) {
      warmUp(loop, hasEcho);
      echo(loop, echo, tally, hasEcho, 1);
      lifecycle(loop, lifecycle, tally);
      echo(loop, echo, tally, hasEcho, 2);
      lifecycle(loop, lifecycle, tally);
      echo(loop, echo, tally, hasEcho, 1);
    }
    book.verify();
    return new Figures(
        plan.connections(),
        book.jobs(),
        tally,
        lifecycle,
        hasEcho ? Optional.of(echo) : Optional.empty(),
        commits);
  }

  /** How long {@link #run} will measure, for a progress bar. */
  static Duration length(Plan plan) {
    return plan.warmUp().plus(plan.each()).plus(plan.each());
  }

  private void warmUp(Loop loop, boolean hasEcho) throws RunFailedException {
    Tally ignored = new Tally();
    Duration lifecycle = plan.warmUp().multipliedBy(WARM_UP_LIFECYCLE_QUARTERS).dividedBy(4);
    if (hasEcho) {
      run(loop, new EchoScript(target, body, ignored), plan.warmUp().minus(lifecycle), "warm-up");
    }
    run(loop, lifecycleScript(ignored), lifecycle, "warm-up");
  }

  private void echo(Loop loop, Window window, Tally tally, boolean hasEcho, int quarters)
      throws RunFailedException {
    if (hasEcho) {
      Duration slice = plan.each().multipliedBy(quarters).dividedBy(4);
      window.add(() -> run(loop, new EchoScript(target, body, tally), slice, "echo"));
    }
  }

  /** One of two slices, with the server's commits counted around it. */
  private void lifecycle(Loop loop, Window window, Tally tally) throws RunFailedException {
    Optional<Commits> before = probe.commits();
    window.add(() -> run(loop, lifecycleScript(tally), plan.each().dividedBy(2), "lifecycle"));
    Optional<Commits> after = probe.commits();
    if (before.isPresent() && after.isPresent()) {
      commits = commits.plus(after.get().minus(before.get()));
    }
  }

  private LifecycleScript lifecycleScript(Tally tally) {
    return new LifecycleScript(requests, plan.connections(), tally, book);
  }

  private long run(Loop loop, Script script, Duration window, String phase)
      throws RunFailedException {
    long[] measured = {0};
    Progress.timed(
        progress, phase, window, onTick -> measured[0] = loop.run(script, window, onTick));
    return measured[0];
  }
}
