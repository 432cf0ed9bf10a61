package dev.stint.engine;

import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells in the log that the store takes nothing, and that it does again: once each, however many
 * calls have to be sent away meanwhile, and not all the time where it takes one thing and not the
 * next.
 */
final class Outage {
  private static final Logger log = LoggerFactory.getLogger(Outage.class);
  private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

  private long toldAt = System.nanoTime() - QUIET_NANOS;
  private volatile boolean isTold;

  synchronized void goesOn(Throwable why) {
    long now = System.nanoTime();
    if (!isTold && now - toldAt >= QUIET_NANOS) {
      isTold = true;
      toldAt = now;
      try {
        log.warn("cannot write now, calls get 503 until that is over: {}", why.getMessage());
      } catch (RuntimeException | Error e) {
        // Where memory is short a line may be too much, and who calls this must go on.
      }
    }
  }

  void isOver() {
    if (isTold) {
      isTold = false;
      try {
        log.info("can write again");
      } catch (RuntimeException | Error e) {
        // As above.
      }
    }
  }
}
