package dev.stint.worker;

import dev.stint.worker.Launch.LaunchException;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One attempt at a job: its processes from the first to the last, and what to report of it. */
final class Run {
  private static final Logger log = LoggerFactory.getLogger(Run.class);

  /** How often to look at how much it has printed. */
  private static final Duration LOOK = Duration.ofMillis(500);

  /** Why it is over. */
  sealed interface Ending {
    record Exited(int code) implements Ending {}

    record TimedOut() implements Ending {}

    /** It printed more than it may, and would fill the disk. */
    record Flooded() implements Ending {}

    /** The control plane asks for a stop, and for a report of it. */
    record Cancelled(String reason) implements Ending {}

    /** It is not this worker's job any more; nobody wants a report. */
    record Abandoned() implements Ending {}

    /** The worker stops, and gives the job back. */
    record HandedBack() implements Ending {}
  }

  private final Assignment job;
  private final String workerId;
  private final LogFiles.Target stdout;
  private final LogFiles.Target stderr;
  private final long maxLogBytes;
  private final Duration killGrace;
  private final boolean isRetryFailed;
  private final CompletableFuture<Ending> told = new CompletableFuture<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private @Nullable Process process;

  Run(Assignment job, String workerId, Workshop shop) {
    this.job = job;
    this.workerId = workerId;
    this.stdout = shop.files().stdout(job.mark());
    this.stderr = shop.files().stderr(job.mark());
    this.maxLogBytes = shop.settings().maxLogBytes();
    this.killGrace = shop.settings().times().killGrace();
    this.isRetryFailed = shop.settings().isRetryFailed();
  }

  Assignment job() {
    return job;
  }

  /** Ends it, or keeps it from starting. The first reason counts. */
  void stop(Ending why) {
    told.complete(why);
  }

  /** What there is of it, for whoever ends several at once. */
  ProcessTree.Attempt attempt() {
    return new ProcessTree.Attempt(job.mark(), root());
  }

  /** Nothing of it runs any more, and nothing ever will. */
  void markOver() {
    over.countDown();
  }

  void awaitOver() throws InterruptedException {
    over.await();
  }

  /** Runs it; what to report afterwards, or null for nothing. */
  @Nullable Report execute() throws InterruptedException {
    long begin = System.nanoTime();
    try {
      Ending ending = launch() ? awaitEnding() : told.join();
      endProcesses(ending);
      long tookMs = (System.nanoTime() - begin) / 1_000_000;
      log.info("job {} is over after {} ms: {}", job.mark(), tookMs, words(ending));
      Report report = report(ending);
      return report == null ? null : report.with("metrics", Map.of("duration_ms", tookMs));
    } catch (LaunchException e) {
      log.info("job {} does not start: {}", job.mark(), e.getMessage());
      return failed(e.getMessage());
    } catch (IOException e) {
      log.warn(
          "job {} is handed back, as this machine cannot start it: {}",
          job.mark(),
          Launch.words(e));
      return report(Report.Kind.RELEASED);
    } catch (RuntimeException | Error e) { // there may be no room for another thread
      log.error("cannot see to job {}", job.mark(), e);
      destroy();
      return e instanceof Error && root() == null
          ? report(Report.Kind.RELEASED)
          : failed("the worker cannot see to it: " + e).with("retryable", true);
    }
  }

  private synchronized boolean launch() throws LaunchException, IOException {
    if (told.isDone()) {
      return false;
    }
    stdout.create();
    stderr.create();
    process = Launch.start(job, stdout, stderr);
    log.info(
        "job {} starts, attempt {}, process {}: {}",
        job.mark(),
        job.attempt(),
        process.pid(),
        job.command());
    return true;
  }

  /** All that can be found of it, also if it is not known whether it has started. */
  private void destroy() throws InterruptedException {
    ProcessHandle root = root();
    if (root != null) {
      root.destroyForcibly();
    }
    try {
      new ProcessTree(job.mark(), root).end(Duration.ZERO);
    } catch (RuntimeException e) {
      log.warn("cannot look for processes of job {}: {}", job.mark(), e.toString());
    }
  }

  private synchronized @Nullable ProcessHandle root() {
    return process == null ? null : process.toHandle();
  }

