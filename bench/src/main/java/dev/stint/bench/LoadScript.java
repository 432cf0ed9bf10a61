package dev.stint.bench;

import java.io.IOException;

/** Submits so many jobs, a thousand in each call. */
final class LoadScript implements Script {
  static final int BATCH = 1_000;

  private final byte[] request;
  private final Scenario.Work.Step step;
  private final int batch;
  private long left;

  /**
   * A load.
   *
   * @param job one of them as JSON
   */
  LoadScript(Target target, byte[] job, long jobs, Scenario.Work.Step step) {
    batch = (int) Math.min(BATCH, Math.max(1, jobs));
    request = BatchRequests.submit(target, job, batch);
    this.step = step;
    left = jobs;
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    left -= batch;
    connection.send(request, request.length, nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    if (!BatchAnswer.read(connection.answer()).allHave(201, batch)) {
      throw new RunFailedException("a load was answered " + connection.answer().shown());
    }
    step.advance(batch);
    if (left <= 0) {
      return false;
    }
    begin(connection, nowNanos);
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return Call.SUBMIT;
  }
}
