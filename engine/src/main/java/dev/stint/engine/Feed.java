package dev.stint.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands committed events to those who follow their jobs. A writer only puts them into a queue, and
 * nothing at all if nobody follows; a thread of the feed's own gives them to the readers, however
 * many there are.
 *
 * <p>Where one process writes, the events come out of memory. Where several do, their order within
 * a job is known only to the store: so what a commit or a notice brings is then the news that there
 * is something, and the feed looks it up, once for all readers of the job.
 */
final class Feed implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Feed.class);
  private static final int MAX_NEWS = 4_096;
  private static final int PAGE = Following.MAX_WAITING / 2;

  private final Store store;
  private final int maxFollowers;
  private final Map<UUID, Topic> topics = new ConcurrentHashMap<>();
  private final AtomicInteger followers = new AtomicInteger();
  private final BlockingQueue<News> waiting = new ArrayBlockingQueue<>(MAX_NEWS);
  private volatile boolean overrun;
  private volatile boolean closed;
  private @Nullable Thread thread;

  /**
   * What happened to followed jobs.
   *
   * @param events as they are stored, by job
   * @param unread jobs of which the store has something new
   * @param gone jobs that are not kept any longer
   */
  private record News(Map<UUID, List<Event>> events, Set<UUID> unread, List<UUID> gone) {}

  Feed(Store store, int maxFollowers) {
    this.store = store;
    this.maxFollowers = maxFollowers;
  }

  void start() {
    thread = Thread.ofPlatform().name("stint-feed").daemon().start(this::loop);
  }

  /** Whether anybody wants to know of these. */
  boolean wants(Collection<Event> events) {
    return !topics.isEmpty() && events.stream().anyMatch(this::isFollowed);
  }

  private boolean isFollowed(Event event) {
    return event.jobId() != null && topics.containsKey(event.jobId());
  }

  /**
   * Takes what was committed, on the writer's thread.
   *
   * @param lastSeq of the events, which have consecutive numbers; 0 if those are not known
   */
  void committed(Store.Changes changes, long lastSeq) {
    if (topics.isEmpty()) {
      return;
    }
    Map<UUID, List<Event>> events = new LinkedHashMap<>();
    Set<UUID> unread = new LinkedHashSet<>();
    long seq = lastSeq - changes.events().size();
    for (Event event : changes.events()) {
      seq++;
      UUID jobId = event.jobId();
      if (jobId == null || !topics.containsKey(jobId)) {
        continue;
      }
      if (lastSeq > 0) {
        events.computeIfAbsent(jobId, id -> new ArrayList<>()).add(event.numbered(seq));
      } else {
        unread.add(jobId);
      }
    }
    List<UUID> gone = changes.removals().stream().filter(topics::containsKey).toList();
    tell(new News(events, unread, gone));
  }

  /** Others have changed these jobs. */
  void lookUp(Collection<UUID> jobIds) {
    Set<UUID> followed = new LinkedHashSet<>(jobIds);
    followed.retainAll(topics.keySet());
    tell(new News(Map.of(), followed, List.of()));
  }

  /** Nobody knows what became of a commit: if it lasts, its events are in the store. */
  void lookUpAll() {
    lookUp(topics.keySet());
  }

  private void tell(News news) {
    if (news.events.isEmpty() && news.unread.isEmpty() && news.gone.isEmpty()) {
      return;
    }
    if (!waiting.offer(news)) {
      overrun = true;
    }
  }

  /** Looks for what nobody told of, and for jobs that others have removed. */
  void lookAround() {
    if (topics.isEmpty()) {
      return;
    }
    Set<UUID> unread = new LinkedHashSet<>();
    List<UUID> gone = new ArrayList<>();
    Set<UUID> followed = Set.copyOf(topics.keySet());
    Map<UUID, Long> newest = store.lastEventSeqs(followed);
    for (UUID jobId : followed) {
      Topic topic = topics.get(jobId);
      Long seq = newest.get(jobId);
      if (seq == null) {
        gone.add(jobId);
      } else if (topic != null && seq > topic.seen) {
        unread.add(jobId);
      }
    }
    tell(new News(Map.of(), unread, gone));
  }

  boolean isFollowed() {
    return !topics.isEmpty();
  }

  /** How many readers there are. */
  int followers() {
    return followers.get();
  }

  /**
   * Lets a reader have what is committed from now on.
   *
   * @throws OverloadedException if there are too many
   */
  void join(Following following) {
    if (closed || followers.incrementAndGet() > maxFollowers) {
      followers.decrementAndGet();
      throw new OverloadedException();
    }
    UUID jobId = following.jobId();
    Topic topic =
        topics.compute(
            jobId,
            (id, known) -> {
              Topic joined = known == null ? new Topic() : known;
              joined.readers.add(following);
              return joined;
            });
    if (followers.get() == 1) {
      store.announceInterest();
    }
    try {
      topic.begin(jobId);
    } catch (RuntimeException | Error e) {
      leave(following);
      throw e;
    }
    if (closed) {
      following.end(Following.End.STOPPED);
    }
  }

  void leave(Following following) {
    topics.computeIfPresent(
        following.jobId(),
        (id, topic) -> {
          if (topic.readers.remove(following)) {
            followers.decrementAndGet();
          }
          return topic.readers.isEmpty() ? null : topic;
        });
  }

  /** The readers of one job, and how far the feed has seen its events. */
  private final class Topic {
    final Set<Following> readers = ConcurrentHashMap.newKeySet();
    private boolean begun;
    volatile long seen;

    /** What is stored now every reader finds for itself, as it looks later than this. */
    synchronized void begin(UUID jobId) {
      if (!begun) {
        Long newest = store.lastEventSeqs(List.of(jobId)).get(jobId);
        seen = newest == null ? 0 : newest;
        begun = true;
        if (newest == null) {
          endAll(Following.End.GONE);
        }
      }
    }

    synchronized void give(List<Event> events) {
      readers.forEach(reader -> reader.offer(events));
      seen = Math.max(seen, events.getLast().seq());
    }

    synchronized void readOn(UUID jobId) {
      begin(jobId);
      List<Event> page;
      do {
        page = store.events(jobId, seen, PAGE);
        if (!page.isEmpty()) {
          give(page);
        }
      } while (Event.mayBeFollowed(page, PAGE));
    }

    void endAll(Following.End why) {
      readers.forEach(reader -> reader.end(why));
    }
  }

  private void loop() {
    boolean failed = false;
    while (!closed) {
      try {
        if (failed) {
          topics.values().forEach(topic -> topic.endAll(Following.End.CUT_OFF));
          failed = false;
        }
        handOut(waiting.take());
        if (overrun) {
          overrun = false;
          // Now, and not behind what waits: that may be younger than what was not let in.
          topics.keySet().forEach(this::readOn);
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException | Error e) {
        failed = true;
        Mishap.log(log, "events could not be handed to their readers, who may come again", e);
      }
    }
  }

  private void handOut(News news) {
    news.events.forEach((jobId, events) -> {
      Topic topic = topics.get(jobId);
      if (topic != null) {
        topic.give(events);
      }
    });
    for (UUID jobId : news.unread) {
      readOn(jobId);
    }
    for (UUID jobId : news.gone) {
      Topic topic = topics.get(jobId);
      if (topic != null) {
        topic.endAll(Following.End.GONE);
      }
    }
  }

  private void readOn(UUID jobId) {
    Topic topic = topics.get(jobId);
    if (topic == null) {
      return;
    }
    try {
      topic.readOn(jobId);
    } catch (StoreUnavailableException e) {
      log.debug("cannot look up the events of {} now: {}", jobId, e.getMessage());
      topic.endAll(Following.End.CUT_OFF);
    }
  }

  /** Ends all reading; readers may go on elsewhere, or here after a restart. */
  @Override
  public void close() {
    closed = true;
    topics.values().forEach(topic -> topic.endAll(Following.End.STOPPED));
    if (thread != null) {
      thread.interrupt();
    }
  }
}
