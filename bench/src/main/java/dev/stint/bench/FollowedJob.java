package dev.stint.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** A job that runs for the whole time, and its worker, which reports when it is time to. */
final class FollowedJob implements AutoCloseable {
  private final int number;
  private final Target target;
  private final Audience audience;
  private final WaitingConnection connection;
  private final String id;
  private final String proof;
  private final long[] sent;
  private final long[] answered;

  /** Submits a job, and claims one: this or another that was submitted so. */
  FollowedJob(int number, Target target, String queue, Audience audience)
      throws IOException, RunFailedException {
    this.number = number;
    this.target = target;
    this.audience = audience;
    sent = new long[audience.reports()];
    answered = new long[audience.reports()];
    connection = new WaitingConnection(target);
    connection.exchange("submit", target.post("/v1/jobs", JobRequests.submitBody(queue, 0)), 201);
    String worker = queue + "-" + number;
    JsonFields lease = new JsonFields("job_id", "attempt_id", "lease_token");
    Answer claimed =
        post(
            "claim",
            "{\"worker_id\":\"%s\",\"streams\":[\"%s\"],\"max_wait_ms\":1000}"
                .formatted(worker, queue));
    if (!lease.scan(claimed) || !lease.has(2)) {
      throw new RunFailedException("claim was answered without a lease: " + claimed.shown());
    }
    id = lease.string(0);
    proof =
        "{\"worker_id\":\"%s\",\"job_id\":\"%s\",\"attempt_id\":\"%s\",\"lease_token\":\"%s\""
            .formatted(worker, id, lease.string(1), lease.string(2));
  }

  String id() {
    return id;
  }

  /** Makes all reports, then completes the job, and returns how many those were. */
  int work(long beginNanos) throws IOException, InterruptedException, RunFailedException {
    for (int i = 0; i < sent.length; i++) {
      PacedWorker.sleepUntil(beginNanos + audience.due(i, number).toNanos());
      sent[i] = System.nanoTime();
      post("heartbeat", proof + ",\"progress\":" + i % 100 + ",\"message\":\"" + i + "\"}");
      answered[i] = System.nanoTime();
    }
    post("complete", proof + ",\"result\":{\"ok\":true}}");
    return sent.length;
  }

  /** When a report was sent. */
  long sentNanos(int report) {
    return sent[report];
  }

  /** When it was answered, which is after its commit. */
  long answeredNanos(int report) {
    return answered[report];
  }

  private Answer post(String call, String body) throws IOException, RunFailedException {
    byte[] bytes = body.getBytes(StandardCharsets.US_ASCII);
    return connection.exchange(call, target.post("/internal/worker/" + call, bytes), 200);
  }

  @Override
  public void close() {
    connection.close();
  }
}
