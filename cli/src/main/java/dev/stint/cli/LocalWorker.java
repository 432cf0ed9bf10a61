package dev.stint.cli;

import dev.stint.worker.Daemon;
import dev.stint.worker.StateInUseException;
import dev.stint.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A worker in this process, with its logs and its state in one folder. */
final class LocalWorker {
  private static final WorkerSettings.Times TIMES =
      new WorkerSettings.Times(
          Duration.ofSeconds(3),
          Duration.ofSeconds(5),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10));

  private final Daemon daemon;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  private LocalWorker(Daemon daemon) {
    this.daemon = daemon;
  }

  static LocalWorker start(String url, String token, int slots, Path folder) {
    LocalWorker worker =
        new LocalWorker(
            new Daemon(
                new WorkerSettings(
                    url,
                    null,
                    token,
                    null,
                    List.of(),
                    "commands",
                    slots,
                    folder.resolve("worker-logs"),
                    folder.resolve("worker-state.json"),
                    WorkerSettings.USUAL_MAX_LOG_BYTES,
                    TIMES,
                    false,
                    false)));
    Thread.ofPlatform().name("worker").daemon().start(worker::work);
    return worker;
  }

  private void work() {
    try {
      end.complete(daemon.run());
    } catch (InterruptedException | RuntimeException | Error e) {
      end.completeExceptionally(e);
    }
  }

  /**
   * Returns when it has ended.
   *
   * @return whether the control plane took it
   * @throws StateInUseException if another worker has the state file
   */
  boolean awaitEnd() {
    try {
      return end.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof StateInUseException inUse ? inUse : e;
    }
  }

  /** Takes no more jobs, lets those that run end in their time, and ends. */
  void drain() {
    daemon.drain();
  }

  /** Ends all processes of all jobs this moment. */
  void killAll() {
    daemon.killAll();
  }
}
