package dev.stint.engine;

import dev.stint.engine.Store.TallyKey;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * How many jobs there are by queue and state, in memory, moved along with each commit. Where other
 * control planes change the same jobs it is read anew from time to time.
 */
final class Tally {
  private volatile ConcurrentHashMap<TallyKey, Long> counts = new ConcurrentHashMap<>();

  void replace(Map<TallyKey, Long> read) {
    counts = new ConcurrentHashMap<>(read);
  }

  void apply(Map<TallyKey, Long> changes) {
    ConcurrentHashMap<TallyKey, Long> current = counts;
    changes.forEach((key, change) -> current.merge(key, change, Tally::sum));
  }

  /** Null for nothing: queues come and go. */
  private static @Nullable Long sum(Long before, Long change) {
    long sum = before + change;
    return sum == 0 ? null : sum;
  }

  Map<TallyKey, Long> snapshot() {
    return Map.copyOf(counts);
  }

  /** The queues in which some job may wait to be claimed. */
  List<String> queuesWithPending() {
    return counts.keySet().stream()
        .filter(key -> key.state() == JobState.PENDING)
        .map(TallyKey::queue)
        .toList();
  }

  /** Whether a job in this state counts as one that waits to be run. */
  static boolean isQueued(JobState state) {
    return state == JobState.PENDING || state == JobState.RETRYING;
  }

  /** How many jobs of a queue wait to be run. */
  long queued(String queue) {
    Map<TallyKey, Long> current = counts;
    return current.getOrDefault(new TallyKey(queue, JobState.PENDING), 0L)
        + current.getOrDefault(new TallyKey(queue, JobState.RETRYING), 0L);
  }
}
