package dev.stint.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Stint beside others, each with the same number of jobs, one after the other. */
final class Peers {
  static final List<String> NAMES =
      List.of("stint", "conductor", "graphile-worker", "pg-boss", "bullmq");
  private static final int BATCH = 100;
  private static final double TIMES_CONDUCTOR = 50;

  private final PeerCache cache;
  private final Set<String> wanted;
  private final Contender.Order order;
  private final Consumer<String> progress;
  private final Map<Contender, Contender.Result> results = new LinkedHashMap<>();
  private final List<String> problems = new ArrayList<>();

  /**
   * A comparison.
   *
   * @param wanted some of {@link #NAMES}
   * @param progress is told who is at it
   */
  Peers(PeerCache cache, Set<String> wanted, Contender.Order order, Consumer<String> progress) {
    this.cache = cache;
    this.wanted = wanted;
    this.order = order;
    this.progress = progress;
  }

  Sheet run() {
    compare(new StintContender(Optional.empty(), 64, 0));
    compare(new StintContender(Optional.empty(), 4, BATCH));
    compare(new ConductorContender(cache, Optional.empty()));
    onPostgres();
    onRedis();
    return sheet();
  }

  private void onPostgres() {
    if (wanted.stream().allMatch(name -> name.equals("bullmq"))) {
      return;
    }
    try (PostgresProcess postgres = PostgresProcess.start()) {
      compare(postgres, new StintContender(Optional.of(postgres), 256, 0));
      compare(postgres, new StintContender(Optional.of(postgres), 8, BATCH));
      compare(postgres, new ConductorContender(cache, Optional.of(postgres)));
      for (boolean isBatched : new boolean[] {true, false}) {
        NodeContender.Place place = new PostgresPlace(postgres);
        compare(
            postgres,
            new NodeContender(cache, "graphile-worker", place, isBatched, isBatched ? 24 : 10));
        compare(
            postgres, new NodeContender(cache, "pg-boss", place, isBatched, isBatched ? 4 : 10));
      }
    } catch (RunFailedException e) {
      problems.add("all on PostgreSQL could not be run: " + e.getMessage());
    }
  }

  /** Leaves nothing behind that PostgreSQL would still vacuum while the next one is measured. */
  private void compare(PostgresProcess postgres, Contender contender) throws RunFailedException {
    compare(contender);
    postgres.dropDatabases();
  }

  private void onRedis() {
    if (!wanted.contains("bullmq")) {
      return;
    }
    try (RedisProcess redis = RedisProcess.startDurable(cache)) {
      compare(new NodeContender(cache, "bullmq", new RedisPlace(redis), false, 50));
    } catch (RunFailedException e) {
      problems.add("bullmq could not be run: " + e.getMessage());
    }
  }

  /** Whoever cannot be run keeps nobody else from it. */
  private void compare(Contender contender) {
    if (!wanted.contains(contender.peer())) {
      return;
    }
    String name =
        "%s on %s (%s)".formatted(contender.peer(), contender.storage().word(), contender.how());
    progress.accept(name);
    try {
      Contender.Result result = contender.run(order);
      results.put(contender, result);
      progress.accept("%s: %,.0f jobs/s".formatted(name, result.jobsPerSecond()));
    } catch (RunFailedException e) {
      problems.add("%s could not be run: %s".formatted(name, e.getMessage()));
    }
  }

  private Sheet sheet() {
    Sheet sheet =
        new Sheet(
                "peers",
                "Side by side, jobs through their whole life",
                "who",
                "kept in",
                "how",
                "jobs/s",
                "submit alone/s",
                "work alone/s",
                "rounds",
                "durability")
            .fact(
                "measured",
                "rounds of %,d jobs for %.0f s and at least one, after %.0f s of warm-up; payload %d bytes; %d cores"
                    .formatted(
                        order.jobs(),
                        order.seconds(),
                        order.warmUpSeconds(),
                        order.payloadBytes(),
                        Report.cores()));
    results.forEach((contender, result) ->
        sheet.row(
            contender.peer() + " " + result.version(),
            contender.storage().word(),
            contender.how(),
            result.jobsPerSecond(),
            result.submit(),
            result.work(),
            result.rounds(),
            result.durability()));
    aims(sheet);
    sheet.chart("jobs/s", true, "who", "kept in", "how");
    problems.forEach(sheet::note);
    results.forEach((contender, result) ->
        result
            .remark()
            .ifPresent(remark ->
                sheet.note(
                    "%s on %s: %s"
                        .formatted(contender.peer(), contender.storage().word(), remark))));
    return sheet.note(
        "those without HTTP are libraries in one process beside the database: all jobs of a round are submitted in batches of 100 by 4 callers, then done; theirs is the time of both together");
  }

  private void aims(Sheet sheet) {
    for (Contender.Storage storage :
        new Contender.Storage[] {Contender.Storage.SQLITE, Contender.Storage.POSTGRES}) {
      if (wanted.contains("conductor")) {
        sheet.atLeast(
            "Stint ÷ Conductor OSS, single calls, " + storage.word(),
            TIMES_CONDUCTOR,
            ratio(storage, false, "conductor"));
      }
    }
    for (String peer : new String[] {"graphile-worker", "pg-boss"}) {
      if (wanted.contains(peer)) {
        sheet.atLeast(
            "Stint ÷ %s, batches, PostgreSQL".formatted(peer),
            1,
            ratio(Contender.Storage.POSTGRES, true, peer));
      }
    }
  }

  private Optional<Double> ratio(Contender.Storage storage, boolean isBatched, String peer) {
    Optional<Double> ours = rate(storage, isBatched, "stint");
    return ours.flatMap(rate -> rate(storage, isBatched, peer).map(theirs -> rate / theirs));
  }

  private Optional<Double> rate(Contender.Storage storage, boolean isBatched, String peer) {
    return results.entrySet().stream()
        .filter(each -> each.getKey().peer().equals(peer))
        .filter(each -> each.getKey().storage() == storage)
        .filter(each -> each.getKey().isBatched() == isBatched)
        .map(each -> each.getValue().jobsPerSecond())
        .findFirst();
  }

  private record PostgresPlace(PostgresProcess postgres) implements NodeContender.Place {
    @Override
    public Contender.Storage storage() {
      return Contender.Storage.POSTGRES;
    }

    @Override
    public String toJson() throws RunFailedException {
      return "\"url\":\"%s\"".formatted(postgres.url(postgres.newDatabase()));
    }

    @Override
    public String durability() throws RunFailedException {
      return Database.postgres(postgres.jdbcUrl("postgres")).settings();
    }
  }

  private record RedisPlace(RedisProcess redis) implements NodeContender.Place {
    @Override
    public Contender.Storage storage() {
      return Contender.Storage.REDIS;
    }

    @Override
    public String toJson() {
      return "\"port\":" + redis.port();
    }

    @Override
    public String durability() {
      return RedisProcess.DURABILITY;
    }
  }
}