  private Ending awaitEnding() throws InterruptedException {
    CompletableFuture<Ending> exited =
        process().onExit().thenApply(ended -> new Ending.Exited(ended.exitValue()));
    CompletableFuture<Ending> first = exited.applyToEither(told, ending -> ending);
    long begin = System.nanoTime();
    long timeout =
        job.timeoutMs() > 0 ? TimeUnit.MILLISECONDS.toNanos(job.timeoutMs()) : Long.MAX_VALUE;
    while (true) {
      long left = timeout - (System.nanoTime() - begin);
      try {
        Ending ending = first.get(Math.min(left, LOOK.toNanos()), TimeUnit.NANOSECONDS);
        // Whether a fast one was caught in the act must not decide what becomes of it.
        return ending instanceof Ending.Exited && isFlooded() ? new Ending.Flooded() : ending;
      } catch (TimeoutException e) {
        if (isFlooded()) {
          return new Ending.Flooded();
        } else if (left <= LOOK.toNanos()) {
          return new Ending.TimedOut();
        }
      } catch (ExecutionException e) {
        throw new IllegalStateException(e.getCause());
      }
    }
  }

  private boolean isFlooded() {
    return stdout.bytes() + stderr.bytes() > maxLogBytes;
  }

  private Process process() {
    if (process == null) {
      throw new IllegalStateException("not started");
    }
    return process;
  }

  private void endProcesses(Ending ending) throws InterruptedException {
    Duration grace = ending instanceof Ending.Flooded ? Duration.ZERO : killGrace;
    int found = new ProcessTree(job.mark(), root()).end(grace);
    if (found > 0 && ending instanceof Ending.Exited) {
      log.info("job {} left {} processes behind, which are ended", job.mark(), found);
    }
  }

  private String words(Ending ending) {
    return switch (ending) {
      case Ending.Exited(int code) -> "exit status " + code;
      case Ending.TimedOut() -> "timed out after " + job.timeoutMs() + " ms";
      case Ending.Flooded() -> "printed more than " + maxLogBytes + " bytes (--max-log-bytes)";
      case Ending.Cancelled(String reason) -> "cancelled: " + reason;
      case Ending.Abandoned() -> "it is not this worker's any more";
      case Ending.HandedBack() -> "handed back, as the worker stops";
    };
  }

  private @Nullable Report report(Ending ending) {
    return switch (ending) {
      case Ending.Abandoned() -> {
        withOutput(report(Report.Kind.FAILED));
        yield null;
      }
      case Ending.HandedBack() -> report(Report.Kind.RELEASED);
      case Ending.Exited(int code) when code == 0 -> completed();
      case Ending.Exited(int code) -> {
        String tail = stderr.tail();
        yield withOutput(failed(words(ending) + (tail.isEmpty() ? "" : ": " + tail)))
            .with("exit_code", code);
      }
      case Ending.Flooded() -> withOutput(failed(words(ending))).with("retryable", false);
      case Ending.TimedOut(), Ending.Cancelled _ -> withOutput(failed(words(ending)));
    };
  }

  private Report completed() {
    Report report = withOutput(report(Report.Kind.COMPLETED).with("exit_code", 0));
    return report.body().containsKey("stdout_path")
        ? report
        : failed("it ended well, but what it printed cannot be kept").with("exit_code", 0);
  }

  private Report report(Report.Kind kind) {
    return Report.of(kind, workerId, job);
  }

  private Report failed(@Nullable String error) {
    return report(Report.Kind.FAILED).with("error", error).with("retryable", isRetryFailed);
  }

  /** Gives the log files their final names, and the report the fields that tell of them. */
  private Report withOutput(Report report) {
    if (root() == null) {
      return report;
    }
    try {
      String stdoutSha256 = stdout.keep();
      String stderrSha256 = stderr.keep();
      return report
          .with("artifact_id", job.mark().fileName())
          .with("stdout_path", stdout.path().toString())
          .with("stdout_tmp_path", stdout.temporary().toString())
          .with("stdout_sha256", stdoutSha256)
          .with("stderr_path", stderr.path().toString())
          .with("stderr_tmp_path", stderr.temporary().toString())
          .with("stderr_sha256", stderrSha256);
    } catch (IOException e) {
      log.warn("cannot keep what job {} printed: {}", job.mark(), e.toString());
      return report;
    }
  }
}
