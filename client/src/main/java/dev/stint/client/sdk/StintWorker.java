package dev.stint.client.sdk;

import dev.stint.client.Api;
import dev.stint.client.Patience;
import dev.stint.client.WorkerName;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Takes jobs from a control plane and has a {@link Handler} do them, several at once.
 *
 * <p>It uses the calls for many leases: one waits for jobs for all free slots, one keeps all leases
 * alive, and results are reported in groups by a call that takes the next jobs as well. Handlers
 * have platform threads, so that one that computes or calls native code does not keep the others,
 * or the heartbeat, from running.
 */
public final class StintWorker implements AutoCloseable {
  private static final System.Logger log = System.getLogger(StintWorker.class.getName());

  /** For handlers to end that were interrupted, and for their reports to be sent. */
  private static final Duration LAST_CALLS = Duration.ofSeconds(5);

  private final Handler handler;
  private final Duration drain;
  private final Holdings holdings;
  private final Settler settler;
  private final ExecutorService handlers;
  private final Thread claiming;
  private final Thread settling;
  private final Thread beating;
  private final AtomicBoolean isClosing = new AtomicBoolean();
  private final CountDownLatch closed = new CountDownLatch(1);

  private StintWorker(Builder builder, Handler handler) {
    this.handler = handler;
    this.drain = builder.drain;
    this.handlers = Executors.newCachedThreadPool(builder.handlerThreads);
    this.holdings = new Holdings(builder.slots, builder.heartbeatInterval);
    Patience patience = new Patience();
    LeaseCalls calls =
        new LeaseCalls(
            new Api(builder.url, builder.token, builder.requestTimeout),
            patience,
            builder.workerId == null ? WorkerName.madeUp() : builder.workerId,
            builder.queues,
            builder.capabilities);
    this.settler = new Settler(holdings, calls, patience, this::take);
    this.claiming =
        Thread.ofVirtual()
            .name("stint-claims")
            .unstarted(new Claimer(holdings, calls, patience, this::take));
    this.settling = Thread.ofPlatform().name("stint-reports").unstarted(settler);
    this.beating =
        Thread.ofPlatform()
            .name("stint-heartbeats")
            .unstarted(new Beats(holdings, calls, patience));
  }

  /** A worker of the control plane at this URL, e.g. {@code http://localhost:8080}. */
  public static Builder to(String url) {
    return new Builder(url);
  }

  private void take(int slots, List<Lease> leases) {
    holdings.fill(slots, leases).forEach(former -> former.work().stop(new Work.Stop.Lost()));
    leases.forEach(this::begin);
  }

  private void begin(Lease lease) {
    try {
      handlers.execute(() -> run(lease));
    } catch (RejectedExecutionException | Error e) { // there may be no room for another thread
      log.log(Level.ERROR, lease + " cannot be begun", e);
      settler.add(Report.failed(lease, Failure.of(e, null)));
    }
  }

  private void run(Lease lease) {
    lease.work().begin();
    Report report;
    try {
      report = Report.completed(lease, handler.handle(lease));
    } catch (Throwable e) { // an Error is the end of this job, and not of the worker
      report = Report.failed(lease, Failure.of(e, lease.work().stopped()));
    } finally {
      lease.work().end();
    }
    settler.add(report);
  }

  /**
   * Takes no more jobs, gives handlers their time to end, interrupts the rest, and reports all that
   * came of it. A job that was interrupted is tried again elsewhere while attempts remain.
   *
   * <p>Who is interrupted here has no time to give: handlers are interrupted at once. A second
   * interrupt leaves their reports behind as well.
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
        closed.countDown();
      }
      return;
    }
    try {
      closed.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void closeOnce() {
    holdings.close();
    claiming.interrupt();
    boolean isInterrupted = false;
    try {
      claiming.join();
      holdings.awaitEmpty(drain);
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    stopAll();
    try {
      claiming.join(LAST_CALLS);
      holdings.awaitEmpty(LAST_CALLS);
    } catch (InterruptedException e) {
      isInterrupted = true;
    }
    holdings.end();
    settling.interrupt();
    beating.interrupt();
    handlers.shutdown();
    stopAll(); // also what a claim that was not waited for has brought
    for (Lease lease : holdings.held()) {
      log.log(Level.WARNING, lease + " is left behind: it has not ended, or cannot be reported");
    }
    if (isInterrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void stopAll() {
    holdings.held().forEach(lease -> lease.work().stop(new Work.Stop.Closing()));
  }

  /** How a worker is to be. Only the handler has to be set. */
  public static final class Builder {
    private static final int MOST_SLOTS = LeaseCalls.MOST_LEASES / 2;
    private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(1);
    private static final Duration LONGEST_TIMEOUT = Duration.ofDays(1);

