package dev.stint.bench;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

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
          running.isPresent()
              ? new Report.Run(measure(running.get(), plan, Optional.empty()), Optional.empty())
              : runWithServer(plan));
    }
    return new Report(database, plans.getFirst(), runs);
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

  private Report.Run runWithServer(Plan plan) throws RunFailedException {
    try (ServerProcess server = ServerProcess.start(db, serverJavaOptions)) {
      try {
        Figures figures = measure(server.target(), plan, Optional.of(server.handle()));
        return new Report.Run(figures, Optional.of(server.figures()));
      } catch (RunFailedException e) {
        throw server.explained(e);
      }
    }
  }

  private static Figures measure(Target target, Plan plan, Optional<ProcessHandle> server)
      throws RunFailedException {
    if (!TerminalProgress.isWanted()) {
      return new Measurement(target, plan, server, Progress.NONE).run();
    }
    try (TerminalProgress progress =
        new TerminalProgress(plan.connections() + " connections", Measurement.length(plan))) {
      return new Measurement(target, plan, server, progress).run();
    }
  }

  private void say(String text) {
    err.println("stint bench: " + text);
  }
}
