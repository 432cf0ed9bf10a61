package dev.stint.bench;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;

/** How long the calls of all workers took, each from the time when it was due. */
final class Latencies {
  private final Map<WorkerCall, Histogram> histograms = new EnumMap<>(WorkerCall.class);
  private final Histogram sentLate = new Histogram();

  Latencies() {
    for (WorkerCall call : WorkerCall.values()) {
      histograms.put(call, new Histogram());
    }
  }

  synchronized void record(WorkerCall call, long dueNanos, long sentNanos, long answeredNanos) {
    of(call).record(answeredNanos - dueNanos);
    sentLate.record(sentNanos - dueNanos);
  }

  Histogram of(WorkerCall call) {
    Histogram histogram = histograms.get(call);
    if (histogram == null) {
      throw new IllegalArgumentException("no histogram for " + call);
    }
    return histogram;
  }

  /** From when a call was due to when it was sent; part of what is counted for the call. */
  Histogram sentLate() {
    return sentLate;
  }

  boolean keeps(WorkerCall call) {
    return of(call).percentile(99) / 1e6 < call.promisedMs();
  }

  boolean keepsAll() {
    return Arrays.stream(WorkerCall.values()).allMatch(this::keeps);
  }
}
