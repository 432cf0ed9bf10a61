package dev.stint.server.dispatch;

import dev.stint.contracts.JsonWriter;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Mishap;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Skills;
import dev.stint.engine.StoreUnavailableException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * All deliveries to one target. It claims a task only when it can take it there: so what waits for
 * a target that is away waits in the store, and neither here nor in the way of other targets.
 */
final class Lane implements Runnable {
  /** How often a task may be delivered in vain before it is given up. */
  static final long MAX_DELIVERIES = 100;

  static final String WORKER = "dispatcher";
  private static final Logger LOG = LoggerFactory.getLogger(Lane.class);
  private static final int MAX_AT_ONCE = 8;

  /** What nobody has thought of is tried again after a quarter of a minute at the latest. */
  private static final int MAX_MISHAPS = 5;

  private static final RetryPolicy OF_TARGET = RetryPolicy.attempts(1);
  private static final RetryPolicy OF_TASK =
      new RetryPolicy(1, RetryPolicy.LOSSES_COUNT_AS_ATTEMPTS, 1_000, 300_000);

  private final String target;
  private final Engine engine;
  private final Courier courier;
  private final Semaphore everywhere;
  private final Command.Claim.Terms terms;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<String> queues = new LinkedHashSet<>();
  private int underWay;
  private int failuresInRow;
  private int mishaps; // of the lane's own thread, which alone claims
  private long pausedUntilNanos = System.nanoTime();
  private boolean closed;

  /**
   * A lane that does nothing yet.
   *
   * @param everywhere bounds the deliveries of all lanes together
   * @param terms with the time in which a receiver has to answer and then to begin
   */
  Lane(
      String target,
      Engine engine,
      Courier courier,
      Semaphore everywhere,
      Command.Claim.Terms terms) {
    this.target = target;
    this.engine = engine;
    this.courier = courier;
    this.everywhere = everywhere;
    this.terms = terms;
  }

