package dev.stint.engine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What those look at who run a fleet. All of it comes from memory or from a bounded number of rows,
 * and what is asked all the time is asked of the store once a second at most.
 */
public final class Lookout {
  private static final int WORKERS_LIMIT = 1_000_000;
  private static final int WORKERS_AT_ONCE = 1_000;
  private static final int MAX_WORKERS = 10_000;
  private static final int MAX_AHEAD = 1_000;
  private static final int MAX_QUEUES = 1_000;
  private static final int MAX_QUEUES_LOOKED_INTO = 200;
  private static final int LOOKS = 50;
  private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Store store;
  private final Tally tally;
  private final Throughput throughput;
  private final Series series;
  private final Closures closures;
  private final WaitingRoom room;
  private final Watchers watchers = new Watchers();

  private @Nullable Fresh<Store.WorkerCounts> workers;
  private @Nullable Fresh<Map<String, Store.Waiting>> oldest;

  /** What was read, and when. */
  private record Fresh<T>(T value, long atNanos) {
    boolean isStale() {
      return System.nanoTime() - atNanos > MAX_AGE_NANOS;
    }
  }

  Lookout(
      Store store,
      Tally tally,
      Throughput throughput,
      Series series,
      Closures closures,
      WaitingRoom room) {
    this.store = store;
    this.tally = tally;
    this.throughput = throughput;
    this.series = series;
    this.closures = closures;
    this.room = room;
  }

  /** A seat for who looks on all the time. To be closed. */
  public interface Watch extends AutoCloseable {
    /** Waits for a change, but no longer than {@code nanos}; false if this server stops. */
    boolean await(long nanos) throws InterruptedException;

    /** Waits, whatever changes; false if this server stops. */
    boolean pause(long nanos) throws InterruptedException;

    @Override
    void close();
  }

  /**
   * Begins to look on.
   *
   * @throws OverloadedException if too many do already
   */
  public Watch watch() {
    return watchers.join();
  }

  /** Something was committed. */
  void changed() {
    watchers.changed();
  }

  /** Sends home all who look on. */
  void close() {
    watchers.close();
  }

  /** Everything, as of a second ago at most. */
  public Overview overview() {
    long now = store.now();
    Map<JobState, Long> states = new EnumMap<>(JobState.class);
    for (JobState state : JobState.values()) {
      states.put(state, 0L);
    }
    tally.snapshot().forEach((key, n) -> states.merge(key.state(), n, Long::sum));
    List<Overview.Queue> queues = queues();
    Store.Waiting first = null;
    for (Overview.Queue queue : queues) {
      Store.Waiting waiting = queue.oldest();
      if (waiting != null && (first == null || waiting.since() < first.since())) {
        first = waiting;
      }
    }
    return new Overview(now, states, queues, workerCounts(), first, series.minutes(now));
  }

  /** All queues that have jobs or are paused, by name; the fullest, if there are very many. */
  public List<Overview.Queue> queues() {
    Map<String, Map<JobState, Long>> counts = counts();
    Map<String, Store.Waiting> waiting = oldest(counts);
    Map<String, Long> completed = throughput.perMinute();
    return counts.keySet().stream()
        .sorted(byFullest(counts))
        .limit(MAX_QUEUES)
        .sorted()
        .map(name ->
            new Overview.Queue(
                name,
                closures.pause(name),
                counts.getOrDefault(name, Map.of()),
                waiting.get(name),
                completed.getOrDefault(name, 0L)))
        .toList();
  }

  private Map<String, Map<JobState, Long>> counts() {
    Map<String, Map<JobState, Long>> counts = new HashMap<>();
    tally
        .snapshot()
        .forEach((key, n) -> {
          if (n != 0) {
            counts
                .computeIfAbsent(key.queue(), q -> new EnumMap<>(JobState.class))
                .put(key.state(), n);
          }
        });
    closures.pauses().keySet().forEach(queue -> counts.putIfAbsent(queue, Map.of()));
    return counts;
  }

  private static Comparator<String> byFullest(Map<String, Map<JobState, Long>> counts) {
    return Comparator.<String>comparingLong(
            queue -> -counts.getOrDefault(queue, Map.of()).getOrDefault(JobState.PENDING, 0L))
        .thenComparing(Comparator.naturalOrder());
  }

  private synchronized Map<String, Store.Waiting> oldest(Map<String, Map<JobState, Long>> counts) {
    if (oldest == null || oldest.isStale()) {
      Map<String, Store.Waiting> found = new HashMap<>();
      counts.keySet().stream()
          .filter(
              queue -> counts.getOrDefault(queue, Map.of()).getOrDefault(JobState.PENDING, 0L) > 0)
          .sorted(byFullest(counts))
          .limit(MAX_QUEUES_LOOKED_INTO)
          .forEach(queue ->
              store.oldestClaimable(queue, LOOKS).ifPresent(waiting -> found.put(queue, waiting)));
      oldest = new Fresh<>(found, System.nanoTime());
    }
    return oldest.value();
  }

  /** How many workers there are; as of a second ago at most. */
  public synchronized Store.WorkerCounts workerCounts() {
    if (workers == null || workers.isStale()) {
      workers = new Fresh<>(store.workerCounts(WORKERS_LIMIT), System.nanoTime());
    }
    return workers.value();
  }

  /** Workers after {@code afterId}, in the order of their ids. */
  public List<Store.WorkerView> workers(String afterId, int limit) {
    return store.workers(afterId, limit);
  }

  /** The attempts of a job that are over, oldest first. */
  public List<Attempt> attempts(UUID jobId) {
    return store.attempts(jobId);
  }

  /** Groups of FAILED jobs, those that failed last first. */
  public List<Store.DeadGroup> deadGroups(Store.@Nullable DeadPlace after, int limit) {
    return store.deadGroups(after, limit);
  }

  /** The FAILED jobs of a group, newest first. */
  public List<UUID> deadJobs(String fingerprint, @Nullable UUID before, int limit) {
    return store.deadJobs(fingerprint, before, limit);
  }

  /** Why a job is where it is; empty if there is none. */
  public Optional<Explanation> explain(UUID jobId) {
    long now = store.now();
    return store
        .find(jobId)
        .map(Store.JobView::job)
        .filter(job -> !job.isExpired(now))
        .map(job -> Explanation.of(job, around(job), now));
  }

  private Explanation.Surroundings around(Job job) {
    boolean waits = job.state() == JobState.PENDING;
    List<Store.WorkerView> known = new ArrayList<>();
    boolean isAll = false;
    while (waits && !isAll && known.size() < MAX_WORKERS) {
      String after = known.isEmpty() ? "" : known.getLast().worker().id();
      List<Store.WorkerView> page = store.workers(after, WORKERS_AT_ONCE);
      known.addAll(page);
      isAll = page.size() < WORKERS_AT_ONCE;
    }
    return new Explanation.Surroundings(
        closures.pause(job.spec().queue()),
        known,
        isAll,
        job.claimable() ? store.aheadOf(job, MAX_AHEAD) : 0,
        MAX_AHEAD,
        room.waitingFor(job.spec().queue(), job.spec().needs()));
  }
}
