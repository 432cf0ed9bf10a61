package dev.stint.server;

import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many jobs there are, as rows of a gauge. Anyone can make a queue, and every label costs the
 * monitoring memory: so only the fullest queues have one of their own.
 */
final class QueueDepths {
  static final int MAX_QUEUES = 100;
  static final String OTHERS = "(others)";

  private QueueDepths() {}

  static List<MultiGauge.Row<?>> rows(Map<Store.TallyKey, Long> tally) {
    Set<String> shown = fullest(tally);
    Map<Store.TallyKey, Long> depths = new HashMap<>();
    tally.forEach((key, count) ->
        depths.merge(
            new Store.TallyKey(shown.contains(key.queue()) ? key.queue() : OTHERS, key.state()),
            count,
            Long::sum));
    return depths.entrySet().stream()
        .<MultiGauge.Row<?>>map(depth ->
            MultiGauge.Row.of(
                Tags.of(
                    "queue",
                    depth.getKey().queue(),
                    "state",
                    depth.getKey().state().name().toLowerCase(Locale.ROOT)),
                depth.getValue()))
        .toList();
  }

  static List<MultiGauge.Row<?>> throughput(Map<String, Long> completedPerMinute) {
    return completedPerMinute.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(MAX_QUEUES)
        .<MultiGauge.Row<?>>map(
            queue -> MultiGauge.Row.of(Tags.of("queue", queue.getKey()), queue.getValue()))
        .toList();
  }

  static List<MultiGauge.Row<?>> errorRates(Map<Store.TallyKey, Long> tally) {
    Map<String, Long> totals = new HashMap<>();
    tally.forEach((key, count) -> totals.merge(key.queue(), count, Long::sum));
    return fullest(tally).stream()
        .<MultiGauge.Row<?>>map(queue -> {
          long failed = tally.getOrDefault(new Store.TallyKey(queue, JobState.FAILED), 0L);
          long total = totals.getOrDefault(queue, 0L);
          return MultiGauge.Row.of(
              Tags.of("queue", queue), total == 0 ? 0 : (double) failed / total);
        })
        .toList();
  }

  private static Set<String> fullest(Map<Store.TallyKey, Long> tally) {
    Map<String, Long> totals = new HashMap<>();
    tally.forEach((key, count) -> totals.merge(key.queue(), count, Long::sum));
    return totals.entrySet().stream()
        .sorted(Map.Entry.<String, Long>comparingByValue(Comparator.reverseOrder()))
        .limit(MAX_QUEUES)
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }
}
