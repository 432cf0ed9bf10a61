package dev.stint.engine;

import java.util.concurrent.TimeUnit;

/** Those who look on all the time: woken when something changed, and nobody's cost if none is. */
final class Watchers {
  private static final int MAX_WATCHERS = 1_000;

  private volatile int present;
  private long changes;
  private boolean closed;

  /** One who looks on. To be closed. */
  final class Watcher implements Lookout.Watch {
    private long seen;

    @Override
    public boolean await(long nanos) throws InterruptedException {
      return await(nanos, true);
    }

    @Override
    public boolean pause(long nanos) throws InterruptedException {
      return await(nanos, false);
    }

    private boolean await(long nanos, boolean isForChange) throws InterruptedException {
      synchronized (Watchers.this) {
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (!closed && left > 0 && !(isForChange && seen != changes)) {
          TimeUnit.NANOSECONDS.timedWait(Watchers.this, left);
          left = end - System.nanoTime();
        }
        seen = isForChange ? changes : seen;
        return !closed;
      }
    }

    @Override
    public void close() {
      synchronized (Watchers.this) {
        present--;
      }
    }
  }

  synchronized Watcher join() {
    if (closed || present >= MAX_WATCHERS) {
      throw new OverloadedException();
    }
    present++;
    return new Watcher();
  }

  void changed() {
    if (present > 0) {
      wake();
    }
  }

  private synchronized void wake() {
    changes++;
    notifyAll();
  }

  synchronized void close() {
    closed = true;
    notifyAll();
  }
}
