package dev.stint.bench;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;

/** The requests of a batch's life, as bytes. */
final class BatchRequests {
  private static final int MAX_WAIT_MS = 1_000;

  private final Target target;
  private final String queue;
  private final int batch;
  private final byte[] submit;

  /**
   * The requests for jobs of one queue.
   *
   * @param job one job as JSON, which is sent {@code batch} times over
   */
  BatchRequests(Target target, String queue, byte[] job, int batch) {
    this.target = target;
    this.queue = queue;
    this.batch = batch;
    submit = submit(target, job, batch);
  }

  /** A whole submit of so many equal jobs. */
  static byte[] submit(Target target, byte[] job, int count) {
    String one = new String(job, StandardCharsets.UTF_8);
    String all = String.join(",", Collections.nCopies(count, one));
    return target.post("/v1/jobs/batch", utf8("{\"jobs\":[" + all + "]}"));
  }

  byte[] submit() {
    return submit;
  }

  /** Takes up to a batch of jobs. */
  byte[] claim(int connection) {
    return target.post(
        "/v1/leases/claim",
        utf8("{\"worker_id\":\"%s\",%s}".formatted(worker(connection), wish(MAX_WAIT_MS))));
  }

  /**
   * Completes these jobs and takes up to a batch of others in the same call.
   *
   * @param waits for others if there are none yet
   */
  byte[] settleAndClaim(int connection, List<BatchAnswer.Lease> held, boolean waits) {
    StringBuilder body = new StringBuilder(256 * held.size() + 256);
    body.append("{\"worker_id\":\"").append(worker(connection)).append("\",\"reports\":");
    appendLeases(body, held, ",\"result\":{\"ok\":true}");
    body.append(",\"claim\":{").append(wish(waits ? MAX_WAIT_MS : 0)).append("}}");
    return target.post("/v1/leases/settle", utf8(body.toString()));
  }

  /** Keeps these jobs. */
  byte[] heartbeat(int connection, List<BatchAnswer.Lease> held) {
    StringBuilder body = new StringBuilder(200 * held.size() + 256);
    body.append("{\"worker_id\":\"").append(worker(connection)).append("\",\"leases\":");
    appendLeases(body, held, "");
    return target.post("/v1/leases/heartbeat", utf8(body.append('}').toString()));
  }

  private static void appendLeases(
      StringBuilder body, List<BatchAnswer.Lease> leases, String andEach) {
    String separator = "[";
    for (BatchAnswer.Lease lease : leases) {
      body.append(separator).append("{\"job_id\":\"").append(lease.jobId());
      body.append("\",\"attempt_id\":\"").append(lease.attemptId());
      body.append("\",\"lease_token\":\"").append(lease.token());
      body.append('"').append(andEach).append('}');
      separator = ",";
    }
    body.append(leases.isEmpty() ? "[]" : "]");
  }

  private String wish(int maxWaitMs) {
    return "\"streams\":[\"%s\"],\"max_jobs\":%d,\"max_wait_ms\":%d"
        .formatted(queue, batch, maxWaitMs);
  }

  private static String worker(int connection) {
    return "bench-worker-" + connection;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