    private final String url;
    private @Nullable String token;
    private @Nullable String workerId;
    private List<String> queues = List.of("jobs:stream");
    private List<String> capabilities = List.of();
    private int slots = 1;
    private Duration heartbeatInterval = Duration.ofMinutes(1);
    private Duration requestTimeout = Duration.ofSeconds(10);
    private Duration drain = Duration.ofSeconds(30);
    private ThreadFactory handlerThreads = Thread.ofPlatform().name("stint-handler-", 1).factory();
    private @Nullable Handler handler;

    private Builder(String url) {
      this.url = url;
    }

    /** The API token, or a token of this worker. */
    public Builder token(@Nullable String token) {
      this.token = token;
      return this;
    }

    /** What it calls itself; else the machine's name and something made up. */
    public Builder workerId(String workerId) {
      this.workerId = workerId;
      return this;
    }

    /**
     * Where to look for jobs, {@code jobs:stream} if not said; the first that has one goes first.
     */
    public Builder queue(String first, String... others) {
      List<String> all = new ArrayList<>(List.of(first));
      all.addAll(List.of(others));
      this.queues = List.copyOf(all);
      return this;
    }

    /** What it has; it gets only jobs whose requirements it meets. */
    public Builder capabilities(String... capabilities) {
      this.capabilities = List.of(capabilities);
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

    /**
     * How long at most between two heartbeats. It is how long a cancelled job may go on; the
     * control plane's own interval, 20 seconds by default, counts if it is shorter.
     *
     * @throws IllegalArgumentException if it is no time at all
     */
    public Builder heartbeatInterval(Duration interval) {
      if (!interval.isPositive()) {
        throw new IllegalArgumentException("heartbeatInterval must be more than 0: " + interval);
      }
      this.heartbeatInterval = interval;
      return this;
    }

    /**
     * How long to wait for an answer, from a millisecond to a day; 10 seconds if not said.
     *
     * @throws IllegalArgumentException if it is shorter or longer
     */
    public Builder requestTimeout(Duration timeout) {
      if (timeout.compareTo(SHORTEST_TIMEOUT) < 0 || timeout.compareTo(LONGEST_TIMEOUT) > 0) {
        throw new IllegalArgumentException("requestTimeout must be from 1 ms to 1 day: " + timeout);
      }
      this.requestTimeout = timeout;
      return this;
    }

    /** How long jobs may go on when the worker is closed, 30 seconds if not said. */
    public Builder drain(Duration time) {
      this.drain = Objects.requireNonNull(time);
      return this;
    }

    /** Where the threads of handlers come from. */
    Builder handlerThreads(ThreadFactory factory) {
      this.handlerThreads = factory;
      return this;
    }

    /** What does the work. */
    public Builder handle(Handler handler) {
      this.handler = handler;
      return this;
    }

    /**
     * Begins to take jobs. A control plane that is away is waited for.
     *
     * @throws IllegalArgumentException if the URL is none
     * @throws IllegalStateException if there is no handler
     */
    public StintWorker start() {
      if (handler == null) {
        throw new IllegalStateException("a worker needs a handler: handle(job -> …)");
      }
      StintWorker worker = new StintWorker(this, handler);
      worker.beating.start();
      worker.settling.start();
      worker.claiming.start();
      return worker;
    }
  }
}
