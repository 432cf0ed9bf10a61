package dev.stint.bench;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Stint itself, by single calls or by those for many. */
final class StintContender implements Contender {
  private static final Duration NO_END = Duration.ofHours(1);

  private final Storage storage;
  private final Optional<PostgresProcess> postgres;
  private final int connections;
  private final int batch;

  /** On SQLite, unless there is a PostgreSQL; {@code batch} is 0 for single calls. */
  StintContender(Optional<PostgresProcess> postgres, int connections, int batch) {
    this.storage = postgres.isPresent() ? Storage.POSTGRES : Storage.SQLITE;
    this.postgres = postgres;
    this.connections = connections;
    this.batch = batch;
  }

  @Override
  public String peer() {
    return "stint";
  }

  @Override
  public Storage storage() {
    return storage;
  }

  @Override
  public String how() {
    return isBatched()
        ? "HTTP, batches of %d, %d connections".formatted(batch, connections)
        : "HTTP, single calls, %d connections".formatted(connections);
  }

  @Override
  public boolean isBatched() {
    return batch > 0;
  }

  @Override
  public Result run(Order order) throws RunFailedException {
    Optional<String> db = Optional.empty();
    Database database = Database.temporarySqlite();
    if (postgres.isPresent()) {
      db = Optional.of(postgres.get().jdbcUrl(postgres.get().newDatabase()));
      database = Database.postgres(db.get());
    }
    try (ServerProcess server = ServerProcess.start(db, List.of());
        Loop loop = Loop.open(server.target(), connections, Plan.ANSWER_WITHIN)) {
      int jobs = Math.max(order.jobs(), Math.max(connections, connections * batch));
      Rounds.Pace pace =
          Rounds.run(
              order,
              jobs,
              jobs,
              count -> round(loop, server.target(), count, order.payloadBytes()));
      return new Result(
          "this one",
          database.settings(),
          pace.done().perSecond(),
          pace.rounds(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  private Rounds.Done round(Loop loop, Target target, int jobs, int payloadBytes)
      throws RunFailedException {
    long begin = System.nanoTime();
    String queue = JobRequests.newQueue();
    byte[] job = JobRequests.submitBody(queue, payloadBytes);
    JobBook book = new JobBook();
    Tally tally = new Tally();
    Script script =
        isBatched()
            ? new BatchScript(
                new BatchRequests(target, queue, job, batch), batch, connections, tally, book, jobs)
            : new LifecycleScript(
                new JobRequests(target, queue, job, connections), connections, tally, book, jobs);
    loop.run(script, NO_END, _ -> {});
    book.verify();
    if (book.jobs() < jobs) {
      throw new RunFailedException("%d of %d jobs were done".formatted(book.jobs(), jobs));
    }
    return new Rounds.Done(jobs, System.nanoTime() - begin);
  }
}
