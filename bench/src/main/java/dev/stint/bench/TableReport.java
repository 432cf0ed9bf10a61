package dev.stint.bench;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;

/** The report for a person. */
final class TableReport {
  private static final String ABSENT = "-";

  private final PrintWriter out;

  TableReport(PrintWriter out) {
    this.out = out;
  }

  void print(Report report) {
    out.printf(Locale.ROOT, "database     %s%n", report.database().describe());
    out.printf(
        Locale.ROOT,
        "measured     %,.1f s each after %,.1f s of warm-up; payload %,d bytes; %d cores%n",
        report.plan().each().toMillis() / 1e3,
        report.plan().warmUp().toMillis() / 1e3,
        report.plan().payloadBytes(),
        Report.cores());
    printRates(report);
    printCalls(report);
    printCpu(report);
    printServers(report);
    for (Report.Run run : report.runs()) {
      out.printf(
          Locale.ROOT,
          "checked      all %,d jobs of %,d connections were completed, none was given out twice%n",
          run.figures().jobs(),
          run.figures().connections());
    }
    if (report.runs().stream().anyMatch(run -> run.figures().echo().isEmpty())) {
      out.printf(
          Locale.ROOT,
          "no ratio     this server has no %s; only the one that the bench starts has%n",
          EchoScript.PATH);
    }
    out.flush();
  }

  void print(LatencyReport report) {
    Pace pace = report.pace();
    Latencies latencies = report.figures().latencies();
    out.printf(Locale.ROOT, "database     %s%n", report.database().describe());
    out.printf(
        Locale.ROOT,
        "measured     %,d s after %,d s of warm-up; payload %,d bytes; %d cores%n",
        pace.startOf(pace.measuredRounds()).toSeconds(),
        pace.startOf(pace.warmUpRounds()).toSeconds(),
        pace.payloadBytes(),
        Report.cores());
    out.printf(
        Locale.ROOT,
        "pace         %,d workers, each with a task a second; %,d calls/s with the submits%n%n",
        pace.workers(),
        pace.callsPerSecond());
    printPromises(latencies);
    out.printf(
        Locale.ROOT,
        "%nsent late    p50 %.2f ms, p99 %.2f ms, max %.2f ms; counted in the figures above%n",
        latencies.sentLate().percentile(50) / 1e6,
        latencies.sentLate().percentile(99) / 1e6,
        latencies.sentLate().max() / 1e6);
    out.printf(
        Locale.ROOT,
        "cores        server %s, generator %.2f%n",
        show("%.2f", report.figures().window().serverCores()),
        report.figures().window().generatorCores());
    out.printf(
        Locale.ROOT,
        "commits      %s commands each, %s ms%n",
        show("%,.1f", report.figures().commits().batch()),
        show("%,.2f", report.figures().commits().millis()));
    out.printf(Locale.ROOT, "checked      all %,d tasks were completed%n", pace.tasks());
    out.flush();
  }

  void print(AudienceReport report) {
    Audience audience = report.audience();
    AudienceReport.Figures figures = report.figures();
    out.printf(Locale.ROOT, "database     %s%n", report.database().describe());
    out.printf(
        Locale.ROOT,
        "measured     %,d s after %,d s of warm-up; %d cores%n",
        audience.measuredSeconds(),
        audience.warmUpSeconds(),
        Report.cores());
    out.printf(
        Locale.ROOT,
        "audience     %,d readers of %,d jobs, each with %d events a second%n%n",
        audience.readers(),
        audience.jobs(),
        Audience.REPORTS_PER_SECOND);
    out.printf(
        Locale.ROOT,
        "%-22s  %10s  %9s  %9s  %9s%n",
        "until a reader has it",
        "count",
        "p50 ms",
        "p99 ms",
        "max ms");
    printReach("from sending it", figures.sinceSent());
    printReach("from its answer", figures.sinceAnswer());
    out.printf(
        Locale.ROOT,
        "%ncores        server %s, generator %.2f%n",
        show("%.2f", figures.window().serverCores()),
        figures.window().generatorCores());
    out.printf(
        Locale.ROOT,
        "checked      every reader saw all %,d reports of its job once, in order, and its end%n",
        audience.reports());
    out.flush();
  }

  private void printReach(String what, Histogram histogram) {
    out.printf(
        Locale.ROOT,
        "%-22s  %,10d  %,9.2f  %,9.2f  %,9.2f%n",
        what,
        histogram.count(),
        histogram.percentile(50) / 1e6,
        histogram.percentile(99) / 1e6,
        histogram.max() / 1e6);
  }

