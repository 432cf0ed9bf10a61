package dev.stint.bench;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A library for Node.js, driven by a program of ours beside it: all jobs of a round are submitted
 * in batches, then its workers do them.
 */
final class NodeContender implements Contender {
  private static final Duration RUN_WITHIN = Duration.ofMinutes(10);
  private static final int CALLERS = 4;
  private static final int BATCH = 100;

  /** Fetched together: a Node.js that is new enough for all of them comes the same way. */
  static final Map<String, String> PACKAGES =
      Map.of(
          "graphile-worker",
          "0.18.0",
          "pg-boss",
          "12.28.1",
          "bullmq",
          "6.7.0",
          "ioredis",
          "5.11.1",
          "node-" + Machine.kind(),
          "24.20.0");

  private final PeerCache cache;
  private final String name;
  private final Place place;
  private final boolean isBatched;
  private final int workers;

  /** The running database, as the driver is told of it. */
  interface Place {
    Storage storage();

    /** A part of the order, as JSON; makes what the run needs. */
    String toJson() throws RunFailedException;

    String durability() throws RunFailedException;
  }

  NodeContender(PeerCache cache, String name, Place place, boolean isBatched, int workers) {
    this.cache = cache;
    this.name = name;
    this.place = place;
    this.isBatched = isBatched;
    this.workers = workers;
  }

  @Override
  public String peer() {
    return name;
  }

  @Override
  public Storage storage() {
    return place.storage();
  }

  @Override
  public String how() {
    return isBatched
        ? "no HTTP, batches of %d, %d workers".formatted(BATCH, workers)
        : "no HTTP, job by job, %d workers".formatted(workers);
  }

  @Override
  public boolean isBatched() {
    return isBatched;
  }

  @Override
  public Result run(Order order) throws RunFailedException {
    Path modules = cache.modules(PACKAGES);
    Path node = modules.resolve("node_modules/node-%s/bin/node".formatted(Machine.kind()));
    PeerCache.driver(modules, "rounds.mjs");
    Path driver = PeerCache.driver(modules, name + ".mjs");
    List<String> lines =
        OtherProgram.run(
            name,
            modules,
            List.of(node.toString(), driver.toString(), toJson(order)),
            Map.of(),
            RUN_WITHIN);
    double submitMs = 0;
    double workMs = 0;
    JsonFields round = new JsonFields("submit_ms", "work_ms");
    for (String line : lines) {
      byte[] text = line.getBytes(StandardCharsets.UTF_8);
      if (!round.scan(text, 0, text.length) || !round.has(0) || !round.has(1)) {
        throw new RunFailedException("the driver of %s said: %s".formatted(name, line));
      }
      submitMs += Double.parseDouble(round.raw(0));
      workMs += Double.parseDouble(round.raw(1));
    }
    if (lines.isEmpty()) {
      throw new RunFailedException("the driver of %s measured nothing".formatted(name));
    }
    double jobs = (double) order.jobs() * lines.size();
    return new Result(
        String.valueOf(PACKAGES.get(name)),
        place.durability(),
        jobs * 1e3 / (submitMs + workMs),
        lines.size(),
        Optional.of(jobs * 1e3 / submitMs),
        Optional.of(jobs * 1e3 / workMs),
        Optional.empty());
  }

  private String toJson(Order order) throws RunFailedException {
    return "{%s,\"jobs\":%d,\"batch\":%d,\"callers\":%d,\"workers\":%d,\"payloadBytes\":%d,\"seconds\":%s,\"warmUpSeconds\":%s,\"way\":\"%s\"}"
        .formatted(
            place.toJson(),
            order.jobs(),
            BATCH,
            CALLERS,
            workers,
            order.payloadBytes(),
            order.seconds(),
            order.warmUpSeconds(),
            isBatched ? "batch" : "single");
  }
}
