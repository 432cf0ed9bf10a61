package dev.stint.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * How long a claim takes when a thousand jobs wait and when very many do, also when half of them
 * stand first and need what the worker lacks. All servers run at once and are measured in turns.
 */
final class Backlog implements Scenario {
  private static final int FEW = 1_000;
  private static final int CONNECTIONS = 8;
  private static final int TURNS = 5;
  private static final double MOST_TIMES = 1.5;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "backlog",
            "Claims while many jobs wait",
            "database",
            "waiting",
            "claims",
            "p50 ms",
            "p99 ms",
            "max ms",
            "p99 ÷ p99 of few",
            "jobs/s");
    sheet.fact(
        "measured",
        "%d turns of %.1f s for each case, %d connections that submit, claim and complete"
            .formatted(TURNS, setting.seconds() / TURNS, CONNECTIONS));
    for (Contender.Storage storage : setting.storages()) {
      measure(storage, setting, sheet);
    }
    return sheet.chart("p99 ms", false, "database", "waiting");
  }

  /** One number of waiting jobs. */
  private static final class Case {
    private final String name;
    private final Target target;
    private final String queue = JobRequests.newQueue();
    private final Tally tally = new Tally();
    private long nanos;

    Case(String name, Target target) {
      this.name = name;
      this.target = target;
    }

    double p99() {
      return tally.of(Call.CLAIM).percentile(99) / 1e6;
    }

    void run(Duration length, Tally into) throws RunFailedException {
      byte[] job = JobRequests.submitBody(queue, Drive.PAYLOAD_BYTES);
      JobRequests requests = new JobRequests(target, queue, job, CONNECTIONS);
      try (Loop loop = Loop.open(target, CONNECTIONS, Drive.ANSWER_WITHIN)) {
        nanos += loop.run(script(requests, into), length, _ -> {});
      }
    }

    /** The jobs that it claims are mostly those that were loaded, so there is no book of them. */
    private static Script script(JobRequests requests, Tally into) {
      return new LifecycleScript(requests, CONNECTIONS, into, new JobBook());
    }
  }

  private static void measure(Contender.Storage storage, Setting setting, Sheet sheet)
      throws RunFailedException {
    try (ScenarioServers servers = ScenarioServers.on(storage)) {
      sheet.fact(storage.word(), servers.database().describe());
      Case few = new Case("%,d".formatted(FEW), servers.start().target());
      Case many = new Case("%,d".formatted(setting.count()), servers.start().target());
      Case mixed =
          new Case(
              "%,d, the first half for others".formatted(setting.count()),
              servers.start().target());
      Drive.load(few.target, few.queue, "", FEW, setting.work());
      Drive.load(many.target, many.queue, "", setting.count(), setting.work());
      int half = setting.count() / 2;
      String forOthers = ",\"requirements\":[\"gpu\"],\"priority\":9";
      Drive.load(mixed.target, mixed.queue, forOthers, half, setting.work());
      Drive.load(mixed.target, mixed.queue, "", half, setting.work());
      List<Case> cases = List.of(few, many, mixed);
      for (Case each : cases) {
        each.run(Drive.seconds(setting.warmUpSeconds()), new Tally());
        each.nanos = 0;
      }
      inTurns(cases, setting);
      for (Case each : cases) {
        row(sheet, storage, each, few);
      }
      sheet.atMost(
          storage.word() + ": claim p99, many ÷ few",
          MOST_TIMES,
          Optional.of(many.p99() / few.p99()));
      sheet.atMost(
          storage.word() + ": the same, half of them for others",
          MOST_TIMES,
          Optional.of(mixed.p99() / few.p99()));
    }
  }

  private static void inTurns(List<Case> cases, Setting setting) throws RunFailedException {
    try (Work.Step step = setting.work().begin("claims", (long) TURNS * cases.size())) {
      for (int turn = 0; turn < TURNS; turn++) {
        // Whoever comes first in one turn comes last in the next.
        List<Case> order = new ArrayList<>(cases);
        if (turn % 2 == 1) {
          Collections.reverse(order);
        }
        for (Case each : order) {
          each.run(Drive.seconds(setting.seconds() / TURNS), each.tally);
          step.advance(1);
        }
      }
    }
  }

  private static void row(Sheet sheet, Contender.Storage storage, Case each, Case few) {
    Histogram claims = each.tally.of(Call.CLAIM);
    sheet.row(
        storage.word(),
        each.name,
        claims.count(),
        claims.percentile(50) / 1e6,
        each.p99(),
        claims.max() / 1e6,
        each.p99() / few.p99(),
        each.tally.of(Call.COMPLETE).count() * 1e9 / each.nanos);
  }
}
