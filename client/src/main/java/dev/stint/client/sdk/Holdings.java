package dev.stint.client.sdk;

import dev.stint.client.Patience;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The leases that a worker holds, and how many more it may take. A lease is held until its result
 * is reported, so that results that wait for an absent control plane keep the worker from taking
 * ever more.
 */
final class Holdings {
  private final Duration longestInterval;
  private final Map<String, Lease> byAttempt = new LinkedHashMap<>();
  private int free;
  private boolean isClosing;
  private boolean isEnded;
  private long beatAt;

  /**
   * Nothing is held yet.
   *
   * @param longestInterval between two beats, if the control plane does not want more
   */
  Holdings(int slots, Duration longestInterval) {
    this.free = slots;
    this.longestInterval = longestInterval;
  }

  /** Waits until some slots are free and sets them aside; 0 once the worker closes. */
  synchronized int reserve(int most) throws InterruptedException {
    while (free <= 0 && !isClosing) {
      wait();
    }
    if (isClosing) {
      return 0;
    }
    int reserved = Math.min(most, free);
    free -= reserved;
    return reserved;
  }

  /**
   * Fills slots that were set aside, and gives back the rest.
   *
   * @return older attempts at the same jobs, which are over now, whatever they think
   */
  synchronized List<Lease> fill(int reserved, List<Lease> leases) {
    List<Lease> former = new ArrayList<>();
    long now = System.nanoTime();
    for (Lease lease : leases) {
      byAttempt.values().stream().filter(one -> one.id().equals(lease.id())).forEach(former::add);
      boolean isFirst = byAttempt.isEmpty();
      byAttempt.put(lease.attemptId(), lease);
      long due = now + interval(lease).toNanos();
      beatAt = isFirst || due - beatAt < 0 ? due : beatAt;
    }
    free += reserved - leases.size();
    notifyAll();
    return former;
  }

  private Duration interval(Lease lease) {
    Duration wanted = lease.heartbeatInterval();
    return wanted.compareTo(longestInterval) < 0 ? wanted : longestInterval;
  }

  /** Lets go of leases, whose slots have been filled again or given back. */
  synchronized void release(List<Lease> leases) {
    leases.forEach(lease -> byAttempt.remove(lease.attemptId()));
    notifyAll();
  }

  /** Waits until the next beat is due; what is held then, or nothing once all has ended. */
  synchronized List<Lease> awaitBeat() throws InterruptedException {
    while (!isEnded) {
      long left = beatAt - System.nanoTime();
      if (byAttempt.isEmpty()) {
        wait();
      } else if (left > 0) {
        wait(left / 1_000_000, (int) (left % 1_000_000));
      } else {
        List<Lease> held = held();
        long shortest = held.stream().mapToLong(one -> interval(one).toNanos()).min().orElse(0);
        beatAt = System.nanoTime() + shortest;
        return held;
      }
    }
    return List.of();
  }

  synchronized List<Lease> held() {
    return List.copyOf(byAttempt.values());
  }

  synchronized boolean isClosing() {
    return isClosing;
  }

  /** From now on no slot is given out. */
  synchronized void close() {
    isClosing = true;
    notifyAll();
  }

  /** From now on no beat is due. */
  synchronized void end() {
    isEnded = true;
    notifyAll();
  }

  /** Whether nothing is held any more, at the latest after this time. */
  synchronized boolean awaitEmpty(Duration longest) throws InterruptedException {
    long most = Patience.nanos(longest);
    long end = System.nanoTime() + most;
    for (long left = most; left > 0 && !byAttempt.isEmpty(); left = end - System.nanoTime()) {
      wait(left / 1_000_000, (int) (left % 1_000_000));
    }
    return byAttempt.isEmpty();
  }
}
