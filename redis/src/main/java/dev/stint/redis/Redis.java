package dev.stint.redis;

import dev.stint.engine.Engine;
import dev.stint.engine.Outbox;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that a control plane does with Redis while it runs. */
public final class Redis implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Redis.class);
  private static final String NODE_SETTING = "redis_node";
  private static final String STORE_SETTING = "redis_store";

  private final RedisLinks links;
  private final Relay relay;
  private final RelayLoop loop;
  private final Comparison comparison;
  private final Resync resync;
  private final NativeLoop natives;
  private final Gate gate;

  private Redis(Engine engine, RedisLinks links, long nativeLeaseMs) {
    this.links = links;
    Outbox outbox = engine.outbox();
    String node = UUID.randomUUID().toString();
    if (!outbox.isShared()) {
      // Nobody else can have the store: whoever led before is gone, and need not be waited for.
      node = engine.agree(NODE_SETTING, node);
    }
    String storeId = engine.agree(STORE_SETTING, UUID.randomUUID().toString());
    comparison = new Comparison(outbox, links.open(), links.openGathering(), storeId);
    resync = new Resync(comparison);
    relay = new Relay(outbox, links.open(), links.openGathering(), node, storeId, this::begin);
    loop = new RelayLoop(relay, links.address(), outbox.isShared());
    outbox.onNote(loop::wake);
    natives =
        new NativeLoop(
            new Natives(engine, links.open(), outbox::lookAgain, nativeLeaseMs),
            relay::isLeader,
            relay::isForeign);
    gate =
        new Gate(
            links.open(),
            id -> relay.isForeign() || outbox.isNew(id),
            nativeLeaseMs,
            natives::nudge,
            ids -> lookAgain(outbox, ids));
    engine.attach(gate);
  }

  /** Redis may have lost anything, and its streams may have gone back. */
  private void begin() {
    resync.ask();
    natives.lookAnew();
  }

  private static void lookAgain(Outbox outbox, List<UUID> ids) {
    try {
      outbox.lookAgain(ids);
    } catch (StoreUnavailableException | OverloadedException e) {
      LOG.warn("{} jobs may have a mark in Redis that they should not have", ids.size());
    }
  }

  /**
   * Begins, whether Redis is there or not: work that needs it goes on when it is.
   *
   * @param engine one that is mirrored
   */
  public static Redis start(Engine engine, RedisSettings settings) {
    RedisLinks links = new RedisLinks(settings.address());
    try {
      long nativeLeaseMs = TimeUnit.SECONDS.toMillis(settings.nativeLeaseSeconds());
      Redis redis = new Redis(engine, links, nativeLeaseMs);
      redis.resync.start();
      redis.loop.start();
      redis.natives.start();
      return redis;
    } catch (RuntimeException | Error e) {
      links.close();
      throw e;
    }
  }

  /** How long the oldest change has waited to be shown in Redis, in milliseconds. */
  public long lagMs() {
    return relay.lagMs();
  }

  /** Whether it answered when it was last asked. */
  public boolean isThere() {
    return !loop.isAway();
  }

  /** Compares Redis with the store, and puts it right. */
  public Comparison comparison() {
    return comparison;
  }

  /** Whether all that it may have lost is being put right. */
  public boolean isBeingPutRight() {
    return resync.isUnderWay();
  }

  @Override
  public void close() {
    gate.close();
    natives.close();
    resync.close();
    loop.close();
    links.close();
  }
}
