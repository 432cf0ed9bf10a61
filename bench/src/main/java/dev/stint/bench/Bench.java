package dev.stint.bench;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiFunction;

/** One run for each plan, each with a server and, unless one was named, a database of its own. */
final class Bench {
  private final Optional<String> db;
  private final Optional<Target> running;
  private final List<String> serverJavaOptions;
  private final PrintWriter err;

  /**
   * What to bench.
   *
   * @param db of the servers to start; empty for a fresh file each
   * @param running a server to drive instead of starting one
   * @param err gets what is worth knowing before the report
   */
  Bench(
      Optional<String> db,
      Optional<Target> running,
      List<String> serverJavaOptions,
      PrintWriter err) {
    this.db = db;
    this.running = running;
    this.serverJavaOptions = serverJavaOptions;
    this.err = err;
  }

  Report run(List<Plan> plans) throws RunFailedException {
    Database database = describeDatabase();
    List<Report.Run> runs = new ArrayList<>();
    for (Plan plan : plans) {
      runs.add(
          run(
              plan.connections() + " connections",
              Measurement.length(plan),
              (target, server, progress) -> new Measurement(target, plan, server, progress).run(),
              Report.Run::new));
    }
    return new Report(database, plans.getFirst(), runs);
  }

  LatencyReport run(Pace pace) throws RunFailedException {
    Database database = describeDatabase();
    return run(
        pace.workers() + " workers",
        pace.length(),
        (target, server, progress) -> new PacedWorkers(target, pace, server, progress).run(),
        (figures, server) -> new LatencyReport(database, pace, figures, server));
  }

  AudienceReport run(Audience audience) throws RunFailedException {
    Database database = describeDatabase();
    return run(
        audience.readers() + " readers",
        audience.length(),
        (target, server, progress) -> new AudienceRun(target, audience, server, progress).run(),
        (figures, server) -> new AudienceReport(database, audience, figures, server));
  }

  /** One sheet for each plan. */
  List<Sheet> runBatches(List<Plan> plans, int batch) throws RunFailedException {
    Database database = describeDatabase();
    List<Sheet> sheets = new ArrayList<>();
    for (Plan plan : plans) {
      String payload = JobRequests.payload(plan.payloadBytes());
      EngineLoad load = new EngineLoad(JobRequests.newQueue(), payload, batch, plan.connections());
      Optional<BareStore> bare =
          running.isPresent() ? Optional.empty() : Optional.of(new BareStore(db, load));
      sheets.add(
          run(
              "batches of " + batch,
              BatchMeasurement.length(plan),
              (target, server, progress) ->
                  new BatchMeasurement(target, plan, batch, bare, server, progress).run(),
              (figures, server) -> BatchSheet.of(database, plan, batch, figures)));
    }
    return sheets;
  }

  private Database describeDatabase() throws RunFailedException {
    if (running.isPresent()) {
      say("the server at " + running.get().base() + " keeps the jobs of this run in its database");
      return Database.unknown(running.get());
    }
    if (db.isEmpty()) {
      return Database.temporarySqlite();
    }
    Database database =
        Database.isPostgres(db.get()) ? Database.postgres(db.get()) : Database.sqlite(db.get());
    say("this run writes jobs into " + database.where() + " and leaves them there");
    return database;
  }

  /** Something to be measured on a server; its process is empty where it is not ours. */
  private interface Load<F> {
    F run(Target target, Optional<ProcessHandle> server, Progress progress)
        throws RunFailedException;
  }

  private <F, R> R run(
      String title, Duration length, Load<F> load, BiFunction<F, Optional<ServerFigures>, R> told)
      throws RunFailedException {
    if (running.isPresent()) {
      return told.apply(
          run(title, length, load, running.get(), Optional.empty()), Optional.empty());
    }
    try (ServerProcess server = ServerProcess.start(db, serverJavaOptions)) {
      try {
        F figures = run(title, length, load, server.target(), Optional.of(server.handle()));
        return told.apply(figures, Optional.of(server.figures()));
      } catch (RunFailedException e) {
        throw server.explained(e);
      }
    }
  }

  private <F> F run(
      String title, Duration length, Load<F> load, Target target, Optional<ProcessHandle> server)
      throws RunFailedException {
    if (!TerminalProgress.isWanted()) {
      say(title + ": warms up and measures, " + Math.ceilDiv(length.toMillis(), 1_000) + " s");
      return load.run(target, server, Progress.NONE);
    }
    try (TerminalProgress progress = new TerminalProgress(title, length)) {
      return load.run(target, server, progress);
    }
  }

  private void say(String text) {
    err.println("stint bench: " + text);
  }
}
