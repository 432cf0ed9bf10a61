package dev.stint.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The jobs of which a mirror was told and at which it has not looked since. Until it does it need
 * not be told again, however often they change. The new ones among them are known to nobody but the
 * store; what there is to be seen of them is kept, so that it need not be read again. Where other
 * control planes write and look too, nothing is known.
 */
final class Unseen {
  private static final Logger log = LoggerFactory.getLogger(Unseen.class);

  /** While the mirror is away, changes of more jobs than these are noted each time. */
  private static final int MOST = 100_000;

  private static final int MOST_SKETCHES = 10_000;
  private static final int MOST_EVENTS = 50;
  private static final int MOST_CHARS = 8_000;
  private static final Sketch NONE = new Sketch(false);

  private final boolean isAlone;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<UUID, Sketch> jobs = new ConcurrentHashMap<>();
  private final Set<UUID> added = new HashSet<>();
  private int sketches;

  /** A job that is to be looked at; filled only if it is new, small, and nothing was left out. */
  private static final class Sketch {
    final boolean isNew;
    final List<Event> events = new ArrayList<>();
    Store.@Nullable Mirrored job;
    int chars;

    Sketch(boolean isNew) {
      this.isNew = isNew;
    }
  }

  Unseen(boolean isAlone) {
    this.isAlone = isAlone;
  }

  /** Carries out a transaction; the mirror begins to look before it or after it. */
  Clerk.Done during(Supplier<Clerk.Done> transaction) {
    if (!isAlone) {
      return transaction.get();
    }
    lock.lock();
    boolean committed = false;
    try {
      Clerk.Done done = transaction.get();
      committed = true;
      sketchOrForget(done);
      return done;
    } finally {
      if (!committed) {
        // It may be committed all the same; nothing is known any longer but what the store has.
        forget();
      }
      added.clear();
      lock.unlock();
    }
  }

  /** Whether it wants to know the numbers of events. */
  boolean wantsEvents() {
    return isAlone;
  }

  /** Whether the transaction under way has to tell of this job that it changes. */
  boolean isToBeTold(UUID jobId, boolean isNew) {
    if (!isAlone) {
      return true;
    }
    if (jobs.containsKey(jobId)) {
      return added.contains(jobId);
    }
    if (jobs.size() < MOST) {
      jobs.put(jobId, isNew ? new Sketch(true) : NONE);
      added.add(jobId);
    }
    return true;
  }

  /** It is committed: nothing here may turn that into a failure. */
  private void sketchOrForget(Clerk.Done done) {
    try {
      sketch(done.changes(), done.lastEventSeq());
    } catch (RuntimeException e) {
      log.error("cannot keep what a mirror is to be shown; it will be read", e);
      forget();
    }
  }

  private void forget() {
    jobs.clear();
    sketches = 0;
  }

  private void sketch(Store.Changes changes, long lastEventSeq) {
    for (Store.Arrival arrival : changes.arrivals()) {
      Sketch sketch = jobs.get(arrival.job().id());
      if (sketch != null && sketch.isNew && lastEventSeq > 0 && sketches < MOST_SKETCHES) {
        String key = arrival.key() == null ? null : arrival.key().key();
        Store.JobView view = new Store.JobView(arrival.job(), arrival.content(), null);
        sketch.job = new Store.Mirrored(view, key);
        sketches++;
        grow(sketch, arrival.content().payload());
        grow(sketch, arrival.content().metadata());
        grow(sketch, arrival.content().attributes());
      }
    }
    changes.updates().forEach(job -> redraw(job.id(), job, null));
    changes.attempts().forEach(attempt -> redraw(attempt.jobId(), null, attempt));
    long seq = lastEventSeq - changes.events().size();
    for (Event event : changes.events()) {
      seq++;
      Sketch sketch = event.jobId() == null ? null : jobs.get(event.jobId());
      if (sketch != null && sketch.job != null) {
        sketch.events.add(event.numbered(seq));
        grow(sketch, event.data());
      }
    }
    changes.removals().forEach(id -> drop(jobs.get(id)));
  }

  private void redraw(UUID jobId, @Nullable Job job, @Nullable Attempt attempt) {
    Sketch sketch = jobs.get(jobId);
    if (sketch == null || sketch.job == null) {
      return;
    }
    Store.JobView before = sketch.job.view();
    Store.JobView after =
        new Store.JobView(
            job == null ? before.job() : job,
            before.content(),
            attempt == null ? before.last() : attempt);
    sketch.job = new Store.Mirrored(after, sketch.job.key());
    if (attempt != null) {
      grow(sketch, attempt.result());
      grow(sketch, attempt.error());
      grow(sketch, attempt.metrics());
    }
  }

  private void grow(Sketch sketch, @Nullable String text) {
    sketch.chars += text == null ? 0 : text.length();
    if (sketch.chars > MOST_CHARS || sketch.events.size() > MOST_EVENTS) {
      drop(sketch);
    }
  }

  private void drop(@Nullable Sketch sketch) {
    if (sketch != null && sketch.job != null) {
      sketch.job = null;
      sketch.events.clear();
      sketches--;
    }
  }

  /** The mirror is about to look at these; gives those that need not be read. */
  Map<UUID, Outbox.Fresh> look(Collection<UUID> jobIds) {
    Map<UUID, Outbox.Fresh> fresh = new HashMap<>();
    if (!isAlone) {
      return fresh;
    }
    lock.lock();
    try {
      for (UUID id : jobIds) {
        Sketch sketch = jobs.remove(id);
        if (sketch != null && sketch.job != null) {
          fresh.put(id, new Outbox.Fresh(sketch.job, List.copyOf(sketch.events)));
          drop(sketch);
        }
      }
    } finally {
      lock.unlock();
    }
    return fresh;
  }

  /** Whether the mirror has never looked at it. */
  boolean isNew(UUID jobId) {
    return jobs.getOrDefault(jobId, NONE).isNew;
  }
}
