package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Api;
import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.UnreachableException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Brings many jobs to a control plane, as many in a call as fit, and again what is for later. */
final class Submitting {
  private static final int MOST_JOBS = 1_000;
  private static final int MOST_BYTES = 1_000_000;
  private static final Submitted TOO_LARGE =
      new Submitted(null, 413, "not sent, as a job may have at most " + MOST_BYTES + " bytes");

  private final Api api;
  private final long end;
  private final Patience patience = new Patience();
  private int failures;

  /**
   * Begins now.
   *
   * @param longest how long to try
   */
  Submitting(Api api, Duration longest) {
    this.api = api;
    this.end = System.nanoTime() + Patience.nanos(longest);
  }

  List<Submitted> submit(List<Submission> jobs) throws IOException {
    List<Submitted> outcomes = new ArrayList<>(jobs.size());
    Map<Integer, Json.Text> group = new LinkedHashMap<>();
    int bytes = 0;
    for (int i = 0; i < jobs.size(); i++) {
      Json.Text json = jobs.get(i).json();
      int size = json.json().getBytes(StandardCharsets.UTF_8).length + 1;
      if (group.size() == MOST_JOBS || bytes + size > MOST_BYTES) {
        outcomes.addAll(submitTogether(group));
        group.clear();
        bytes = 0;
      }
      if (size > MOST_BYTES) {
        outcomes.add(TOO_LARGE);
      } else {
        group.put(i, json);
        bytes += size;
      }
    }
    outcomes.addAll(submitTogether(group));
    return outcomes;
  }

  /** What fits into one call, by its place. */
  private List<Submitted> submitTogether(Map<Integer, Json.Text> group) throws IOException {
    Map<Integer, Submitted> outcomes = new LinkedHashMap<>();
    group.keySet().forEach(place -> outcomes.put(place, new Submitted(null, 503, "not sent")));
    Map<Integer, Json.Text> open = new LinkedHashMap<>(group);
    while (!open.isEmpty()) {
      Answer answer = send(List.copyOf(open.values()));
      List<Map<String, @Nullable Object>> results = answer.objects("results");
      List<Integer> places = List.copyOf(open.keySet());
      for (int i = 0; i < Math.min(places.size(), results.size()); i++) {
        Submitted outcome = outcome(results.get(i));
        outcomes.put(places.get(i), outcome);
        if (!isForLater(outcome.status())) {
          open.remove(places.get(i));
        }
      }
      if (!open.isEmpty() && !isPaused()) {
        break;
      }
    }
    return List.copyOf(outcomes.values());
  }

  private static Submitted outcome(Map<String, @Nullable Object> result) {
    int status = Results.status(result);
    return Results.field(result, "job_id") instanceof String id
        ? new Submitted(id, status, null)
        : new Submitted(null, status, Results.problem(result));
  }

  private static boolean isForLater(int status) {
    return status == 429 || status >= 500;
  }

  private Answer send(List<Json.Text> jobs) throws IOException {
    while (true) {
      String problem;
      Duration alone = Duration.ZERO;
      try {
        Answer answer = api.post("/v1/jobs/batch", Map.of("jobs", jobs));
        if (answer.isOk()) {
          patience.heard();
          return answer;
        } else if (!answer.isForLater()) {
          throw new RefusedException(answer);
        }
        problem = api.base() + " answers " + answer.status() + ": " + answer.problem();
        alone = answer.retryAfter();
      } catch (UnreachableException e) {
        problem = String.valueOf(e.getMessage());
      }
      patience.lost(problem, alone);
      if (!isPaused()) {
        throw new IOException(problem);
      }
    }
  }

  /** Waits a while, at most until the end; false if that has come. */
  private boolean isPaused() throws InterruptedIOException {
    long left = end - System.nanoTime();
    if (left <= 0) {
      return false;
    }
    try {
      patience.backOff(failures++, Duration.ofNanos(left));
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while jobs wait to be submitted");
    }
  }
}
