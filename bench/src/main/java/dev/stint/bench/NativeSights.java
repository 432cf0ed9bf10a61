package dev.stint.bench;

import java.util.EnumMap;
import java.util.Map;

/** How soon what native workers write is seen over HTTP. */
final class NativeSights {

  /** What is waited for. */
  enum Sight {
    RUNNING("running, in its events"),
    WORD("a word of its worker's own, in its events"),
    DONE("done, in its events"),
    READ("done, when it is read");

    private final String words;

    Sight(String words) {
      this.words = words;
    }

    String words() {
      return words;
    }
  }

  private final Map<Sight, Histogram> times = new EnumMap<>(Sight.class);

  NativeSights() {
    for (Sight sight : Sight.values()) {
      times.put(sight, new Histogram());
    }
  }

  /** It is seen now. */
  synchronized void record(Sight sight, long writtenNanos) {
    of(sight).record(System.nanoTime() - writtenNanos);
  }

  synchronized Histogram of(Sight sight) {
    return times.getOrDefault(sight, new Histogram());
  }

  /** The p99 of the slowest of them. */
  synchronized double p99Ms() {
    return times.values().stream().mapToLong(each -> each.percentile(99)).max().orElse(0) / 1e6;
  }
}
