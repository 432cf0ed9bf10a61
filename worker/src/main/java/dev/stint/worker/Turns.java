package dev.stint.worker;

/**
 * How many of the free slots ask for a job at once. While there is none it is one, so that an idle
 * worker costs its control plane one waiting call and not one for each slot. With every job that
 * comes it is twice as many, so that a full queue fills all slots within a few round trips.
 */
final class Turns {
  private static final int MOST = 1 << 20;

  private int allowed = 1;
  private int asking;

  /** Waits for one's turn to ask. */
  synchronized void take() throws InterruptedException {
    while (asking >= allowed) {
      wait();
    }
    asking++;
  }

  /** Lets others ask, who have better chances if there was a job. */
  synchronized void giveBack(boolean hasJob) {
    asking--;
    allowed = hasJob ? Math.min(allowed * 2, MOST) : 1;
    notifyAll();
  }
}
