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

  long jobs() {
    return book.jobs();
  }

  double perSecond() {
    return rates.stream().mapToDouble(each -> each).average().orElse(0);
  }
}
