package dev.stint.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Makes the workers known to the server, and submits one task for each of their polls. */
final class PacedProducer implements AutoCloseable {
  /** So far it is ahead: a machine that stalls for less makes no worker poll in vain. */
  private static final int ROUNDS_AHEAD = 3;

  /** A token does not outlive the run by more, even if nobody is left to revoke it. */
  private static final int SPARE_TOKEN_SECONDS = 600;

  private final Target target;
  private final String queue;
  private final Pace pace;
  private final WaitingConnection connection;
  private final byte[] submit;

  /**
   * Connects it.
   *
   * @param target with the token of an admin
   * @param queue also the beginning of the workers' names
   */
  PacedProducer(Target target, String queue, Pace pace) throws IOException {
    this.target = target;
    this.queue = queue;
    this.pace = pace;
    connection = new WaitingConnection(target);
    submit = target.post("/api/v1/tasks", JobRequests.submitBody(queue, pace.payloadBytes()));
  }

  /** Returns the server as this worker calls it. */
  Target enrol(int worker) throws IOException, RunFailedException {
    String body =
        "{\"name\":\"bench\",\"worker_id\":\"%s\",\"ttl_seconds\":%d}"
            .formatted(name(worker), pace.length().toSeconds() + SPARE_TOKEN_SECONDS);
    byte[] request = target.post("/api/v1/admin/workers", body.getBytes(StandardCharsets.US_ASCII));
    Answer answer = connection.exchange("enrol", request, 201);
    JsonFields fields = new JsonFields("token");
    if (!fields.scan(answer) || !fields.has(0)) {
      throw new RunFailedException("enrol was answered without a token");
    }
    return new Target(target.base(), fields.string(0));
  }

  void dismiss(int worker) throws IOException, RunFailedException {
    connection.exchange("dismiss", target.delete("/api/v1/admin/workers/" + name(worker)), 200);
  }

  /** Submits what has to be there before the first poll. */
  void submitAhead() throws IOException, RunFailedException {
    for (int i = 0; i < pace.workers() * Math.min(ROUNDS_AHEAD, pace.rounds()); i++) {
      submit();
    }
  }

  /** Submits the rest, as many in a round as are polled, and returns how many those were. */
  int work(long beginNanos) throws IOException, InterruptedException, RunFailedException {
    int rounds = Math.max(0, pace.rounds() - ROUNDS_AHEAD);
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < pace.workers(); i++) {
        PacedWorker.sleepUntil(beginNanos + pace.submitDue(round, i).toNanos());
        submit();
      }
    }
    return rounds * pace.workers();
  }

  @Override
  public void close() {
    connection.close();
  }

  private void submit() throws IOException, RunFailedException {
    connection.exchange("submit", submit, 201);
  }

  private String name(int worker) {
    return queue + "-" + worker;
  }
}
