package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes commands durable, many at a time. Each writer takes all that wait, carries them out in one
 * transaction, and answers once that is committed: under load one sync of the disk serves dozens of
 * requests, and when few come a single command goes through at once, since nobody waits for a
 * timer.
 */
final class Ledger implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Ledger.class);
  private static final int CONFLICT_TRIES = 8;

  private final Store store;
  private final Clerk clerk;
  private final Unseen unseen;
  private final EngineSettings settings;
  private final Consumer<Committed> afterCommit;
  private final Runnable inDoubt;
  private final Outage outage = new Outage();
  private final BlockingQueue<Entry<?>> queue;
  private final List<Thread> writers = new ArrayList<>();
  private final Map<Thread, List<Entry<?>>> underWay = new ConcurrentHashMap<>();
  private volatile Gathering gathering = Gathering.NONE;

  /** A writer that waits until it is needed. */
  private volatile @Nullable Thread helper;

  private volatile boolean closing;
  private volatile boolean closed;

  /** A transaction that is durable, and how long that took. */
  record Committed(Clerk.Done done, int commands, long nanos) {}

  /**
   * A ledger of a store.
   *
   * @param inDoubt called when nobody knows whether something was committed
   */
  Ledger(
      Store store,
      Clerk clerk,
      Unseen unseen,
      EngineSettings settings,
      Consumer<Committed> afterCommit,
      Runnable inDoubt) {
    this.store = store;
    this.clerk = clerk;
    this.unseen = unseen;
    this.settings = settings;
    this.afterCommit = afterCommit;
    this.inDoubt = inDoubt;
    this.queue = new ArrayBlockingQueue<>(settings.queueCapacity());
  }

  @SuppressWarnings("ThreadPriorityCheck") // for speed alone: nothing relies on who goes first
  void start() {
    for (int i = 1; i <= store.writers(); i++) {
      boolean isFirst = i == 1;
      writers.add(
          Thread.ofPlatform()
              .name("stint-writer-" + i)
              // Everybody waits for it, so it goes first where the system lets it.
              .priority(Thread.MAX_PRIORITY)
              .daemon()
              .start(() -> write(isFirst)));
    }
    Thread.ofPlatform().name("stint-patience").daemon().start(this::watch);
  }

  <O extends Outcome> O execute(Command<O> command, @Nullable String requestId) {
    return take(command, requestId).await();
  }

  /** Takes many before it waits for the first, so that they share commits. */
  <O extends Outcome> List<Supplier<O>> executeAll(
      List<? extends Command<O>> commands, @Nullable String requestId) {
    List<Supplier<O>> answers = new ArrayList<>(commands.size());
    for (Command<O> command : commands) {
      answers.add(takeOrTell(command, requestId));
    }
    return answers;
  }

  private <O extends Outcome> Supplier<O> takeOrTell(
      Command<O> command, @Nullable String requestId) {
    try {
      return take(command, requestId)::await;
    } catch (OverloadedException e) {
      return () -> {
        throw e;
      };
    }
  }

  private <O extends Outcome> Entry<O> take(Command<O> command, @Nullable String requestId) {
    Entry<O> entry = new Entry<>(command, requestId);
    if (closing || !queue.offer(entry)) {
      throw new OverloadedException();
    }
    Thread idle = helper;
    if (idle != null && Gathering.areEnough(queue.size())) {
      LockSupport.unpark(idle);
    }
    if (closed && entry.take()) {
      // It came when the last writer had gone, and nobody will look into the queue again.
      throw new OverloadedException();
    }
    return entry;
  }

  /** Goes on whatever is thrown: were a writer gone, nobody would carry out what it took. */
  private void write(boolean isFirst) {
    List<Entry<?>> batch = List.of();
    while (true) {
      try {
        batch = new ArrayList<>(settings.maxBatch());
        if (!isFirst) {
          awaitNeed();
        }
        if (!takeInto(batch, gathering)) {
          if (closing) {
            return;
          }
          gathering = Gathering.NONE;
        } else if (!batch.isEmpty()) {
          underWay.put(Thread.currentThread(), batch);
          long begin = System.nanoTime();
          commitOrIsolate(batch);
          gathering = new Gathering(underWay(), System.nanoTime() - begin);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        failAll(batch, e);
        Mishap.log(log, "a batch of commands failed, of which some may have been carried out", e);
      } finally {
        underWay.remove(Thread.currentThread());
      }
    }
  }

  /**
   * Where many come at a time, one large commit costs less than two small ones beside each other.
   * So a writer joins in with the first one only where enough wait for a commit of its own, or that
   * one does not get on.
   */
  @SuppressWarnings("ReferenceEquality") // each commit leaves one of its own
  private void awaitNeed() {
    helper = Thread.currentThread();
    while (gathering.areMany() && !Gathering.areEnough(queue.size())) {
      Gathering before = gathering;
      LockSupport.parkNanos(before.patienceNanos());
      if (gathering == before) {
        break;
      }
    }
    helper = null;
  }

  /** Takes all that wait into a list with room for them; false if none came for a while. */
  private boolean takeInto(List<Entry<?>> batch, Gathering gathering) throws InterruptedException {
    Entry<?> first = queue.poll(100, TimeUnit.MILLISECONDS);
    if (first == null) {
      return false;
    }
    batch.add(first);
    LockSupport.parkNanos(gathering.pause(queue.size() + 1));
    queue.drainTo(batch, settings.maxBatch() - 1);
    batch.removeIf(entry -> !entry.take());
    return true;
  }

  /** Those that have no answer yet get this one. */
  private static void failAll(List<Entry<?>> batch, Throwable why) {
    for (Entry<?> entry : batch) {
      try {
        entry.fail(why);
      } catch (RuntimeException | Error e) {
        // The others wait for theirs all the same.
      }
    }
  }

  private void watch() {
    while (!closed) {
      try {
        TimeUnit.MILLISECONDS.sleep(500);
        giveUpOverdue(System.nanoTime());
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        Mishap.log(log, "cannot look for what is overdue, will go on trying", e);
      }
    }
  }

  /** Tells those who have waited too long that the store does not answer. */
  void giveUpOverdue(long nowNanos) {
    giveUp(entry -> entry.isOverdue(nowNanos));
  }

  private void giveUp(Predicate<Entry<?>> which) {
    for (Entry<?> entry : queue) {
      if (which.test(entry) && entry.take()) {
        var why = new StoreUnavailableException("the store does not answer; nothing was done");
        outage.goesOn(why);
        entry.fail(why);
      }
    }
    for (List<Entry<?>> batch : underWay.values()) {
      for (Entry<?> entry : batch) {
        if (which.test(entry)) {
          entry.fail(
              new StoreUnavailableException(
                  "the store does not answer; it may still be carried out"));
        }
      }
    }
  }

  /** One command that cannot be carried out must not take its neighbours down with it. */
  private void commitOrIsolate(List<Entry<?>> batch) {
    long begin = System.nanoTime();
    Clerk.Done done;
    try {
      done = commit(batch);
    } catch (StoreUnavailableException e) {
      failInDoubt(batch, e);
      return;
    } catch (RuntimeException | Error e) {
      if (batch.size() == 1) {
        commitAlone(batch.getFirst(), e);
        return;
      }
      log.debug("a batch of {} is carried out one by one after {}", batch.size(), e.toString());
      for (Entry<?> entry : batch) {
        commitOrIsolate(List.of(entry));
      }
      return;
    }
    tell(done, batch, begin);
  }

  private void failInDoubt(List<Entry<?>> batch, StoreUnavailableException why) {
    try {
      outage.goesOn(why);
      inDoubt.run();
    } finally {
      failAll(batch, why);
    }
  }

  private void commitAlone(Entry<?> entry, Throwable firstFailure) {
    Throwable failure = firstFailure;
    for (int tries = 1; failure instanceof StoreConflictException; tries++) {
      if (tries == CONFLICT_TRIES || failure instanceof StoreConflictException.InVain) {
        failure = new StoreUnavailableException("the store is too busy", failure);
        break;
      }
      long begin = System.nanoTime();
      Clerk.Done done;
      try {
        done = commit(List.of(entry));
      } catch (StoreUnavailableException e) {
        failInDoubt(List.of(entry), e);
        return;
      } catch (RuntimeException | Error e) {
        failure = e;
        continue;
      }
      tell(done, List.of(entry), begin);
      return;
    }
    entry.fail(failure);
    if (failure instanceof StoreUnavailableException) {
      outage.goesOn(failure);
    } else {
      String command = entry.command().getClass().getSimpleName();
      Mishap.log(log, "cannot carry out " + command, failure);
    }
  }

  private Clerk.Done commit(List<? extends Entry<?>> batch) {
    return unseen.during(
        turn -> store.transact(transaction -> clerk.carryOut(batch, transaction, turn)));
  }

  /**
   * Answers what is committed. Not where a failure has commands carried out again: these have been,
   * whatever goes wrong from here on.
   */
  private void tell(Clerk.Done done, List<Entry<?>> batch, long begin) {
    try {
      if (!done.changes().events().isEmpty() || !done.changes().updates().isEmpty()) {
        // A commit of nothing says nothing: a full disk takes that too.
        outage.isOver();
      }
      // Before the answers, so that whoever got one finds its change in every view.
      long nanos = System.nanoTime() - begin;
      afterCommit.accept(new Committed(done, batch.size(), nanos));
    } catch (RuntimeException | Error e) {
      // What listens to a commit must not turn it into a failure.
      Mishap.log(log, "after a commit", e);
    }
    for (Entry<?> entry : batch) {
      try {
        entry.answer();
      } catch (RuntimeException | Error e) {
        entry.fail(e);
      }
    }
  }

  /** How many are being carried out, have just been, or wait for it. */
  private int underWay() {
    int all = queue.size();
    for (List<Entry<?>> batch : underWay.values()) {
      all += batch.size();
    }
    return all;
  }

  /** How many commands wait now. */
  int waiting() {
    return queue.size();
  }

  /** Takes nothing more, commits what was taken, and returns. Nobody is left waiting. */
  @Override
  public void close() {
    closing = true;
    try {
      for (Thread writer : writers) {
        writer.join(TimeUnit.SECONDS.toMillis(20));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closed = true;
    giveUp(entry -> true);
  }
}
