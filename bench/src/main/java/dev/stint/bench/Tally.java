package dev.stint.bench;

import java.util.EnumMap;
import java.util.Map;

/**
 * The answers that came within the measured windows, by call. What comes in while a window drains
 * is checked like everything else but not counted here.
 */
final class Tally {
  private final Map<Call, Histogram> histograms = new EnumMap<>(Call.class);

  Tally() {
    for (Call call : Call.values()) {
      histograms.put(call, new Histogram());
    }
  }

  void record(Call call, long nanos) {
    of(call).record(nanos);
  }

  Histogram of(Call call) {
    Histogram histogram = histograms.get(call);
    if (histogram == null) {
      throw new IllegalArgumentException("no histogram for " + call);
    }
    return histogram;
  }

  /** Requests of the job lifecycle, without the echo. */
  long lifecycleRequests() {
    return of(Call.SUBMIT).count() + of(Call.CLAIM).count() + of(Call.COMPLETE).count();
  }
}