  /** This queue has, or may have, a task for this target. */
  void offer(String queue) {
    lock.lock();
    try {
      queues.add(queue);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void run() {
    try {
      for (List<String> offered = take(); offered != null; offered = take()) {
        work(offered);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever goes wrong is tried again: a lane that ended would leave its target without tasks. */
  private void work(List<String> offered) throws InterruptedException {
    everywhere.acquire();
    boolean isUnderWay = false;
    try {
      isUnderWay = begin(offered);
      mishaps = 0;
    } catch (StoreUnavailableException | OverloadedException e) {
      LOG.debug("cannot claim for {} now: {}", target, e.getMessage());
      tryAgain(offered, 1);
    } catch (RuntimeException | Error e) {
      Mishap.logAt(Level.ERROR, LOG, "cannot claim for " + target + ", will go on trying", e);
      mishaps = Math.min(mishaps + 1, MAX_MISHAPS);
      tryAgain(offered, mishaps);
    } finally {
      if (!isUnderWay) {
        done();
      }
    }
  }

  private void tryAgain(List<String> offered, long failures) {
    pause(failures);
    offered.forEach(this::offer);
  }

  /** Whether there was something to deliver, which then is under way. */
  private boolean begin(List<String> offered) {
    Command.Claim claim =
        new Command.Claim(WORKER, offered, Skills.delivery(target), true, null, terms);
    if (!(engine.execute(claim, null) instanceof Outcome.Claimed claimed)) {
      return false;
    }
    // There may be more where this one was.
    offered.forEach(this::offer);
    int failuresBefore = failuresInRow();
    Thread.ofVirtual()
        .name("dispatch-" + claimed.job().id())
        .start(() -> deliver(claimed, failuresBefore));
    return true;
  }

  /** Waits until something may be delivered, and counts it as under way. Null: it is time to go. */
  private @Nullable List<String> take() throws InterruptedException {
    lock.lock();
    try {
      while (!closed) {
        long pauseNanos = pausedUntilNanos - System.nanoTime();
        if (queues.isEmpty() || underWay >= maxAtOnce()) {
          changed.await();
        } else if (pauseNanos > 0) {
          long ignored = changed.awaitNanos(pauseNanos);
        } else {
          List<String> taken = new ArrayList<>(queues);
          queues.clear();
          underWay++;
          return taken;
        }
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /** A target that did not answer last is tried with one at a time. */
  private int maxAtOnce() {
    return failuresInRow == 0 ? MAX_AT_ONCE : 1;
  }

  private void done() {
    everywhere.release();
    lock.lock();
    try {
      underWay--;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void deliver(Outcome.Claimed claimed, int failuresBefore) {
    try {
      if (deliveries(claimed) > MAX_DELIVERIES) {
        giveUp(claimed);
        return;
      }
      switch (courier.deliver(claimed)) {
        case Courier.Result.Accepted _ -> heard();
        case Courier.Result.Refused refused -> {
          heard();
          giveBack(claimed, refused.why());
        }
        case Courier.Result.Unreachable unreachable -> {
          missed(unreachable.why(), failuresBefore);
          giveBack(claimed, unreachable.why());
        }
      }
    } catch (StoreUnavailableException | OverloadedException e) {
      LOG.debug("task {} comes back when its time to begin is over", claimed.job().id());
    } catch (RuntimeException | Error e) {
      Mishap.logAt(Level.ERROR, LOG, "cannot deliver task " + claimed.job().id(), e);
    } finally {
      done();
    }
  }

  private void heard() {
    lock.lock();
    try {
      failuresInRow = 0;
      pausedUntilNanos = System.nanoTime();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private int failuresInRow() {
    lock.lock();
    try {
      return failuresInRow;
    } finally {
      lock.unlock();
    }
  }

  /** Those that were under way together and failed together count as one failure. */
  private void missed(String why, int failuresBefore) {
    int inRow;
    lock.lock();
    try {
      if (failuresInRow != failuresBefore) {
        return;
      }
      inRow = ++failuresInRow;
    } finally {
      lock.unlock();
    }
    pause(inRow);
    if (inRow == 1) {
      LOG.warn("cannot deliver to {}, will go on trying: {}", target, why);
    }
  }

  private void pause(long failures) {
    long nanos = TimeUnit.MILLISECONDS.toNanos(backoffMs(OF_TARGET, failures));
    lock.lock();
    try {
      pausedUntilNanos = System.nanoTime() + nanos;
    } finally {
      lock.unlock();
    }
  }

  /** Which delivery this is, of those that used up no attempt; a replay counts anew. */
  private static int deliveries(Outcome.Claimed claimed) {
    return claimed.job().returned() + 1;
  }

  private static long backoffMs(RetryPolicy policy, long failures) {
    return policy.backoffMs((int) Math.max(1, failures), ThreadLocalRandom.current().nextLong());
  }

  private static Proof proof(Outcome.Claimed claimed) {
    return new Proof(null, null, null, claimed.lease().attempt(), claimed.lease().fence());
  }

  /** The task waits for another try, unless its receiver has begun all the same. */
  private void giveBack(Outcome.Claimed claimed, String why) {
    if (!isWaiting(claimed)) {
      return;
    }
    long delayMs = backoffMs(OF_TASK, deliveries(claimed));
    engine.execute(
        new Command.Release(
            claimed.job().id(), proof(claimed), delayMs, "not delivered: " + why, true),
        null);
  }

  /** Whether it still waits to be begun; a report for what has gone on would only be noted. */
  private boolean isWaiting(Outcome.Claimed claimed) {
    return engine
        .find(claimed.job().id())
        .map(view -> view.job().lease())
        .filter(lease -> lease.fence() == claimed.lease().fence())
        .isPresent();
  }

  private void giveUp(Outcome.Claimed claimed) {
    String error =
        new JsonWriter()
            .add("category", "INFRASTRUCTURE")
            .add("message", "nobody began it after " + MAX_DELIVERIES + " deliveries")
            .toJson();
    engine.execute(
        new Command.Fail(claimed.job().id(), proof(claimed), false, "DISPATCH_FAILED", error, null),
        null);
  }

  /** Takes nothing more, and waits for what is under way, but not for ever. */
  void close(long nanos) {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
      long left = nanos;
      while (underWay > 0 && left > 0) {
        left = changed.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      lock.unlock();
    }
  }
}
