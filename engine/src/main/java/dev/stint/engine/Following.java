package dev.stint.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One reader of the events of one job: first what the store has, then what is committed, each event
 * once and in order. What is committed waits here until it is taken, but only so much of it:
 * whoever is too slow is cut off, and may begin again behind the last event it got.
 *
 * <p>It is joined to the {@link Feed} before it looks into the store, so that nothing falls between
 * the two; what comes both ways is told by its number. To be used by one thread.
 */
public final class Following implements AutoCloseable {
  static final int MAX_WAITING = 512;
  private static final int PAGE = 256;

  /** Why there is nothing more to come. */
  public enum End {
    /** The job has ended. */
    FINISHED,
    /** The job is not kept any longer. */
    GONE,
    /** The reader was too slow. */
    CUT_OFF,
    /** This control plane stops. */
    STOPPED
  }

  private final Feed feed;
  private final Store store;
  private final UUID jobId;
  private boolean isEnded;
  private long last;
  private boolean inStore = true;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Event> waiting = new ArrayDeque<>();
  private boolean isLive;
  private boolean missed;
  private @Nullable End end;

  /**
   * A reader that has yet to join.
   *
   * @param job as it was before that
   */
  Following(Feed feed, Store store, Job job, long afterSeq) {
    this.feed = feed;
    this.store = store;
    this.jobId = job.id();
    this.isEnded = job.state().isTerminal();
    this.last = afterSeq;
  }

  UUID jobId() {
    return jobId;
  }

  /** Why it is over, or null while there may be more. */
  public @Nullable End end() {
    lock.lock();
    try {
      return end;
    } finally {
      lock.unlock();
    }
  }

  /** The next events; none if it is over, or if nothing happened for so long. */
  public List<Event> next(long maxWaitNanos) throws InterruptedException {
    while (inStore && end() == null) {
      List<Event> page = store.events(jobId, last, PAGE);
      if (!Event.mayBeFollowed(page, PAGE)) {
        inStore = !goLive();
      }
      List<Event> taken = take(page);
      if (!taken.isEmpty()) {
        return taken;
      }
    }
    // What waits may come after something that was not read.
    return inStore ? List.of() : take(await(maxWaitNanos));
  }

  /** From here on the feed has it all; false if something went past meanwhile. */
  private boolean goLive() {
    lock.lock();
    try {
      isLive = !missed;
      missed = false;
      return isLive;
    } finally {
      lock.unlock();
    }
  }

  private List<Event> await(long maxWaitNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = maxWaitNanos;
      while (waiting.isEmpty() && end == null && left > 0) {
        left = changed.awaitNanos(left);
      }
      List<Event> news = List.copyOf(waiting);
      waiting.clear();
      return news;
    } finally {
      lock.unlock();
    }
  }

  /** Leaves out what was taken before, and what comes after the end. */
  private List<Event> take(List<Event> events) {
    List<Event> taken = new ArrayList<>(events.size());
    int upToEnd = 0;
    for (Event event : events) {
      if (event.seq() > last) {
        last = event.seq();
        taken.add(event);
        isEnded = event.endsJob() || (isEnded && !event.revives());
        upToEnd = event.endsJob() ? taken.size() : upToEnd;
      }
    }
    if (!isEnded || inStore) {
      return taken;
    }
    end(End.FINISHED);
    return upToEnd == 0 ? taken : taken.subList(0, upToEnd);
  }

  /** Takes what was committed. Never waits for the reader. */
  void offer(List<Event> events) {
    lock.lock();
    try {
      if (end != null) {
        return;
      }
      if (waiting.size() + events.size() <= MAX_WAITING) {
        waiting.addAll(events);
      } else {
        waiting.clear();
        missed = true;
        end = isLive ? End.CUT_OFF : null;
      }
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** There is nothing more to come than what waits already. */
  void end(End why) {
    lock.lock();
    try {
      if (end == null) {
        end = why;
        changed.signal();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    feed.leave(this);
  }
}
