package dev.stint.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of which a mirror was told and at which it has not looked since. Until it does it need
 * not be told again, however often they change. The new ones among them are known to nobody but the
 * store; what there is to be seen of them is kept, so that it need not be read again. All that
 * holds while nobody else looks: where there are other control planes, during a lead, and each
 * transaction sees for itself that it lasts.
 */
final class Unseen {
  private static final Logger log = LoggerFactory.getLogger(Unseen.class);

  /** While the mirror is away, changes of more jobs than these are noted each time. */
  private static final int MOST = 100_000;

  private static final int MOST_SKETCHES = 10_000;

  /** The lead that never ends. */
  private static final String ALONE = "alone";

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition over = lock.newCondition();
  private final Map<UUID, Told> jobs = new ConcurrentHashMap<>();
  private int sketches;
  private volatile @Nullable String lead;

  /** A job that is to be looked at. */
  private static final class Told {
    final Turn first;
    final boolean isNew;

    /** Those that count on it; some of them may be over. */
    final List<Turn> turns = new ArrayList<>(2);

    /** What is to be seen of it; null if it is not new, not yet committed, or to be read. */
    @Nullable Sketch sketch;

    /** Whether something of it was missed, or may have been. */
    boolean isToBeRead;

    Told(Turn first, boolean isNew) {
      this.first = first;
      this.isNew = isNew;
      this.isToBeRead = !isNew;
      turns.add(first);
    }

    /** Whether a transaction may still change it without a word to the mirror. */
    boolean isUnderWay() {
      turns.removeIf(turn -> turn.isOver);
      return !turns.isEmpty();
    }
  }

  Unseen(boolean isAlone) {
    lead = isAlone ? ALONE : null;
  }

  @Nullable String lead() {
    return lead;
  }

  /** From now on nobody else looks at jobs. What was known before that is worth nothing. */
  void begin(String newLead) {
    lock.lock();
    try {
      forget();
      lead = newLead;
    } finally {
      lock.unlock();
    }
  }

  /** Others may look from now on. */
  void end() {
    lock.lock();
    try {
      forget();
      lead = null;
    } finally {
      lock.unlock();
    }
  }

