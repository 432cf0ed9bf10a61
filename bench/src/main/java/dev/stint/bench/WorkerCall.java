package dev.stint.bench;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** One kind of request of a worker: what was promised, and what was seen. */
final class WorkerCall {
  private final String word;
  private final int promisedMs;
  private final Histogram histogram = new Histogram();
  private long failed;

  WorkerCall(String word, int promisedMs) {
    this.word = word;
    this.promisedMs = promisedMs;
  }

  synchronized void record(long nanos, boolean asExpected) {
    histogram.record(nanos);
    failed += asExpected ? 0 : 1;
  }

  static void printTable(PrintWriter out, int workers, List<WorkerCall> calls) {
    String head = "%7s  %-9s  %10s  %6s  %9s  %9s  %9s  %11s%n";
    out.printf(
        Locale.ROOT, head, "workers", "call", "count", "failed", "p50 ms", "p99 ms", "max ms", "promised ms");
    for (WorkerCall call : calls) {
      out.printf(
          Locale.ROOT,
          "%,7d  %-9s  %,10d  %,6d  %,9.2f  %,9.2f  %,9.2f  %11s%n",
          workers,
          call.word,
          call.histogram.count(),
          call.failed,
          call.histogram.percentile(50) / 1e6,
          call.histogram.percentile(99) / 1e6,
          call.histogram.max() / 1e6,
          "< " + call.promisedMs);
    }
    out.flush();
  }

  static String json(int workers, List<WorkerCall> calls) {
    return calls.stream()
        .map(WorkerCall::json)
        .collect(
            Collectors.joining(
                ",", "{\"ok\":true,\"workers\":" + workers + ",\"calls\":{", "}}"));
  }

  private String json() {
    return String.format(
        Locale.ROOT,
        "\"%s\":{\"count\":%d,\"failed\":%d,\"p50_ms\":%.3f,\"p99_ms\":%.3f,\"max_ms\":%.3f,\"promised_ms\":%d}",
        word,
        histogram.count(),
        failed,
        histogram.percentile(50) / 1e6,
        histogram.percentile(99) / 1e6,
        histogram.max() / 1e6,
        promisedMs);
  }
}
