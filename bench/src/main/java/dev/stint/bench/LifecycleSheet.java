package dev.stint.bench;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells what single calls brought, on several databases. */
final class LifecycleSheet {
  /** By database and connections: the least that is aimed at. */
  private static final Map<String, Double> AIMS =
      Map.of("SQLite 64", 0.45, "SQLite 256", 0.55, "PostgreSQL 256", 0.3);

  private LifecycleSheet() {}

  static Sheet of(List<Report> reports) {
    Sheet sheet =
        new Sheet(
            "lifecycle",
            "Single calls, three a job",
            "database",
            "connections",
            "jobs/s",
            "requests/s",
            "echo requests/s",
            "ratio",
            "claim p99 ms",
            "server cores",
            "commit batch");
    for (Report report : reports) {
      String database = report.database().kind().replaceFirst(" .*", "");
      sheet.fact(database, report.database().describe());
      for (Report.Run run : report.runs()) {
        Figures figures = run.figures();
        sheet.row(
            database,
            figures.connections(),
            figures.jobsPerSecond(),
            figures.requestsPerSecond(),
            figures.echoPerSecond(),
            figures.ratio(),
            figures.tally().of(Call.CLAIM).percentile(99) / 1e6,
            figures.lifecycle().serverCores(),
            figures.commits().batch());
        String name = database + " " + figures.connections();
        Optional.ofNullable(AIMS.get(name))
            .ifPresent(aim ->
                sheet.atLeast(name + " connections: ratio to the echo", aim, figures.ratio()));
      }
    }
    return sheet.chart("ratio", false, "database", "connections");
  }
}
