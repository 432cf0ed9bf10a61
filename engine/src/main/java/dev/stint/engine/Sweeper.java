package dev.stint.engine;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets time act on jobs when their moment comes. It sleeps until the next known due time; a commit
 * that makes an earlier one wakes it. The clock is looked at every second all the same, since a
 * clock that is set forward, or another control plane, can make a job due that was not awaited.
 */
final class Sweeper implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Sweeper.class);
  private static final int LIMIT = 500;
  private static final long REST_MS = 10;
  private static final long LONGEST_SLEEP_MS = 1_000;
  private static final long LONGEST_WITHOUT_SWEEP_MS = 5_000;

  private final Store store;
  private final Ledger ledger;
  private final long retentionMs;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition earlier = lock.newCondition();
  private final Thread thread;
  private long nextDueAt = Times.NEVER;
  private long hastenBefore = Times.NEVER;
  private boolean closed;

  Sweeper(Store store, Ledger ledger, long retentionMs) {
    this.store = store;
    this.ledger = ledger;
    this.retentionMs = retentionMs;
    this.thread = Thread.ofPlatform().name("stint-sweeper").daemon().unstarted(this::loop);
  }

  void start() {
    thread.start();
  }

  /** Sweeps all that is due at this moment, step by step. */
  void runOnce() {
    Outcome.Swept swept = sweep();
    while (swept.nextDueAt() <= store.now() && rest(swept)) {
      swept = sweep();
    }
    noteDue(swept.nextDueAt());
  }

  /**
   * Leaves time to others if they have work, which a sweep shows that was let do little although
   * more is due. False: it is time to go.
   */
  private boolean rest(Outcome.Swept swept) {
    boolean hasOthers = swept.isAllUrgentDone() && swept.moved() < LIMIT;
    return !hasOthers || await(REST_MS);
  }

  /** Sweeps until nothing urgent is due. What can wait does so, however much it is. */
  void recover() {
    Outcome.Swept swept;
    do {
      swept = sweep();
    } while (!swept.isAllUrgentDone());
    noteDue(swept.nextDueAt());
  }

  /**
   * What ended under a longer retention, before the start, goes by the one that holds now. It may
   * be much, so it is done a step at a time, between sweeps.
   */
  private void hasten() {
    if (hastenBefore > 0) {
      hastenBefore = store.hastenRemovals(retentionMs, hastenBefore, LIMIT);
    }
  }

  private Outcome.Swept sweep() {
    Outcome.Swept swept = ledger.execute(new Command.Sweep(LIMIT), null);
    if (swept.moved() > 0) {
      log.debug("time moved {} jobs, {} of them out", swept.moved(), swept.removed());
    }
    return swept;
  }

  /** Some job is due at {@code dueAt}. */
  void noteDue(long dueAt) {
    lock.lock();
    try {
      if (dueAt < nextDueAt) {
        nextDueAt = dueAt;
        earlier.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  private void loop() {
    long sweptAt = System.nanoTime();
    boolean away = false;
    Throwable mishap = null;
    while (true) {
      try {
        if (!sleep(away)) {
          return;
        }
        boolean longAgo =
            System.nanoTime() - sweptAt > TimeUnit.MILLISECONDS.toNanos(LONGEST_WITHOUT_SWEEP_MS);
        if (longAgo || isDue(store.now())) {
          runOnce();
          sweptAt = System.nanoTime();
        }
        hasten();
        away = false;
        mishap = null;
      } catch (StoreUnavailableException | StoreConflictException | OverloadedException e) {
        if (!away) {
          log.warn("cannot sweep now, will go on trying: {}", e.getMessage());
        }
        away = true;
        noteDue(0);
      } catch (RuntimeException | Error e) {
        // Whatever it is: without this thread no lease would ever end.
        away = true;
        noteDue(0);
        if (!isSame(e, mishap)) {
          Mishap.log(log, "the sweep failed, will go on trying", e);
        }
        mishap = e;
      }
    }
  }

  /** Told once, as it may come again every second; without a new text, for want of memory. */
  private static boolean isSame(Throwable one, @Nullable Throwable other) {
    return other != null
        && one.getClass() == other.getClass()
        && Objects.equals(one.getMessage(), other.getMessage());
  }

  /** Takes the due time out when it has come, so that the next one found can take its place. */
  private boolean isDue(long now) {
    lock.lock();
    try {
      boolean due = nextDueAt <= now;
      if (due) {
        nextDueAt = Times.NEVER;
      }
      return due;
    } finally {
      lock.unlock();
    }
  }

  /** False: it is time to go. */
  private boolean sleep(boolean away) {
    long longest = hastenBefore > 0 ? REST_MS : LONGEST_SLEEP_MS;
    return await(away ? LONGEST_SLEEP_MS : Math.min(untilDueMs(), longest));
  }

  /** Until so much time has passed or an earlier due time is known. False: it is time to go. */
  @SuppressWarnings("WaitNotInLoop") // whoever calls this looks at the clock and calls again
  private boolean await(long millis) {
    lock.lock();
    try {
      if (!closed && millis > 0) {
        long ignored = earlier.awaitNanos(TimeUnit.MILLISECONDS.toNanos(millis));
      }
      return !closed;
    } catch (InterruptedException e) {
      return false;
    } finally {
      lock.unlock();
    }
  }

  /** Asks the store for the time, so not with the lock in hand: writers need it after commits. */
  private long untilDueMs() {
    try {
      long now = store.now();
      lock.lock();
      try {
        return nextDueAt == Times.NEVER
            ? LONGEST_SLEEP_MS
            : Math.clamp(nextDueAt - now, 0, LONGEST_SLEEP_MS);
      } finally {
        lock.unlock();
      }
    } catch (StoreUnavailableException e) {
      return LONGEST_SLEEP_MS;
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
      earlier.signal();
    } finally {
      lock.unlock();
    }
  }
}
