package dev.stint.worker;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The calls of the {@code fleet} contract. Each gives an answer to act upon, or an {@link
 * AwayException} when the same call is to be made again later.
 */
final class ControlPlane {
  /** What no repetition will change. All others, also a token that is good no more, may pass. */
  private static final Set<Integer> VERDICTS = Set.of(400, 404, 409, 410, 413);

  private final Api api;
  private final Patience patience;
  private final WorkerSettings settings;

  ControlPlane(WorkerSettings settings, Patience patience) {
    this.api = new Api(settings.controlUrl(), settings.token(), settings.times().request());
    this.patience = patience;
    this.settings = settings;
  }

  void register(String workerId) throws AwayException, RefusedException {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("worker_id", workerId);
    if (settings.nonce() != null) {
      body.put("nonce", settings.nonce());
    }
    body.put("worker_capabilities", settings.capabilities());
    body.put("slots", settings.slots());
    Answer answer = answer(() -> api.post("/register", body));
    if (!answer.isOk() && (answer.isForLater() || !isItsOwn(answer))) {
      throw away(answer);
    } else if (!answer.isOk()) {
      throw new RefusedException(refusal(workerId, answer));
    }
    patience.heard();
  }

  private String refusal(String workerId, Answer answer) {
    return switch (answer.status()) {
      case 401 ->
          api.base()
              + " does not take the token: "
              + answer.problem()
              + "; give it a valid one with --token-file, --token or STINT_API_TOKEN";
      case 403 -> api.base() + " does not let " + workerId + " in: " + answer.problem();
      default -> api.base() + " answers " + answer.status() + " to it: " + answer.problem();
    };
  }

  Answer reconnect(String workerId, List<String> currentJobIds, List<Report> ended)
      throws AwayException {
    Map<String, @Nullable Object> body = about(workerId, currentJobIds);
    body.put("completed_jobs", ended.stream().map(Report::toJson).toList());
    return post("/reconnect", body);
  }

  /** Waits for a job at most {@code wait}; 204 if there is none. */
  Answer nextJob(String workerId, String claimId, Duration wait) throws AwayException {
    String path =
        "/next-job?worker_id=%s&queue=%s&wait_ms=%d&claim_id=%s"
            .formatted(
                Api.encoded(workerId),
                Api.encoded(settings.queue()),
                wait.toMillis(),
                Api.encoded(claimId));
    return heard(() -> api.get(path, wait));
  }

  Answer acknowledge(String workerId, Assignment job) throws AwayException {
    return post(
        "/ack",
        Map.of(
            "job_id", job.jobId(),
            "worker_id", workerId,
            "assignment_id", job.assignmentId()));
  }

  Answer heartbeat(
      String workerId,
      long seq,
      List<String> currentJobIds,
      @Nullable Map<String, @Nullable Object> metrics)
      throws AwayException {
    Map<String, @Nullable Object> body = about(workerId, currentJobIds);
    body.put("seq", seq);
    if (metrics != null) {
      body.put("metrics", metrics);
    }
    return post("/heartbeat", body);
  }

  Answer report(Report report) throws AwayException {
    return post(report.kind().path(), report.body());
  }

  private static Map<String, @Nullable Object> about(String workerId, List<String> jobIds) {
    Map<String, @Nullable Object> body = new LinkedHashMap<>();
    body.put("worker_id", workerId);
    if (!jobIds.isEmpty()) {
      body.put("current_job_id", jobIds.getFirst());
    }
    body.put("current_job_ids", jobIds);
    return body;
  }

  private Answer post(String path, Map<String, ? extends @Nullable Object> body)
      throws AwayException {
    return heard(() -> api.post(path, body));
  }

  private interface Call {
    Answer send() throws IOException;
  }

  /** An answer that the control plane itself gave, and not one that stands in its way. */
  private Answer heard(Call call) throws AwayException {
    Answer answer = answer(call);
    boolean isVerdict = VERDICTS.contains(answer.status()) && isItsOwn(answer);
    if (!answer.isOk() && !isVerdict) {
      throw away(answer);
    }
    patience.heard();
    return answer;
  }

  /** Whether a refusal is the control plane's own: those of what stands before it name no error. */
  private static boolean isItsOwn(Answer refusal) {
    return refusal.string("error") != null;
  }

  private Answer answer(Call call) throws AwayException {
    try {
      return call.send();
    } catch (IOException e) {
      String why = String.valueOf(e.getMessage());
      patience.lost(why);
      throw new AwayException(why, true);
    }
  }

  private AwayException away(Answer answer) {
    String why = api.base() + " answers " + answer.status() + ": " + answer.problem();
    patience.refused(why, answer);
    return new AwayException(why, answer.isBarred() || answer.isBusy());
  }
}
