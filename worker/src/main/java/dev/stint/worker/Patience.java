package dev.stint.worker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All waiting for better times. A stop ends it early, and so does, for those who wait for the
 * control plane, the first of them that hears from it again. That it is away is told once. While
 * the worker is drained, nothing is taken.
 */
final class Patience {
  private static final Logger log = LoggerFactory.getLogger(Patience.class);
  private static final long FIRST_MS = 1_000;
  private static final long LONGEST_MS = 30_000;

  private boolean isAway;
  private int returns;
  private boolean isStopping;
  private boolean isDraining;

  synchronized void lost(String why) {
    if (!isAway) {
      isAway = true;
      log.warn("the control plane is away, trying again: {}", why);
    }
  }

  synchronized void heard() {
    if (isAway) {
      isAway = false;
      returns++;
      log.info("the control plane is back");
      notifyAll();
    }
  }

  synchronized void stop() {
    isStopping = true;
    notifyAll();
  }

  synchronized boolean isStopping() {
    return isStopping;
  }

  synchronized void awaitStop() throws InterruptedException {
    while (!isStopping) {
      wait();
    }
  }

  /** Whether the control plane gives this worker nothing more, until it says otherwise. */
  synchronized void draining(boolean isSo) {
    if (isSo != isDraining) {
      isDraining = isSo;
      log.info(isSo ? "drained: takes no more jobs until resumed" : "resumed: takes jobs again");
      notifyAll();
    }
  }

  synchronized void awaitNotDraining() throws InterruptedException {
    while (isDraining && !isStopping) {
      wait();
    }
  }

  /** Sleeps, less if the worker stops. */
  synchronized void sleep(Duration time) throws InterruptedException {
    sleep(time.toNanos(), false);
  }

  /** Sleeps the longer the more tries have failed, with jitter so that a fleet does not march. */
  synchronized void backOff(int failures) throws InterruptedException {
    long most = isAway ? Math.min(LONGEST_MS, FIRST_MS << Math.min(failures, 10)) : FIRST_MS;
    long time = ThreadLocalRandom.current().nextLong(most / 2, most + 1);
    sleep(Duration.ofMillis(time).toNanos(), true);
  }

  private synchronized void sleep(long nanos, boolean isForReturn) throws InterruptedException {
    int returnsBefore = returns;
    long end = System.nanoTime() + nanos;
    for (long left = nanos;
        left > 0 && !isStopping && !(isForReturn && returns != returnsBefore);
        left = end - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
  }
}