  private void printPromises(Latencies latencies) {
    out.printf(
        Locale.ROOT,
        "%-9s  %10s  %9s  %9s  %9s  %12s  %s%n",
        "call",
        "count",
        "p50 ms",
        "p99 ms",
        "max ms",
        "promised p99",
        "verdict");
    for (WorkerCall call : WorkerCall.values()) {
      Histogram histogram = latencies.of(call);
      out.printf(
          Locale.ROOT,
          "%-9s  %,10d  %,9.2f  %,9.2f  %,9.2f  %12s  %s%n",
          call.word(),
          histogram.count(),
          histogram.percentile(50) / 1e6,
          histogram.percentile(99) / 1e6,
          histogram.max() / 1e6,
          "< " + call.promisedMs() + " ms",
          latencies.keeps(call) ? "kept" : "missed");
    }
  }

  private void printRates(Report report) {
    out.println();
    out.printf(
        Locale.ROOT,
        "%11s  %10s  %12s  %15s  %12s%n",
        "connections",
        "jobs/s",
        "requests/s",
        "echo requests/s",
        "ratio");
    for (Report.Run run : report.runs()) {
      Figures figures = run.figures();
      out.printf(
          Locale.ROOT,
          "%,11d  %,10.0f  %,12.0f  %15s  %12s%n",
          figures.connections(),
          figures.jobsPerSecond(),
          figures.requestsPerSecond(),
          show("%,.0f", figures.echoPerSecond()),
          show("%.2f", figures.ratio()));
    }
  }

  private void printCalls(Report report) {
    out.println();
    out.printf(
        Locale.ROOT,
        "%11s  %-8s  %10s  %9s  %9s  %9s%n",
        "connections",
        "call",
        "count",
        "p50 ms",
        "p99 ms",
        "max ms");
    for (Report.Run run : report.runs()) {
      for (Call call : Call.values()) {
        Histogram histogram = run.figures().tally().of(call);
        if (histogram.count() > 0) {
          out.printf(
              Locale.ROOT,
              "%,11d  %-8s  %,10d  %,9.2f  %,9.2f  %,9.2f%n",
              run.figures().connections(),
              call.word(),
              histogram.count(),
              histogram.percentile(50) / 1e6,
              histogram.percentile(99) / 1e6,
              histogram.max() / 1e6);
        }
      }
    }
  }

  private void printCpu(Report report) {
    out.println();
    out.printf(
        Locale.ROOT,
        "%11s  %-9s  %12s  %17s  %15s  %20s%n",
        "connections",
        "cpu",
        "server cores",
        "server µs/request",
        "generator cores",
        "generator µs/request");
    for (Report.Run run : report.runs()) {
      Figures figures = run.figures();
      Tally tally = figures.tally();
      printCpu(figures, "lifecycle", figures.lifecycle(), tally.lifecycleRequests());
      figures
          .echo()
          .ifPresent(window -> printCpu(figures, "echo", window, tally.of(Call.ECHO).count()));
    }
  }

  private void printCpu(Figures figures, String kind, Window window, long requests) {
    out.printf(
        Locale.ROOT,
        "%,11d  %-9s  %12s  %17s  %15.2f  %20.0f%n",
        figures.connections(),
        kind,
        show("%.2f", window.serverCores()),
        show("%.0f", window.serverMicrosEach(requests)),
        window.generatorCores(),
        window.generatorMicrosEach(requests));
  }

  private void printServers(Report report) {
    out.println();
    out.printf(
        Locale.ROOT,
        "%11s  %15s  %8s  %8s  %12s  %9s%n",
        "connections",
        "first answer ms",
        "RSS MB",
        "peak MB",
        "commit batch",
        "commit ms");
    for (Report.Run run : report.runs()) {
      Figures figures = run.figures();
      out.printf(
          Locale.ROOT,
          "%,11d  %15s  %8s  %8s  %12s  %9s%n",
          figures.connections(),
          show("%,d", run.server().map(ServerFigures::firstAnswerMs)),
          show("%,d", run.server().flatMap(ServerFigures::rssKb).map(kb -> kb / 1024)),
          show("%,d", run.server().flatMap(ServerFigures::peakRssKb).map(kb -> kb / 1024)),
          show("%,.1f", figures.commits().batch()),
          show("%,.2f", figures.commits().millis()));
    }
    out.println();
  }

  private static String show(String format, Optional<?> value) {
    return value.map(number -> String.format(Locale.ROOT, format, number)).orElse(ABSENT);
  }
}
