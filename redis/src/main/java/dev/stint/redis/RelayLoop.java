package dev.stint.redis;

import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls the relay when there is something to do: at once when little was, and under load a while
 * after the last round. Goes on trying while Redis or the store is away.
 */
final class RelayLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RelayLoop.class);
  private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(25);

  /** While so many come that notes rest, they are not looked at so often. */
  private static final long BUSY_ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final long IDLE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Where others write notes too, nobody tells of theirs. */
  private static final long IDLE_SHARED_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long END_MILLIS = 5_000;
  private static final int LAST_ROUNDS = 20;

  private final Relay relay;
  private final RedisAddress address;
  private final long idleNanos;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private boolean hasWork = true;
  private boolean closed;
  private volatile boolean isAway;

  RelayLoop(Relay relay, RedisAddress address, boolean isShared) {
    this.relay = relay;
    this.address = address;
    this.idleNanos = isShared ? IDLE_SHARED_NANOS : IDLE_NANOS;
    this.thread = Thread.ofPlatform().name("stint-redis-relay").daemon().unstarted(this::loop);
  }

  void start() {
    thread.start();
  }

  /** There is something to do. */
  void wake() {
    lock.lock();
    try {
      if (!hasWork) {
        hasWork = true;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Whether Redis did not answer when it was last asked. */
  boolean isAway() {
    return isAway;
  }

  private void loop() {
    long pause = 0;
    long begun = System.nanoTime();
    while (await(begun, pause)) {
      begun = System.nanoTime();
      Relay.Round round = round(true);
      if (round == null) {
        pause = Math.clamp(2 * pause, FIRST_PAUSE_NANOS, LONGEST_PAUSE_NANOS);
      } else {
        long next = round.left() > 0 ? BUSY_ROUND_NANOS : ROUND_NANOS;
        pause = round.taken() == Relay.MAX_NOTES ? 0 : next;
      }
      if (round == null || round.left() > 0 || round.taken() == Relay.MAX_NOTES) {
        wake();
      }
    }
    for (int rounds = 0; !isAway && hasMore() && rounds < LAST_ROUNDS; rounds++) {
      Relay.Round round = round(false);
      if (round != null && round.taken() == Relay.MAX_NOTES) {
        wake();
      }
    }
    relay.resign();
  }

  private boolean hasMore() {
    lock.lock();
    try {
      boolean hasMore = hasWork;
      hasWork = false;
      return hasMore;
    } finally {
      lock.unlock();
    }
  }

  /** Null: it has to be tried again. */
  private Relay.@Nullable Round round(boolean mayRest) {
    try {
      Relay.Round round = relay.runOnce(mayRest);
      if (isAway) {
        LOG.info("{} answers again", address);
      }
      isAway = false;
      return round;
    } catch (RedisException e) {
      if (!isAway) {
        String what =
            e instanceof RedisCommandExecutionException ? "takes nothing" : "does not answer";
        LOG.warn("{} {} ({}); it is brought up to date when it does", address, what, why(e));
        LOG.debug("Redis is away", e);
      }
      isAway = true;
      lookWithoutIt();
    } catch (StoreUnavailableException | OverloadedException e) {
      LOG.debug("cannot relay now: {}", e.getMessage());
    } catch (Throwable e) {
      LOG.error("cannot relay to Redis, will go on trying", e);
    }
    return null;
  }

  /** What is at the bottom of it, such as a certificate that is not trusted. */
  private static String why(Throwable e) {
    Throwable cause = e;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    String message = Objects.requireNonNullElse(cause.getMessage(), cause.getClass().getName());
    return message.lines().findFirst().orElse("");
  }

  private void lookWithoutIt() {
    try {
      relay.look();
    } catch (RuntimeException e) {
      LOG.debug("cannot look at the outbox now: {}", e.getMessage());
    }
  }

  /** Waits until there is work, but not without a look now and then; false: it is time to go. */
  private boolean await(long begun, long pause) {
    lock.lock();
    try {
      long left = begun + pause - System.nanoTime();
      while (!closed && left > 0) {
        left = changed.awaitNanos(left);
      }
      left = idleNanos;
      while (!closed && !hasWork && left > 0) {
        left = changed.awaitNanos(left);
      }
      hasWork &= closed;
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Shows what is left to be shown, if Redis is there, and stops. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      hasWork = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
    try {
      thread.join(END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
