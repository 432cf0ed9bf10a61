package dev.stint.client.sdk;

import org.jspecify.annotations.Nullable;

/** A handler at work on a thread, and whether its work is still wanted. */
public final class Work {
  /** Why it is not wanted any more. */
  public sealed interface Stop {
    /** Somebody asked for it. */
    record Cancelled(String reason) implements Stop {}

    /** The job is another worker's, or over. */
    record Lost() implements Stop {}

    /** The worker ends, and the time for its jobs is up. */
    record Closing() implements Stop {}
  }

  private @Nullable Thread thread;
  private @Nullable Stop stop;

  public synchronized @Nullable Stop stopped() {
    return stop;
  }

  public boolean isLost() {
    return stopped() instanceof Stop.Lost;
  }

  /** Whether the handler is still at it. */
  synchronized boolean isUnderWay() {
    return thread != null;
  }

  /**
   * Interrupts the handler, if it runs, and only once however often it is told: it may need time to
   * clean up. That the job is lost counts more than all else.
   */
  public synchronized void stop(Stop why) {
    if (stop == null && thread != null) {
      thread.interrupt();
    }
    if (stop == null || why instanceof Stop.Lost) {
      stop = why;
    }
  }

  /** The handler begins, on this thread. */
  public synchronized void begin() {
    thread = Thread.currentThread();
    if (stop != null) {
      thread.interrupt();
    }
  }

  /** The handler is over: no interrupt reaches whatever the thread does next. */
  public synchronized void end() {
    thread = null;
    Thread.interrupted();
  }
}
