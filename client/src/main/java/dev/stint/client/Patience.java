package dev.stint.client;

import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;

/**
 * All waiting for better times. A stop ends it early, and so does, for those who wait for the
 * control plane, the first of them that hears from it again. That it is away is told once, and so
 * is that it lets nobody in. While the worker is drained, nothing is taken.
 */
public final class Patience {
  private static final System.Logger log = System.getLogger(Patience.class.getName());
  private static final long FIRST_MS = 1_000;
  private static final long LONGEST_MS = 30_000;
  private static final Duration NO_LIMIT = Duration.ofDays(1);

  /** Nobody waits longer; much more would have too many nanoseconds to be counted. */
  private static final Duration FOREVER = Duration.ofDays(36_500);

  private final String whom;
  private boolean isAway;
  private boolean isBarred;
  private long aloneUntil = System.nanoTime();
  private int returns;
  private boolean isStopping;
  private boolean isDraining;

  /** With a control plane. */
  public Patience() {
    this("the control plane");
  }

  /** With somebody else. */
  public Patience(String whom) {
    this.whom = whom;
  }

  /** A time in nanoseconds, also if somebody means forever by it. */
  public static long nanos(Duration time) {
    return (time.compareTo(FOREVER) < 0 ? time : FOREVER).toNanos();
  }

  public synchronized void lost(String why) {
    if (!isAway) {
      isAway = true;
      log.log(Level.WARNING, whom + " is away, trying again: " + why);
    }
  }

  /** It answers, and wants to be left alone for a while. */
  public synchronized void lost(String why, Duration alone) {
    lost(why);
    long until = System.nanoTime() + alone.toNanos();
    aloneUntil = until - aloneUntil > 0 ? until : aloneUntil;
  }

  /** It answers, and does not let this worker in. */
  public synchronized void barred(String why) {
    isAway = true;
    if (!isBarred) {
      isBarred = true;
      log.log(
          Level.ERROR,
          whom
              + " does not let this worker in, trying again now and then: "
              + why
              + "; start it with a token that is valid for it, or make this one valid");
    }
  }

  /** It answers, and not with what it was asked for. */
  public void refused(String why, Answer answer) {
    if (answer.isBarred()) {
      barred(why);
    } else {
      lost(why, answer.retryAfter());
    }
  }

  public synchronized boolean isBarred() {
    return isBarred;
  }

  public synchronized boolean isAway() {
    return isAway;
  }

  public synchronized void heard() {
    if (isAway) {
      isAway = false;
      isBarred = false;
      returns++;
      log.log(Level.INFO, whom + " is back");
      notifyAll();
    }
  }

  public synchronized void stop() {
    isStopping = true;
    notifyAll();
  }

  public synchronized boolean isStopping() {
    return isStopping;
  }

  public synchronized void awaitStop() throws InterruptedException {
    while (!isStopping) {
      wait();
    }
  }

  /** Whether the control plane gives this worker nothing more, until it says otherwise. */
  public synchronized void draining(boolean isSo) {
    if (isSo != isDraining) {
      isDraining = isSo;
      log.log(
          Level.INFO,
          isSo ? "drained: takes no more jobs until resumed" : "resumed: takes jobs again");
      notifyAll();
    }
  }

  public synchronized boolean isDraining() {
    return isDraining;
  }

  public synchronized void awaitNotDraining() throws InterruptedException {
    while (isDraining && !isStopping) {
      wait();
    }
  }

  /** Sleeps, less if the worker stops. */
  public synchronized void sleep(Duration time) throws InterruptedException {
    sleep(time.toNanos(), false);
  }

  /**
   * Sleeps the longer the more tries have failed, and at least as long as was asked for, with
   * jitter so that a fleet does not march.
   */
  public void backOff(int failures) throws InterruptedException {
    backOff(failures, NO_LIMIT);
  }

  /** Like {@link #backOff(int)}, and never longer than {@code most}, whoever asks for it. */
  public synchronized void backOff(int failures, Duration most) throws InterruptedException {
    long end = System.nanoTime() + most.toNanos();
    sleep(Math.min(aloneUntil - System.nanoTime(), most.toNanos()), false);
    long pause = pause(isAway ? failures : 0).toNanos();
    sleep(Math.min(pause, end - System.nanoTime()), true);
  }

  /** Sleeps the longer the more tries have failed for reasons of one's own. */
  public void rest(int failures) throws InterruptedException {
    rest(failures, NO_LIMIT);
  }

  /** Like {@link #rest(int)}, and never longer than {@code most}. */
  public synchronized void rest(int failures, Duration most) throws InterruptedException {
    sleep(Math.min(pause(failures).toNanos(), most.toNanos()), false);
  }

  private static Duration pause(int failures) {
    long most = Math.min(LONGEST_MS, FIRST_MS << Math.min(failures, 10));
    return Duration.ofMillis(ThreadLocalRandom.current().nextLong(most / 2, most + 1));
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
