package dev.stint.engine;

import dev.stint.engine.Store.Ready;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Where claims wait that found nothing. When n jobs become claimable, the n waiters that came first
 * and can run them are woken to claim again, not all.
 *
 * <p>A wake-up stands for a job, so it must not get lost. A waiter stands in line before it looks,
 * and a job that comes between its look and its wait has woken it already. A waiter that was woken
 * and leaves without such a job (it found another one, its client is gone, its time is up) owes the
 * wake-up to the next in line.
 */
final class WaitingRoom {
  static final int MAX_WAITERS = 50_000;

  private final Map<String, Map<Skills, TreeMap<Long, Waiter>>> lines = new HashMap<>();
  private final Map<ClaimReceipt.Key, Waiter> byClaimId = new HashMap<>();
  private final Set<Waiter> present = new HashSet<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private volatile @Nullable Consumer<List<Ready>> watcher;
  private long nextTicket;
  private boolean closed;

  /** One claim that waits. Its fields belong to the room's lock. */
  static final class Waiter {
    private final Command.Claim claim;
    private final long ticket;
    private final Semaphore signal = new Semaphore(0);
    private @Nullable Ready wokenFor;
    private boolean dismissed;

    private Waiter(Command.Claim claim, long ticket) {
      this.claim = claim;
      this.ticket = ticket;
    }
  }

  /** Lets a claim in, or null if nobody may wait (any more). */
  synchronized @Nullable Waiter enter(Command.Claim claim) {
    if (closed || present.size() >= MAX_WAITERS) {
      return null;
    }
    Waiter waiter = new Waiter(claim, nextTicket++);
    present.add(waiter);
    ClaimReceipt.Key key = key(claim);
    Waiter twin = key == null ? null : byClaimId.put(key, waiter);
    if (twin != null) {
      // The same claim came again: whoever sent the first no longer waits for its answer.
      dismiss(twin);
    }
    lineUp(waiter);
    return waiter;
  }

  /** Waits to be woken. False: the time is up, or this claim may wait no longer. */
  boolean await(Waiter waiter, long nanos) throws InterruptedException {
    waiting.incrementAndGet();
    try {
      boolean signalled = waiter.signal.tryAcquire(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      synchronized (this) {
        return signalled && !waiter.dismissed;
      }
    } finally {
      waiting.decrementAndGet();
    }
  }

  /** Back into line, at the old place, before looking again. Returns what it was woken for. */
  synchronized @Nullable Ready lineUpAgain(Waiter waiter) {
    Ready wokenFor = waiter.wokenFor;
    waiter.wokenFor = null;
    if (!waiter.dismissed) {
      lineUp(waiter);
    }
    return wokenFor;
  }

  /**
   * Goes, with {@code taken} or with nothing.
   *
   * @param owed what it was last woken for
   */
  synchronized void leave(Waiter waiter, @Nullable Ready owed, @Nullable Job taken) {
    present.remove(waiter);
    stepOut(waiter);
    ClaimReceipt.Key key = key(waiter.claim);
    if (key != null) {
      byClaimId.remove(key, waiter);
    }
    if (owed != null && !isOf(owed, taken)) {
      wake(owed.queue(), owed.needs());
    }
    if (waiter.wokenFor != null) {
      // This came while it was looking: the job is not the one it found.
      wake(waiter.wokenFor.queue(), waiter.wokenFor.needs());
    }
  }

  private static boolean isOf(Ready owed, @Nullable Job taken) {
    return taken != null
        && owed.queue().equals(taken.spec().queue())
        && owed.needs().equals(taken.spec().needs());
  }

  /** Wakes those who wait for what became claimable, and tells who watches. */
  void wake(List<Ready> ready) {
    wakeWaiters(ready);
    Consumer<List<Ready>> told = watcher;
    if (told != null) {
      told.accept(ready);
    }
  }

  /** From now on {@code newWatcher} is told of all that becomes claimable. */
  void watch(Consumer<List<Ready>> newWatcher) {
    watcher = newWatcher;
  }

  boolean isWatched() {
    return watcher != null;
  }

  private synchronized void wakeWaiters(List<Ready> ready) {
    for (Ready kind : ready) {
      for (int i = 0; i < kind.count(); i++) {
        if (!wake(kind.queue(), kind.needs())) {
          break;
        }
      }
    }
  }

  private boolean wake(String queue, Needs needs) {
    Map<Skills, TreeMap<Long, Waiter>> line = lines.get(queue);
    if (line == null) {
      return false;
    }
    Waiter first = null;
    for (Map.Entry<Skills, TreeMap<Long, Waiter>> group : line.entrySet()) {
      if (group.getKey().satisfy(needs)) {
        Waiter candidate = group.getValue().firstEntry().getValue();
        first = first == null || candidate.ticket < first.ticket ? candidate : first;
      }
    }
    if (first == null) {
      return false;
    }
    stepOut(first);
    first.wokenFor = new Ready(queue, needs, 1);
    first.signal.release();
    return true;
  }

  private void lineUp(Waiter waiter) {
    for (String queue : waiter.claim.queues()) {
      lines
          .computeIfAbsent(queue, q -> new HashMap<>())
          .computeIfAbsent(waiter.claim.skills(), s -> new TreeMap<>())
          .put(waiter.ticket, waiter);
    }
  }

  private void stepOut(Waiter waiter) {
    Skills skills = waiter.claim.skills();
    for (String queue : waiter.claim.queues()) {
      Map<Skills, TreeMap<Long, Waiter>> line = lines.get(queue);
      TreeMap<Long, Waiter> group = line == null ? null : line.get(skills);
      if (line != null && group != null && group.remove(waiter.ticket) != null) {
        if (group.isEmpty()) {
          line.remove(skills);
        }
        if (line.isEmpty()) {
          lines.remove(queue);
        }
      }
    }
  }

  private void dismiss(Waiter waiter) {
    waiter.dismissed = true;
    stepOut(waiter);
    waiter.signal.release();
  }

  /** Answers all that a worker's claims wait for with nothing. */
  synchronized void dismiss(String workerId) {
    for (Waiter waiter : List.copyOf(present)) {
      if (waiter.claim.workerId().equals(workerId)) {
        dismiss(waiter);
      }
    }
  }

  /** How many wait for a job of a queue that has these needs. */
  synchronized int waitingFor(String queue, Needs needs) {
    int count = 0;
    for (Map.Entry<Skills, TreeMap<Long, Waiter>> group :
        lines.getOrDefault(queue, Map.of()).entrySet()) {
      count += group.getKey().satisfy(needs) ? group.getValue().size() : 0;
    }
    return count;
  }

  private static ClaimReceipt.@Nullable Key key(Command.Claim claim) {
    return claim.claimId() == null ? null : new ClaimReceipt.Key(claim.workerId(), claim.claimId());
  }

  /** The queues that somebody waits for. */
  synchronized List<String> queues() {
    return new ArrayList<>(lines.keySet());
  }

  /** How many wait now, other than those that are looking. */
  int waiting() {
    return waiting.get();
  }

  /** Sends everybody away, and lets nobody in again. */
  synchronized void close() {
    closed = true;
    present.forEach(this::dismiss);
  }
}
