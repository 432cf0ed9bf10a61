package dev.stint.storage;

import dev.stint.engine.Event;
import dev.stint.engine.Needs;
import dev.stint.engine.Store.Ready;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/** What waits to be announced, gathered: the same is told once, and of too much only so much. */
final class AnnouncementQueue {
  private static final int MAX_WAITING = 10_000;

  /** What is told of: so many jobs with these needs in this queue. */
  record Kind(String queue, Needs needs) {}

  /** What goes out together. */
  static final class Batch {
    private final Map<Kind, Integer> claimable = new LinkedHashMap<>();
    private final Set<UUID> news = new LinkedHashSet<>();
    private boolean isInterested;

    Map<Kind, Integer> claimable() {
      return claimable;
    }

    /** Jobs that have new events. */
    Set<UUID> news() {
      return news;
    }

    /** Whether this control plane wants to know of new events. */
    boolean isInterested() {
      return isInterested;
    }

    boolean isEmpty() {
      return claimable.isEmpty() && news.isEmpty() && !isInterested;
    }
  }

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Batch waiting = new Batch();
  private boolean closed;

  void addReady(List<Ready> ready) {
    add(batch -> {
      for (Ready one : ready) {
        if (batch.claimable.size() < MAX_WAITING) {
          batch.claimable.merge(new Kind(one.queue(), one.needs()), one.count(), Integer::sum);
        }
      }
    });
  }

  void addNews(List<Event> events) {
    add(batch -> {
      for (Event event : events) {
        if (event.jobId() != null && batch.news.size() < MAX_WAITING) {
          batch.news.add(event.jobId());
        }
      }
    });
  }

  void addInterest() {
    add(batch -> batch.isInterested = true);
  }

  private void add(Consumer<Batch> adding) {
    lock.lock();
    try {
      if (!closed) {
        adding.accept(waiting);
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is something to send; empty when closed. */
  Batch take() {
    lock.lock();
    try {
      while (waiting.isEmpty() && !closed) {
        changed.awaitUninterruptibly();
      }
      Batch batch = closed ? new Batch() : waiting;
      waiting = new Batch();
      return batch;
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
