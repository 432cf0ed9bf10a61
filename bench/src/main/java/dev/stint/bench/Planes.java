package dev.stint.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Two control planes on one PostgreSQL, each with half of the connections, in turns with one that
 * has them all. The jobs of both are in one book: none may be lost or given out twice.
 */
final class Planes implements Scenario {
  private static final int TURNS = 4;
  private static final double LEAST_SHARE = 0.9;

  @Override
  public Sheet run(Setting setting) throws RunFailedException {
    Sheet sheet =
        new Sheet(
            "planes",
            "Two control planes on one PostgreSQL",
            "control planes",
            "connections",
            "jobs",
            "jobs/s",
            "÷ one alone");
    try (ScenarioServers servers = ScenarioServers.on(Contender.Storage.POSTGRES)) {
      sheet.fact("database", servers.database().describe());
      sheet.fact(
          "measured",
          "%d turns of %.1f s for each, single calls; the second is up but idle while one works"
              .formatted(TURNS, setting.seconds() / TURNS));
      ServerProcess first = servers.start();
      ServerProcess second = servers.startBeside(first);
      Load one = new Load(List.of(first.target()), setting.count());
      Load two = new Load(List.of(first.target(), second.target()), setting.count());
      two.run(Drive.seconds(setting.warmUpSeconds()), false);
      try (Work.Step step = setting.work().begin("turns", 2L * TURNS)) {
        for (int turn = 0; turn < TURNS; turn++) {
          for (Load load : turn % 2 == 0 ? List.of(one, two) : List.of(two, one)) {
            load.run(Drive.seconds(setting.seconds() / TURNS), true);
            step.advance(1);
          }
        }
      }
      double share = two.perSecond() / one.perSecond();
      sheet.row("one", setting.count(), (long) one.book.jobs(), one.perSecond(), 1.0);
      sheet.row("two", setting.count(), (long) two.book.jobs(), two.perSecond(), share);
      sheet.atLeast("jobs/s of two ÷ one alone", LEAST_SHARE, Optional.of(share));
      sheet.chart("jobs/s", false, "control planes");
      return sheet.note("every job was submitted, claimed and completed exactly once");
    }
  }

  /** One way to spread the connections. */
  private static final class Load {
    private final List<Target> targets;
    private final int connections;
    private final JobBook book = new JobBook();
    private final List<Double> rates = new ArrayList<>();

    Load(List<Target> targets, int connections) {
      this.targets = targets;
      this.connections = connections;
    }

    void run(Duration length, boolean counts) throws RunFailedException {
      String queue = BatchMeasurement.newQueue();
      byte[] job = JobRequests.submitBody(queue, Drive.PAYLOAD_BYTES);
      JobRequests requests = new JobRequests(targets.getFirst(), queue, job, connections);
      Tally tally = new Tally();
      try (Loop loop = Loop.open(targets, connections, Drive.ANSWER_WITHIN)) {
        loop.run(new LifecycleScript(requests, connections, tally, book), length, _ -> {});
      }
      book.verify();
      if (counts) {
        rates.add(tally.of(Call.COMPLETE).count() * 1e9 / length.toNanos());
      }
    }

    double perSecond() {
      return rates.stream().mapToDouble(each -> each).average().orElse(0);
    }
  }
}
