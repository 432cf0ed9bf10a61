package dev.stint.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Claims all that waits, a hundred at a time, and keeps it; each connection is a worker. */
final class HoldScript implements Script {
  private final BatchRequests requests;
  private final Scenario.Work.Step step;
  private final List<List<BatchAnswer.Lease>> held = new ArrayList<>();

  HoldScript(BatchRequests requests, int connections, Scenario.Work.Step step) {
    this.requests = requests;
    this.step = step;
    for (int i = 0; i < connections; i++) {
      held.add(new ArrayList<>());
    }
  }

  /** What each connection's worker holds. */
  List<List<BatchAnswer.Lease>> held() {
    return held;
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    byte[] request = requests.claim(connection.number());
    connection.send(request, request.length, nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    if (connection.answer().status() != 200) {
      throw new RunFailedException("a claim was answered " + connection.answer().shown());
    }
    List<BatchAnswer.Lease> leases = BatchAnswer.read(connection.answer()).leases();
    held.get(connection.number()).addAll(leases);
    step.advance(leases.size());
    if (leases.isEmpty()) {
      return false;
    }
    begin(connection, nowNanos);
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return Call.CLAIM;
  }
}
