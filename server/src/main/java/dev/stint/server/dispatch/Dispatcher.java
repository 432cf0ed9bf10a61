package dev.stint.server.dispatch;

import dev.stint.contracts.callback.AllowedTargets;
import dev.stint.contracts.callback.CallbackContract;
import dev.stint.engine.Engine;
import dev.stint.engine.Store;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import javax.net.ssl.SSLContext;

/**
 * Delivers tasks that name a place to be delivered to. There is one {@link Lane} per target, and
 * each learns of its tasks from the commit that made them claimable.
 */
public final class Dispatcher implements AutoCloseable {
  /** The name under which the servers on one database share their secret. */
  public static final String SECRET_SETTING = "dispatch_secret";

  /** More than this many lanes with a target that does not answer could delay one another. */
  private static final int MAX_EVERYWHERE = 256;

  private static final Duration MAX_CONNECT_TIMEOUT = Duration.ofSeconds(3);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  private final Map<String, Lane> lanes = new HashMap<>();
  private final Duration timeout;
  private final Post post;
  private final Lookup lookup;

  /**
   * How a dispatcher works.
   *
   * @param targets that it may deliver to
   * @param secret that it signs with
   * @param timeout within which a receiver must answer
   * @param startTimeoutMs within which a task must begin after that
   */
  public record Settings(
      AllowedTargets targets, String secret, Duration timeout, long startTimeoutMs) {
    @Override
    public String toString() {
      return "Settings[" + targets.targets() + "]";
    }
  }

  private Dispatcher(Engine engine, CallbackContract contract, Settings settings, SSLContext tls) {
    timeout = settings.timeout;
    Duration connectTimeout = min(timeout, MAX_CONNECT_TIMEOUT);
    post = new Post(tls, connectTimeout, timeout);
    lookup = new Lookup(connectTimeout);
    Courier courier =
        new Courier(
            contract,
            settings.targets,
            new Signature(settings.secret),
            post,
            lookup,
            Clock.systemUTC());
    Semaphore everywhere = new Semaphore(MAX_EVERYWHERE);
    var terms = CallbackContract.terms(timeout.toMillis() + settings.startTimeoutMs);
    for (String target : settings.targets.targets()) {
      lanes.put(target, new Lane(target, engine, courier, everywhere, terms));
    }
  }

  private static Duration min(Duration one, Duration other) {
    return one.compareTo(other) < 0 ? one : other;
  }

  /** Begins with what waits already. */
  public static Dispatcher start(Engine engine, CallbackContract contract, Settings settings) {
    Dispatcher dispatcher = new Dispatcher(engine, contract, settings, tls());
    if (!dispatcher.lanes.isEmpty()) {
      dispatcher.lanes.forEach(
          (target, lane) -> Thread.ofVirtual().name("lane-" + target).start(lane));
      engine.onReady(dispatcher::offer);
    }
    return dispatcher;
  }

  private static SSLContext tls() {
    try {
      return SSLContext.getDefault();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has a default for TLS", e);
    }
  }

  private void offer(List<Store.Ready> ready) {
    for (Store.Ready kind : ready) {
      String target = kind.needs().target();
      Lane lane = target == null ? null : lanes.get(target);
      if (lane != null) {
        lane.offer(kind.queue());
      }
    }
  }

  /** Delivers nothing more; returns when what is under way has been answered, or soon after. */
  @Override
  public void close() {
    long end = System.nanoTime() + min(timeout, STOP_GRACE).toNanos();
    for (Lane lane : lanes.values()) {
      lane.close(end - System.nanoTime());
    }
    post.close();
    lookup.close();
  }
}
