package dev.stint.server;

import dev.stint.contracts.Route;
import dev.stint.engine.Engine;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Observer;
import dev.stint.redis.Redis;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** What the server measures about itself, for Prometheus. */
final class Metrics implements Observer, AutoCloseable {
  private static final Duration[] LATENCIES = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(25),
    Duration.ofMillis(50),
    Duration.ofMillis(100),
    Duration.ofMillis(250),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(30),
    Duration.ofSeconds(60),
  };

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final Map<EventType, Counter> events = new EnumMap<>(EventType.class);
  private final Map<Answered, Timer> requests = new ConcurrentHashMap<>();
  private final DistributionSummary batches;
  private final Timer commits;
  private final Counter removed;
  private final Counter failedLogins;
  private final MultiGauge jobs;
  private final MultiGauge throughput;
  private final MultiGauge errorRate;
  private final AtomicBoolean scraped = new AtomicBoolean();
  private @Nullable JvmGcMetrics gc;

  private record Answered(String method, String path, int status) {}

  Metrics() {
    for (EventType type : EventType.values()) {
      events.put(
          type,
          Counter.builder("stint.events")
              .description("Committed events by type: claimed, completed, failed, lost and so on")
              .tag("type", type.word())
              .register(registry));
    }
    batches =
        DistributionSummary.builder("stint.commit.commands")
            .description("Commands answered by one commit")
            .serviceLevelObjectives(1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
            .register(registry);
    commits =
        Timer.builder("stint.commit")
            .description("From the begin of a transaction until it is durable")
            .serviceLevelObjectives(LATENCIES)
            .register(registry);
    removed =
        Counter.builder("stint.jobs.removed")
            .description("Jobs removed for good when their time was over")
            .register(registry);
    failedLogins =
        Counter.builder("stint.logins.failed")
            .description("Calls with a credential that is not valid")
            .register(registry);
    throughput =
        MultiGauge.builder("stint.throughput.per.minute")
            .description("Jobs completed within the last minute by this server")
            .register(registry);
    errorRate =
        MultiGauge.builder("stint.error.rate")
            .description("Failed jobs as a share of all jobs there are")
            .register(registry);
    jobs =
        MultiGauge.builder("stint.jobs").description("Jobs by queue and state").register(registry);
  }

  void failedLogin() {
    failedLogins.increment();
  }

  @Override
  public void committed(Commit commit) {
    batches.record(commit.commands());
    commits.record(Duration.ofNanos(commit.nanos()));
    removed.increment(commit.removed());
    for (Event event : commit.events()) {
      Counter counter = events.get(event.type());
      if (counter != null) {
        counter.increment();
      }
    }
  }

  /**
   * Notes an answer.
   *
   * @param route null if none fitted; the path itself must not become a label, anyone can make one
   */
  void answered(@Nullable Route route, String method, int status, long nanos) {
    Answered key =
        route == null
            ? new Answered("any", "unknown", status)
            : new Answered(method, route.path(), status);
    requests.computeIfAbsent(key, this::timer).record(Duration.ofNanos(nanos));
  }

  private Timer timer(Answered key) {
    return Timer.builder("stint.http.requests")
        .description("Time to answer, by route and status; claims include their wait")
        .tag("method", key.method)
        .tag("route", key.path)
        .tag("status", Integer.toString(key.status))
        .serviceLevelObjectives(LATENCIES)
        .register(registry);
  }

  /** All of it in Prometheus' text format. */
  String scrape(Engine engine, @Nullable Redis redis) {
    if (scraped.compareAndSet(false, true)) {
      // Not at start-up: these read what the JVM keeps anyway, and loading them takes time.
      bindOnFirstScrape(engine);
      if (redis != null) {
        bind(redis);
      }
    }
    jobs.register(QueueDepths.rows(engine.tally()), true);
    throughput.register(QueueDepths.throughput(engine.completedPerMinute()), true);
    errorRate.register(QueueDepths.errorRates(engine.tally()), true);
    return registry.scrape();
  }

  private void bind(Redis redis) {
    Gauge.builder("stint.redis.up", redis, one -> one.isThere() ? 1 : 0)
        .description("Whether Redis answered when it was last asked")
        .register(registry);
    Gauge.builder("stint.redis.lag.seconds", redis, one -> one.lagMs() / 1_000.0)
        .description("How long the oldest change has waited to be shown in Redis")
        .register(registry);
  }

  private void bindOnFirstScrape(Engine engine) {
    Gauge.builder("stint.claims.parked", engine, Engine::parkedClaims)
        .description("Claims that wait for a job")
        .register(registry);
    Gauge.builder("stint.readers", engine, Engine::followers)
        .description("Open streams of events")
        .register(registry);
    Gauge.builder("stint.workers.active", engine, Engine::onlineWorkers)
        .description("Workers that count as there")
        .register(registry);
    Gauge.builder("stint.commands.waiting", engine, Engine::waitingCommands)
        .description("Commands that wait to be committed")
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    JvmGcMetrics collector = new JvmGcMetrics();
    collector.bindTo(registry);
    gc = collector;
  }

  @Override
  public void close() {
    if (gc != null) {
      gc.close();
    }
    registry.close();
  }
}
