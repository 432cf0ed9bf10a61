package dev.stint.engine;

import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** How many times something happened within the last minute, by queue; in memory, by second. */
final class Throughput {
  private static final int SECONDS = 60;
  private static final int MAX_QUEUES = 1_000;

  /** Counts by second; {@code at} says which second a place stands for. */
  private static final class Ring {
    final long since;
    final long[] at = new long[SECONDS];
    final long[] count = new long[SECONDS];

    Ring(long since) {
      this.since = since;
      Arrays.fill(at, Long.MIN_VALUE);
    }

    void add(long second, int n) {
      int place = Math.floorMod(second, SECONDS);
      if (at[place] != second) {
        at[place] = second;
        count[place] = 0;
      }
      count[place] += n;
    }

    /** By what was seen of the last minute. */
    double perSecond(long second) {
      return within(second) / (double) Math.clamp(second - since + 1, 1, SECONDS);
    }

    long within(long second) {
      long sum = 0;
      for (int i = 0; i < SECONDS; i++) {
        sum += at[i] > second - SECONDS ? count[i] : 0;
      }
      return sum;
    }
  }

  private final Map<String, Ring> rings =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Ring> eldest) {
          return size() > MAX_QUEUES;
        }
      };

  void add(Map<String, Integer> counts) {
    if (!counts.isEmpty()) {
      add(counts, second());
    }
  }

  synchronized void add(Map<String, Integer> counts, long second) {
    counts.forEach(
        (queue, n) -> rings.computeIfAbsent(queue, q -> new Ring(second)).add(second, n));
  }

  double perSecond(String queue) {
    return perSecond(queue, second());
  }

  synchronized double perSecond(String queue, long second) {
    Ring ring = rings.get(queue);
    return ring == null ? 0 : ring.perSecond(second);
  }

  Map<String, Long> perMinute() {
    return perMinute(second());
  }

  synchronized Map<String, Long> perMinute(long second) {
    Map<String, Long> sums = new HashMap<>();
    rings.forEach((queue, ring) -> sums.put(queue, ring.within(second)));
    return sums;
  }

  private static long second() {
    return TimeUnit.NANOSECONDS.toSeconds(System.nanoTime());
  }
}
