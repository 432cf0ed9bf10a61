package dev.stint.bench;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** The calls to Conductor's server that a job takes, one workflow with one simple task each. */
final class ConductorApi {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(30);
  private static final Duration FOUND_WITHIN = Duration.ofMinutes(1);
  private static final int POLL_MS = 200;
  private static final String TASK = "bench_task";
  private static final String WORKFLOW = "bench_workflow";

  private final HttpClient client;
  private final String base;

  ConductorApi(HttpClient client, String base) {
    this.client = client;
    this.base = base;
  }

  boolean isUp() throws IOException {
    try {
      return send(get("/health")).statusCode() == 200;
    } catch (RunFailedException e) {
      return false;
    }
  }

  /** Makes the kinds of task and workflow known. */
  void define() throws RunFailedException {
    require(
        post(
            "/api/metadata/taskdefs",
            """
            [{"name": "%s", "retryCount": 0, "timeoutSeconds": 3600,
              "responseTimeoutSeconds": 3000, "ownerEmail": "bench@example.com"}]
            """
                .formatted(TASK)));
    require(
        post(
            "/api/metadata/workflow",
            """
            {"name": "%s", "version": 1, "schemaVersion": 2, "ownerEmail": "bench@example.com",
             "timeoutSeconds": 0, "timeoutPolicy": "ALERT_ONLY",
             "tasks": [{"name": "%s", "taskReferenceName": "only", "type": "SIMPLE",
                        "inputParameters": {"data": "${workflow.input.data}"}}]}
            """
                .formatted(WORKFLOW, TASK)));
  }

  /**
   * Submits a job, takes one, its own or another's, and completes it.
   *
   * @return false if none was given out for a minute
   */
  boolean live(String payload) throws RunFailedException {
    require(post("/api/workflow/" + WORKFLOW, payload));
    byte[] polled = poll();
    if (polled.length == 0) {
      return false;
    }
    JsonFields task = new JsonFields("taskId", "workflowInstanceId");
    // The answer is a list of one.
    if (!task.scan(polled, 1, polled.length - 1) || !task.has(0) || !task.has(1)) {
      throw new RunFailedException(
          "a poll was answered " + new String(polled, StandardCharsets.UTF_8));
    }
    require(
        post(
            "/api/tasks",
            "{\"taskId\":\"%s\",\"workflowInstanceId\":\"%s\",\"status\":\"COMPLETED\",\"outputData\":{\"ok\":true}}"
                .formatted(task.string(0), task.string(1))));
    return true;
  }

  /** How many workflows have not ended. */
  int running() throws RunFailedException {
    String ids = body(require(get("/api/workflow/running/" + WORKFLOW)));
    return ids.equals("[]") ? 0 : ids.split(",", -1).length;
  }

  private byte[] poll() throws RunFailedException {
    long end = System.nanoTime() + FOUND_WITHIN.toNanos();
    do {
      HttpResponse<byte[]> answer =
          require(get("/api/tasks/poll/batch/%s?count=1&timeout=%d".formatted(TASK, POLL_MS)));
      if (answer.body().length > 2) {
        return answer.body();
      }
    } while (System.nanoTime() < end);
    return new byte[0];
  }

  private HttpRequest get(String path) {
    return request(path).GET().build();
  }

  private HttpRequest post(String path, String body) {
    return request(path)
        .header("Content-Type", "application/json")
        .POST(HttpRequest.BodyPublishers.ofString(body))
        .build();
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(base + path)).timeout(ANSWER_WITHIN);
  }

  private HttpResponse<byte[]> require(HttpRequest request) throws RunFailedException {
    try {
      HttpResponse<byte[]> answer = send(request);
      if (answer.statusCode() / 100 != 2) {
        throw new RunFailedException(
            "%s was answered %d %s"
                .formatted(request.uri().getPath(), answer.statusCode(), body(answer)));
      }
      return answer;
    } catch (IOException e) {
      throw new RunFailedException(
          "%s was not answered: %s".formatted(request.uri().getPath(), e), e);
    }
  }

  private HttpResponse<byte[]> send(HttpRequest request) throws IOException, RunFailedException {
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
    } catch (InterruptedException e) {
      throw RunFailedException.interrupted(e);
    }
  }

  private static String body(HttpResponse<byte[]> answer) {
    return new String(answer.body(), StandardCharsets.UTF_8).strip();
  }
}
