package dev.stint.worker.redis;

import dev.stint.client.Patience;
import dev.stint.client.WorkerName;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.Work;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes jobs from a Redis stream and has a {@link Handler} do them, several at once. */
public final class RedisWorker implements AutoCloseable {
  /** The consumer group that all workers of a stream share. */
  static final String GROUP = "workers";

  private static final Logger log = LoggerFactory.getLogger(RedisWorker.class);
  private static final Duration WAKE_AGAIN = Duration.ofMillis(200);

  private final Duration drain;
  private final Duration lastCalls;
  private final Duration pulse;
  private final Patience patience;
  private final JobKeys keys;
  private final Hands hands;
  private final Reader reader;
  private final Thread reading;
  private final Thread pulsing;
  private final AtomicBoolean isClosing = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);

  /**
   * A job that this worker has brought to its end.
   *
   * @param status {@code done}, {@code error} or {@code canceled}
   * @param result JSON, or empty
   * @param error JSON, or empty
   */
  public record Ended(String jobId, String status, String result, String error, long tookMs) {}

  private RedisWorker(Builder builder, RedisUrl url, Handler handler) {
    String consumer = builder.workerId == null ? WorkerName.madeUp() : builder.workerId;
    this.drain = builder.drain;
    this.lastCalls = builder.lastCalls;
    this.pulse = builder.pulse;
    this.patience = new Patience("Redis");
    Station station = new Station(url, builder.stream, consumer);
    this.keys = new JobKeys(station, patience);
    ThreadFactory threads = Thread.ofPlatform().name("stint-handler-", 1).factory();
    this.hands = new Hands(builder.slots, handler, keys, builder.onEnd, threads);
    this.reader = new Reader(station, patience, hands, keys);
    this.reading = Thread.ofPlatform().name("stint-reader").unstarted(reader);
    this.pulsing = Thread.ofPlatform().name("stint-pulse").unstarted(this::keepAlive);
  }

  /** A worker of the Redis at this URL: {@code redis://…}, or {@code rediss://…} for TLS. */
  public static Builder to(String url) {
    return new Builder(url);
  }

  private void keepAlive() {
    try {
      while (true) {
        Thread.sleep(pulse);
        pulseOnce();
      }
    } catch (InterruptedException e) {
      log.debug("no more pulse");
    }
  }

  private void pulseOnce() {
    try {
      for (RedisJob job : hands.all()) {
        pulse(job);
      }
    } catch (RuntimeException | Error e) { // there may be no room for an answer
      log.error("signs of life have to be given again", e);
    }
  }

  private void pulse(RedisJob job) {
    try {
      keys.pulse(job);
    } catch (IOException e) {
      log.debug("no sign of life for {}", job, e);
    }
  }

  /** Returns when it has been closed. */
  public void awaitEnd() throws InterruptedException {
    ended.await();
  }

  /**
   * Takes no more jobs, gives handlers their time to end, and interrupts the rest. The messages of
   * those stay pending: a worker of the same name takes them up again when it starts, and a control
   * plane gives them to another after a while.
   *
   * <p>Closed by several, it returns to all of them when it is closed; who is interrupted meanwhile
   * need not wait.
   */
  @Override
  public void close() {
    if (isClosing.compareAndSet(false, true)) {
      try {
        closeOnce();
      } finally {
        ended.countDown();
      }
      return;
    }
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeOnce() {
    try {
      hands.close();
      while (reading.isAlive()) {
        reader.wake();
        reading.join(WAKE_AGAIN);
        if (patience.isAway()) {
          reading.interrupt();
        }
      }
      if (!hands.awaitEmpty(drain)) {
        hands.all().forEach(job -> job.work().stop(new Work.Stop.Closing()));
        hands.awaitEmpty(lastCalls);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    patience.stop();
    pulsing.interrupt();
    hands.end();
    keys.close();
  }

  /** How a worker is to be. Only the handler has to be set. */
  public static final class Builder {
    private static final int MOST_SLOTS = 500;

    private final String url;
    private @Nullable String workerId;
    private String stream = "jobs:stream";
    private int slots = 1;
    private Duration drain = Duration.ofSeconds(30);
    private Duration lastCalls = Duration.ofSeconds(5);
    private Duration pulse = Duration.ofSeconds(5);
    private Consumer<Ended> onEnd = ended -> {};
    private @Nullable Handler handler;

    private Builder(String url) {
      this.url = url;
    }

    /**
     * What it calls itself in the group; else the machine's name and something made up. Under a
     * name that stays the same it takes up what it had when it was killed.
     */
    public Builder workerId(@Nullable String workerId) {
      this.workerId = workerId;
      return this;
    }

    /** The stream to take jobs from, {@code jobs:stream} if not said. */
    public Builder stream(String stream) {
      this.stream = stream;
      return this;
    }

    /** How many jobs to do at once, 1 to 500; 1 if not said. */
    public Builder slots(int slots) {
      if (slots < 1 || slots > MOST_SLOTS) {
        throw new IllegalArgumentException("slots must be from 1 to " + MOST_SLOTS);
      }
      this.slots = slots;
      return this;
    }

    /** How long jobs may go on when the worker is closed, 30 seconds if not said. */
    public Builder drain(Duration time) {
      this.drain = Objects.requireNonNull(time);
      return this;
    }

    /** How long handlers that were interrupted then may take to end: 5 seconds. */
    public Builder lastCalls(Duration time) {
      this.lastCalls = Objects.requireNonNull(time);
      return this;
    }

    /** How often to give a sign of life and look whether a job was cancelled: 5 seconds. */
    public Builder pulse(Duration interval) {
      if (!interval.isPositive()) {
        throw new IllegalArgumentException("pulse must be more than 0: " + interval);
      }
      this.pulse = interval;
      return this;
    }

    /** Is told of every job that this worker has brought to its end. */
    public Builder onEnd(Consumer<Ended> listener) {
      this.onEnd = listener;
      return this;
    }

    /** What does the work. A failure is final: the contract knows no other. */
    public Builder handle(Handler handler) {
      this.handler = handler;
      return this;
    }

    /**
     * Begins to take jobs. A Redis that is away is waited for.
     *
     * @throws RedisRefusedException if it is there and does not let this worker in
     * @throws IllegalArgumentException if the URL is none
     * @throws IllegalStateException if there is no handler
     */
    public RedisWorker start() throws RedisRefusedException {
      if (handler == null) {
        throw new IllegalStateException("a worker needs a handler: handle(job -> …)");
      }
      RedisWorker worker = new RedisWorker(this, RedisUrl.parse(url), handler);
      worker.reader.greet();
      worker.reading.start();
      worker.pulsing.start();
      return worker;
    }
  }
}
