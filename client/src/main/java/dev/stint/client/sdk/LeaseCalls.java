package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Json;
import dev.stint.client.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The calls for many leases at once, under {@code /v1/leases}. */
final class LeaseCalls {
  /** One call gives no more jobs. */
  static final int MOST_JOBS = 100;

  /** One call takes no more leases or reports. */
  static final int MOST_LEASES = 1_000;

  /** What no repetition will change. */
  private static final Set<Integer> VERDICTS = Set.of(400, 413);

  /**
   * A wish for jobs. Sent again it gives the same leases again, so that a lost answer loses no job.
   */
  record Claim(String id, int jobs, List<String> queues) {
    /** What the same wish was given before, and nothing new: no queue has such a name. */
    Claim again() {
      return new Claim(id, jobs, List.of(id));
    }
  }

  private interface Call {
    Answer send() throws IOException;
  }

  private final Api api;
  private final Patience patience;
  private final String workerId;
  private final List<String> queues;
  private final List<String> capabilities;

  LeaseCalls(
      Api api, Patience patience, String workerId, List<String> queues, List<String> capabilities) {
    this.api = api;
    this.patience = patience;
    this.workerId = workerId;
    this.queues = List.copyOf(queues);
    this.capabilities = List.copyOf(capabilities);
  }

  /** A new wish for so many jobs, or as many as one call gives. */
  Claim claimOf(int jobs) {
    return new Claim(UUID.randomUUID().toString(), Math.min(jobs, MOST_JOBS), queues);
  }

  /** Waits for jobs at most {@code wait}. */
  Answer claim(Claim claim, Duration wait) throws IOException {
    Map<String, @Nullable Object> body = worker();
    body.putAll(wish(claim));
    body.put("max_wait_ms", wait.toMillis());
    return heard(() -> api.post("/v1/leases/claim", body, wait));
  }

  Answer heartbeat(List<Json.Text> beats) throws IOException {
    Map<String, @Nullable Object> body = worker();
    body.put("leases", beats);
    return heard(() -> api.post("/v1/leases/heartbeat", body));
  }

  /** Reports, and takes what is there to be taken, without waiting for it. */
  Answer settle(List<Report> reports, @Nullable Claim claim) throws IOException {
    Map<String, @Nullable Object> body = worker();
    body.put("reports", reports.stream().map(Report::json).toList());
    if (claim != null) {
      body.put("claim", wish(claim));
    }
    return heard(() -> api.post("/v1/leases/settle", body));
  }

  private Map<String, @Nullable Object> worker() {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("worker_id", workerId);
    return body;
  }

  private Map<String, @Nullable Object> wish(Claim claim) {
    Map<String, @Nullable Object> wish = new LinkedHashMap<>();
    wish.put("streams", claim.queues());
    wish.put("capabilities", capabilities);
    wish.put("claim_id", claim.id());
    wish.put("max_jobs", claim.jobs());
    return wish;
  }

  static List<Lease> jobs(Answer answer) {
    return answer.objects("jobs").stream().map(Lease::new).toList();
  }

  /**
   * An answer of the control plane itself.
   *
   * @throws IOException if there is none just now, and the call is to be made again
   * @throws UnwelcomeException if the answer may stay what it is, however often one asks; that is
   *     so for a wrong token, which may be put right
   */
  private Answer heard(Call call) throws IOException {
    Answer answer;
    try {
      answer = call.send();
    } catch (IOException e) {
      if (!Thread.currentThread().isInterrupted()) {
        patience.lost(String.valueOf(e.getMessage()));
      }
      throw e;
    }
    if (answer.isOk() || VERDICTS.contains(answer.status())) {
      patience.heard();
      patience.draining(answer.flag("drain"));
      return answer;
    }
    String why = api.base() + " answers " + answer.status() + ": " + answer.problem();
    patience.refused(why, answer);
    throw answer.isBusy() ? new IOException(why) : new UnwelcomeException(why, answer);
  }
}
