package dev.stint.redis;

import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import io.lettuce.core.RedisException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has {@link Natives} look twenty times a second, as Redis has no signal for what a group gives
 * out, on one control plane of all; more seldom while Redis or the store is away.
 */
final class NativeLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(NativeLoop.class);
  private static final long EVERY_MS = 50;
  private static final long LONGEST_PAUSE_MS = 2_000;

  /** So often the engine is told that somebody looks. */
  private static final long TELL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Natives natives;
  private final BooleanSupplier isLeader;
  private final BooleanSupplier isForeign;
  private final Semaphore nudges = new Semaphore(0);
  private final Thread thread;
  private volatile boolean mustLookAnew;
  private volatile boolean closed;

  /** Of its thread alone: whether it looked as the leader, and when it last told the engine. */
  private boolean led;

  private long toldAt = System.nanoTime() - TELL_NANOS;

  NativeLoop(Natives natives, BooleanSupplier isLeader, BooleanSupplier isForeign) {
    this.natives = natives;
    this.isLeader = isLeader;
    this.isForeign = isForeign;
    this.thread = Thread.ofPlatform().name("stint-natives").daemon().unstarted(this::work);
  }

  void start() {
    thread.start();
  }

  /** Something is known to have been given out: look now. */
  void nudge() {
    nudges.release();
  }

  /** Streams may have gone back: look at them from their beginning. */
  void lookAnew() {
    mustLookAnew = true;
    nudge();
  }

  private void work() {
    long pauseMs = EVERY_MS;
    while (!closed) {
      try {
        lookOnce();
        pauseMs = EVERY_MS;
      } catch (RedisException | StoreUnavailableException | OverloadedException e) {
        LOG.debug("workers of streams are looked at again soon: {}", e.getMessage());
        pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
      } catch (Throwable e) {
        if (!closed) {
          LOG.error("cannot look at workers of streams", e);
        }
        natives.reset();
        pauseMs = LONGEST_PAUSE_MS;
      }
      try {
        boolean ignored = nudges.tryAcquire(pauseMs, TimeUnit.MILLISECONDS);
        nudges.drainPermits();
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private void lookOnce() {
    boolean tells = System.nanoTime() - toldAt >= TELL_NANOS;
    if (tells) {
      toldAt = System.nanoTime();
    }
    if (isLeader.getAsBoolean()) {
      lead(tells);
      return;
    }
    if (led) {
      led = false;
      natives.reset();
    }
    if (tells && isForeign.getAsBoolean()) {
      natives.nobodyIsThere();
    }
  }

  private void lead(boolean tells) {
    led = true;
    if (mustLookAnew) {
      mustLookAnew = false;
      natives.lookAnew();
    }
    if (tells) {
      natives.watchOnce();
    } else {
      natives.runOnce();
    }
  }

  @Override
  public void close() {
    closed = true;
    nudge();
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