  private void endOf(String ended) {
    lock.lock();
    try {
      if (ended.equals(lead)) {
        end();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Carries out a transaction. */
  Clerk.Done during(Function<Turn, Clerk.Done> transaction) {
    Turn turn = new Turn(lead);
    try {
      Clerk.Done done = transaction.apply(turn);
      turn.commit(done);
      return done;
    } catch (StoreUnavailableException e) {
      turn.doubt();
      throw e;
    } finally {
      turn.close();
    }
  }

  /** One transaction's part in this. */
  final class Turn {
    private final @Nullable String counted;
    private final Map<UUID, Told> touched = new HashMap<>();
    private boolean knows;
    private boolean isCommitted;
    private boolean isOver;

    private Turn(@Nullable String lead) {
      this.counted = lead;
    }

    /** Sees whether the lead lasts, before anything is decided that counts on it. */
    void ask(Store.Transaction transaction) {
      knows = counted != null && (counted.equals(ALONE) || transaction.leads(counted));
      if (counted != null && !knows) {
        endOf(counted);
      }
    }

    /** Whether this transaction may count on what is known here. */
    boolean knows() {
      return knows;
    }

    /** A new job comes, of which the mirror is told. */
    void comes(UUID jobId) {
      lock.lock();
      try {
        if (mayCount()) {
          add(jobId, true);
        }
      } finally {
        lock.unlock();
      }
    }

    /**
     * Something happens to a job.
     *
     * @param stored as it was before; null if it has to be read from the store to be shown
     * @return whether the mirror has to be told
     */
    boolean changes(UUID jobId, @Nullable Job stored) {
      lock.lock();
      try {
        if (!mayCount()) {
          // Others may look before this is committed, so that it is not unseen for sure any more.
          Told doubtful = jobs.remove(jobId);
          if (doubtful != null) {
            read(doubtful);
          }
          return true;
        }
        Told told = jobs.get(jobId);
        if (told == null) {
          add(jobId, false);
          return true;
        }
        boolean isShared = told.isUnderWay();
        told.turns.add(this);
        touched.put(jobId, told);
        if (isShared || told.sketch == null || !told.sketch.isOf(stored)) {
          read(told);
        }
        // As long as it is not known to be committed, the note that told of it may never be there.
        return !told.first.isCommitted;
      } finally {
        lock.unlock();
      }
    }

    /** The relay may have given the lead up since this transaction asked. */
    private boolean mayCount() {
      return knows && counted != null && counted.equals(lead);
    }

    private void add(UUID jobId, boolean isNew) {
      if (jobs.size() < MOST) {
        Told told = new Told(this, isNew);
        jobs.put(jobId, told);
        touched.put(jobId, told);
      }
    }

    private void commit(Clerk.Done done) {
      lock.lock();
      try {
        isCommitted = true;
        if (!touched.isEmpty()) {
          draw(done.changes(), done.eventSeqs());
        }
      } catch (RuntimeException | Error e) {
        // It is committed: nothing here may turn that into a failure.
        touched.values().forEach(Unseen.this::read);
        Mishap.log(log, "cannot keep what a mirror is to be shown; it will be read", e);
      } finally {
        lock.unlock();
      }
    }

    /**
     * Nobody knows whether it is committed, or will be. Where others may lead, whoever leads next
     * waits until the store has done with it; until then nothing is shown.
     */
    private void doubt() {
      if (knows && counted != null && !counted.equals(ALONE)) {
        endOf(counted);
      }
    }

    private void draw(Store.Changes changes, List<Long> eventSeqs) {
      for (Store.Arrival arrival : changes.arrivals()) {
        Told told = touched.get(arrival.job().id());
        if (told != null && !told.isToBeRead && !eventSeqs.isEmpty() && sketches < MOST_SKETCHES) {
          told.sketch = new Sketch(arrival);
          sketches++;
        } else if (told != null) {
          read(told);
        }
      }
      changes.updates().forEach(job -> redraw(job.id(), sketch -> sketch.become(job)));
      changes.attempts().forEach(one -> redraw(one.jobId(), sketch -> sketch.tried(one)));
      for (int i = 0; i < eventSeqs.size(); i++) {
        Event event = changes.events().get(i);
        if (event.jobId() != null) {
          long seq = eventSeqs.get(i);
          redraw(event.jobId(), sketch -> sketch.add(event.numbered(seq)));
        }
      }
    }

    /** Applies a change; what grows too large by it is not kept. */
    private void redraw(UUID jobId, Function<Sketch, Boolean> change) {
      Told told = touched.get(jobId);
      if (told != null && told.sketch != null && !change.apply(told.sketch)) {
        read(told);
      }
    }

    private void close() {
      lock.lock();
      try {
        isOver = true;
        if (!isCommitted) {
          // It may be committed all the same: what is known of these is only what the store has.
          touched.forEach((id, told) -> {
            read(told);
            if (told.first == this) {
              jobs.remove(id, told);
            }
          });
        }
        // Those that are kept know this turn, and must not keep all that it touched.
        touched.clear();
        over.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void forget() {
    jobs.values().forEach(this::read);
    jobs.clear();
  }

  /** It is not kept what is to be seen of this one. */
  private void read(Told told) {
    told.isToBeRead = true;
    if (told.sketch != null) {
      told.sketch = null;
      sketches--;
    }
  }

  /**
   * The mirror is about to look at these: what happens to them from now on has to be told. Waits
   * for transactions that have decided otherwise; gives those jobs that need not be read.
   */
  Map<UUID, Outbox.Fresh> look(Collection<UUID> jobIds) {
    Map<UUID, Outbox.Fresh> fresh = new HashMap<>();
    Map<UUID, Told> begun = new LinkedHashMap<>();
    lock.lock();
    try {
      for (UUID id : jobIds) {
        Told told = jobs.remove(id);
        if (told != null) {
          begun.put(id, told);
        }
      }
      for (Told told : begun.values()) {
        while (told.isUnderWay()) {
          over.await();
        }
      }
      begun.forEach((id, told) -> {
        if (told.sketch != null) {
          fresh.put(id, told.sketch.fresh());
        }
      });
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted", e);
    } finally {
      begun.values().forEach(this::read);
      lock.unlock();
    }
    return fresh;
  }

  /** Whether the mirror has never looked at it. */
  boolean isNew(UUID jobId) {
    Told told = jobs.get(jobId);
    return told != null && told.isNew;
  }
}
