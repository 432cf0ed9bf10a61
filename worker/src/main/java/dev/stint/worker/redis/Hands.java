package dev.stint.worker.redis;

import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.sdk.Failure;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The jobs that a native worker has in hand: runs the handler for each, and tells how it went. */
final class Hands {
  private static final Logger log = LoggerFactory.getLogger(Hands.class);

  private final int slots;
  private final Handler handler;
  private final JobKeys keys;
  private final Consumer<RedisWorker.Ended> onEnd;
  private final Map<String, RedisJob> byMessage = new LinkedHashMap<>();
  private final ExecutorService threads;
  private boolean isClosing;

  Hands(
      int slots,
      Handler handler,
      JobKeys keys,
      Consumer<RedisWorker.Ended> onEnd,
      ThreadFactory threads) {
    this.slots = slots;
    this.handler = handler;
    this.keys = keys;
    this.onEnd = onEnd;
    this.threads = Executors.newCachedThreadPool(threads);
  }

  /** Waits for free slots; 0 once it is closed. */
  synchronized int awaitFree() throws InterruptedException {
    while (byMessage.size() >= slots && !isClosing) {
      wait();
    }
    return isClosing ? 0 : slots - byMessage.size();
  }

  /** Begins with a job, unless it is in hand already. */
  synchronized void take(RedisJob job) {
    if (byMessage.putIfAbsent(job.messageId(), job) == null) {
      try {
        threads.execute(() -> run(job));
      } catch (RejectedExecutionException | Error e) { // there may be no room for another thread
        log.error("{} cannot be begun and stays pending", job, e);
        letGo(job);
      }
    }
  }

  private void run(RedisJob job) {
    long begin = System.nanoTime();
    try {
      if (keys.begin(job)) {
        Outcome outcome = handled(job);
        if (outcome != null && keys.end(job, outcome.status(), outcome.result(), outcome.error())) {
          long tookMs = (System.nanoTime() - begin) / 1_000_000;
          onEnd.accept(
              new RedisWorker.Ended(
                  job.id(), outcome.status(), outcome.result(), outcome.error(), tookMs));
        } else if (outcome != null) {
          log.info("{} is not this worker's any more; its result is dropped", job);
        }
      }
    } catch (IOException e) {
      log.warn("{} stays pending: {}", job, e.getMessage());
    } catch (InterruptedException e) {
      log.debug("{} stays pending", job);
    } finally {
      letGo(job);
    }
  }

  /** What goes into the hash: JSON, or empty. */
  private record Outcome(String status, String result, String error) {
    static Outcome failed(String status, Failure failure) {
      return new Outcome(status, "", Json.write(failure.toJson()));
    }
  }

  /** Null if nothing is to be told: then the message stays pending, for whoever takes it up. */
  private @Nullable Outcome handled(RedisJob job) {
    job.work().begin();
    try {
      Object result = handler.handle(job);
      return new Outcome(
          "done",
          Json.write(result instanceof Json.Text text ? Json.Text.checked(text.json()) : result),
          "");
    } catch (Throwable e) { // an Error is the end of this job, and not of the worker
      Work.Stop stop = job.work().stopped();
      Failure failure = Failure.of(e, stop);
      return switch (stop) {
        case Work.Stop.Closing() -> null;
        case Work.Stop.Cancelled _ -> Outcome.failed("canceled", failure);
        case Work.Stop.Lost() -> Outcome.failed("error", failure);
        case null -> Outcome.failed("error", failure);
      };
    } finally {
      job.work().end();
    }
  }

  private synchronized void letGo(RedisJob job) {
    byMessage.remove(job.messageId());
    notifyAll();
  }

  synchronized List<RedisJob> all() {
    return List.copyOf(byMessage.values());
  }

  /** From now on no slot is free. */
  synchronized void close() {
    isClosing = true;
    notifyAll();
  }

  /** Whether nothing is in hand any more, at the latest after this time. */
  synchronized boolean awaitEmpty(Duration longest) throws InterruptedException {
    long most = Patience.nanos(longest);
    long end = System.nanoTime() + most;
    for (long left = most; left > 0 && !byMessage.isEmpty(); left = end - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return byMessage.isEmpty();
  }

  void end() {
    threads.shutdown();
  }
}
