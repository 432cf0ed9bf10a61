package dev.stint.server;

import dev.stint.contracts.Contract;
import dev.stint.contracts.Route;
import dev.stint.contracts.callback.CallbackContract;
import dev.stint.contracts.fleet.FleetContract;
import dev.stint.contracts.gateway.GatewayContract;
import dev.stint.contracts.lease.LeaseContract;
import dev.stint.contracts.operator.OperatorContract;
import dev.stint.contracts.workerapi.WorkerApiContract;
import dev.stint.dashboard.Dashboard;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Store;
import dev.stint.redis.Redis;
import dev.stint.redis.RedisContract;
import dev.stint.server.dispatch.Dispatcher;
import dev.stint.storage.Stores;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running control plane. */
public final class Server implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Server.class);

  private final Store store;
  private final Engine engine;
  private final Metrics metrics;
  private final Listener listener;
  private final Dispatcher dispatcher;
  private final @Nullable Redis redis;
  private final List<Route> routes;
  private final AtomicBoolean draining = new AtomicBoolean();
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean isLost;

  private Server(
      Store store,
      Engine engine,
      Metrics metrics,
      Listener listener,
      Dispatcher dispatcher,
      @Nullable Redis redis,
      List<Contract> contracts) {
    this.store = store;
    this.engine = engine;
    this.metrics = metrics;
    this.listener = listener;
    this.dispatcher = dispatcher;
    this.redis = redis;
    this.routes = contracts.stream().flatMap(contract -> contract.routes().stream()).toList();
  }

  /**
   * Opens the store, recovers what time has done meanwhile, and listens.
   *
   * @param extra contracts besides those that every server speaks
   * @throws SettingException if it cannot start as it is told to
   * @throws AddressUnusableException if it cannot listen
   * @throws dev.stint.storage.StoreUnusableException if it cannot use the database
   */
  public static Server start(Settings settings, List<Contract> extra) {
    Listener.tryAddress(settings.address());
    if (Settings.DEV_TOKEN.equals(settings.token())
        && !settings.address().getAddress().isLoopbackAddress()) {
      LOG.warn("other machines can reach this server, and everybody knows the token dev-token");
    }
    Store store = Stores.open(settings.db(), Clock.systemUTC());
    try {
      return start(settings, extra, store);
    } catch (RuntimeException | Error e) {
      store.close();
      throw e;
    }
  }

  private static Server start(Settings settings, List<Contract> extra, Store store) {
    Metrics metrics = new Metrics();
    Engine engine = Engine.start(store, engineSettings(settings), metrics);
    Redis redis = null;
    try {
      redis = settings.redis() == null ? null : Redis.start(engine, settings.redis());
      Tokens tokens = new Tokens(secrets(settings.security(), engine), Clock.systemUTC());
      PublicUrl publicUrl = new PublicUrl(settings);
      CallbackContract callback = callback(engine, tokens, settings, publicUrl);
      List<Contract> contracts = new ArrayList<>(contracts(engine, tokens, settings));
      contracts.add(callback);
      contracts.add(new RedisContract(redis));
      contracts.add(new Operations(engine, metrics, redis));
      contracts.add(new Dashboard());
      contracts.addAll(extra);
      Gatekeeper gatekeeper = new Gatekeeper(settings, tokens, engine::worker, metrics);
      Front front =
          new Front(new RouteTable(contracts), gatekeeper, new Impostors(engine), metrics);
      Listener listener =
          Listener.start(settings.address(), TlsFiles.load(settings.security().tls()), front);
      try {
        publicUrl.listensOn(listener.port());
        Dispatcher dispatcher = Dispatcher.start(engine, callback, dispatch(settings, engine));
        Server server = new Server(store, engine, metrics, listener, dispatcher, redis, contracts);
        listener.onLost(server::lost);
        return server;
      } catch (RuntimeException | Error e) {
        listener.stop();
        throw e;
      }
    } catch (RuntimeException | Error e) {
      if (redis != null) {
        redis.close();
      }
      engine.close();
      throw e;
    }
  }

  /** The dialects that every server speaks. */
  private static List<Contract> contracts(Engine engine, Tokens tokens, Settings settings) {
    return List.of(
        new LeaseContract(
            engine, settings.leaseTtlSeconds() * 1_000L, settings.streams().maxOutputBytes()),
        new FleetContract(
            engine,
            new FleetContract.Settings(
                settings.fleet().heartbeatTimeoutSeconds() * 1_000L,
                settings.fleet().reconcileIntervalSeconds() * 1_000L,
                settings.fleet().assignmentTtlSeconds() * 1_000L,
                settings.maxQueueDepth())),
        new WorkerApiContract(
            engine, tokens, settings.leaseTtlSeconds() * 1_000L, settings.maxQueueDepth()),
        new GatewayContract(
            engine,
            new GatewayContract.Settings(
                settings.tasks(),
                settings.maxQueueDepth(),
                settings.jobTtlSeconds(),
                settings.cancelGraceSeconds() * 1_000L,
                settings.streams().commentMs())),
        new OperatorContract(
            engine, settings.cancelGraceSeconds() * 1_000L, settings.streams().commentMs()));
  }

  private static CallbackContract callback(
      Engine engine, Tokens tokens, Settings settings, PublicUrl publicUrl) {
    return new CallbackContract(
        engine,
        tokens,
        new CallbackContract.Settings(
            publicUrl,
            settings.callback().targets(),
            settings.fleet().assignmentTtlSeconds() * 1_000L,
            settings.maxQueueDepth(),
            settings.cancelGraceSeconds() * 1_000L));
  }

  private static Dispatcher.Settings dispatch(Settings settings, Engine engine) {
    String given = settings.callback().dispatchSecret();
    return new Dispatcher.Settings(
        settings.callback().targets(),
        given != null ? given : engine.agree(Dispatcher.SECRET_SETTING, Tokens.newSecret()),
        Duration.ofSeconds(settings.callback().dispatchTimeoutSeconds()),
        settings.fleet().assignmentTtlSeconds() * 1_000L);
  }

  /** Those that were given, or the one that the store has for all servers on it. */
  private static List<String> secrets(Settings.Security security, Engine engine) {
    List<String> secrets = new ArrayList<>();
    secrets.add(
        security.jwtSecret() != null
            ? security.jwtSecret()
            : engine.agree(Tokens.SECRET_SETTING, Tokens.newSecret()));
    if (security.previousJwtSecret() != null) {
      secrets.add(security.previousJwtSecret());
    }
    return secrets;
  }

  private static EngineSettings engineSettings(Settings settings) {
    return new EngineSettings(
        Duration.ofDays(settings.retentionDays()).toMillis(),
        EngineSettings.DEFAULT.queueCapacity(),
        EngineSettings.DEFAULT.maxBatch(),
        settings.streams().maxReaders(),
        settings.redis() != null);
  }

  /** The port it listens on. */
  public int port() {
    return listener.port();
  }

  Listener listener() {
    return listener;
  }

  /** All that it answers to. */
  List<Route> routes() {
    return routes;
  }

  /** Answers parked claims, finishes what is under way, and only then lets go of the store. */
  public void drain() {
    if (draining.compareAndSet(false, true)) {
      try (metrics;
          store;
          engine;
          redis) {
        engine.stopWaiting();
        listener.drain();
        dispatcher.close();
        listener.stop();
      } finally {
        ended.countDown();
      }
    }
  }

  private void lost() {
    LOG.error("no connection can be taken any more; this server ends");
    isLost = true;
    drain();
  }

  /** Returns when it has been drained; false if it had to end by itself. */
  public boolean awaitEnd() {
    try {
      ended.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return !isLost;
  }

  @Override
  public void close() {
    drain();
  }
}
