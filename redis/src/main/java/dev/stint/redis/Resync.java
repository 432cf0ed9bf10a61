package dev.stint.redis;

import dev.stint.engine.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts Redis right as a whole when it may have lost something, beside the relay. */
final class Resync implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Resync.class);
  private static final long PAUSE_MILLIS = 500;

  private final Comparison comparison;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition asked = lock.newCondition();
  private final Thread thread;
  private String refusal = "";
  private boolean isWanted;
  private volatile boolean isUnderWay;
  private boolean closed;

  Resync(Comparison comparison) {
    this.comparison = comparison;
    this.thread = Thread.ofPlatform().name("stint-redis-resync").daemon().unstarted(this::loop);
  }

  void start() {
    thread.start();
  }

  /** Begins soon, also if it is under way: then all over again. */
  void ask() {
    lock.lock();
    try {
      isWanted = true;
      isUnderWay = true;
      asked.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Whether Redis may still lack something that it should have had for long. */
  boolean isUnderWay() {
    return isUnderWay;
  }

  private void loop() {
    while (awaitAsked()) {
      try {
        run();
      } catch (ForeignRedisException e) {
        // It is asked for again once this control plane may relay.
        isUnderWay = false;
      } catch (RedisCommandExecutionException e) {
        String said = String.valueOf(e.getMessage());
        if (!said.equals(refusal)) {
          refusal = said;
          LOG.warn("Redis cannot be put right, will go on trying: {}", refusal);
        }
        again();
      } catch (RedisException | StoreUnavailableException e) {
        LOG.debug("cannot put Redis right now: {}", e.getMessage());
        again();
      } catch (Throwable e) {
        LOG.error("cannot put Redis right, will go on trying", e);
        again();
      }
    }
  }

  private void again() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      ask();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    int differences = 0;
    String place = null;
    do {
      Comparison.Part part = comparison.compare(place, true);
      differences += part.differences().size();
      place = part.next();
    } while (place != null && !isAskedAnew());
    if (differences > 0) {
      LOG.info("{} keys in Redis were put right", differences);
    }
    lock.lock();
    try {
      isUnderWay = isWanted;
    } finally {
      lock.unlock();
    }
  }

  private boolean isAskedAnew() {
    lock.lock();
    try {
      return isWanted || closed;
    } finally {
      lock.unlock();
    }
  }

  private boolean awaitAsked() {
    lock.lock();
    try {
      while (!isWanted && !closed) {
        asked.await();
      }
      isWanted = false;
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      asked.signal();
    } finally {
      lock.unlock();
    }
    thread.interrupt();
    try {
      thread.join(2_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
