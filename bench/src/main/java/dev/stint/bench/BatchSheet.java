package dev.stint.bench;

import java.util.Locale;
import java.util.Optional;

/** Tells what batches brought. */
final class BatchSheet {
  private static final double AIM_ON_SQLITE = 0.5;

  private BatchSheet() {}

  static Sheet of(Database database, Plan plan, int batch, BatchMeasurement.Figures figures) {
    Sheet sheet =
        new Sheet(
                "batch-" + database.kind().replaceFirst(" .*", "").toLowerCase(Locale.ROOT),
                "Jobs in batches of %d on %s"
                    .formatted(batch, database.kind().replaceFirst(" .*", "")),
                "how",
                "connections",
                "jobs/s",
                "HTTP ÷ this",
                "server cores",
                "generator cores")
            .fact("database", database.describe())
            .fact(
                "measured",
                "%.1f s after %.1f s of warm-up; payload %d bytes; %d cores"
                    .formatted(
                        plan.each().toMillis() / 1e3,
                        plan.warmUp().toMillis() / 1e3,
                        plan.payloadBytes(),
                        Report.cores()));
    sheet.row(
        "over HTTP",
        figures.connections(),
        figures.jobsPerSecond(),
        1.0,
        figures.window().serverCores(),
        figures.window().generatorCores());
    figures.engine().ifPresent(rate -> row(sheet, "engine alone, on SQLite", rate, figures));
    figures.store().ifPresent(rate -> row(sheet, "store alone", rate, figures));
    if (database.kind().equals("SQLite")) {
      sheet.atLeast("jobs/s over HTTP ÷ store alone", AIM_ON_SQLITE, figures.ratio());
    }
    sheet.chart("jobs/s", false, "how");
    return notes(sheet, batch, figures);
  }

  private static void row(Sheet sheet, String how, double rate, BatchMeasurement.Figures figures) {
    sheet.row(how, "-", rate, figures.jobsPerSecond() / rate, Optional.empty(), Optional.empty());
  }

  private static Sheet notes(Sheet sheet, int batch, BatchMeasurement.Figures figures) {
    sheet.note(
        "over HTTP: POST /v1/jobs/batch with %d jobs, then POST /v1/leases/settle for what is held and a claim of %d in the same call"
            .formatted(batch, batch));
    for (Call call : new Call[] {Call.SUBMIT, Call.COMPLETE}) {
      Histogram histogram = figures.tally().of(call);
      sheet.note(
          "%s: p50 %.1f ms, p99 %.1f ms, max %.1f ms"
              .formatted(
                  call == Call.SUBMIT ? "submit" : "settle and claim",
                  histogram.percentile(50) / 1e6,
                  histogram.percentile(99) / 1e6,
                  histogram.max() / 1e6));
    }
    if (figures.store().isPresent()) {
      sheet.note("engine alone: the same commands from as many threads in this process, no HTTP");
      sheet.note(
          "store alone: what that engine asked of its store, asked of a fresh one again, one"
              + " transaction after the other: the same statements and rows, no HTTP, no rules");
    }
    return sheet.note(
        "all %,d jobs over HTTP were completed, none was given out twice"
            .formatted(figures.jobs()));
  }
}
