package dev.stint.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Single calls to one server or several, in turns with another load. All its jobs are in one book:
 * none may be lost or given out twice.
 */
final class TurnLoad {
  private final List<Target> targets;
  private final int connections;
  private final JobBook book = new JobBook();
  private final List<Double> rates = new ArrayList<>();

  TurnLoad(List<Target> targets, int connections) {
    this.targets = targets;
    this.connections = connections;
  }

  /** Measures both, now one and now the other first, so that a drift hits both alike. */
  static void inTurns(TurnLoad one, TurnLoad other, int turns, Scenario.Setting setting)
      throws RunFailedException {
    try (Scenario.Work.Step step = setting.work().begin("turns", 2L * turns)) {
      for (int turn = 0; turn < turns; turn++) {
        for (TurnLoad load : turn % 2 == 0 ? List.of(one, other) : List.of(other, one)) {
          load.run(Drive.seconds(setting.seconds() / turns), true);
          step.advance(1);
        }
      }
    }
  }

  void run(Duration length, boolean counts) throws RunFailedException {
    String queue = JobRequests.newQueue();
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

  long jobs() {
    return book.jobs();
  }

  double perSecond() {
    return rates.stream().mapToDouble(each -> each).average().orElse(0);
  }
}
