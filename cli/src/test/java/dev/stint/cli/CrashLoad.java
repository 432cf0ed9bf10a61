package dev.stint.cli;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Clients and workers that do what the documents tell them to when a server dies under their hands:
 * they send the same call again until it is answered.
 */
final class CrashLoad implements AutoCloseable {
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(2))
          .build();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String url;
  private final long pauseMillis;
  private final Set<String> submitted = ConcurrentHashMap.newKeySet();

  /** Others on the same server have keys and claims of their own. */
  private final String name = UUID.randomUUID().toString();

  private final Map<String, String> completed = new ConcurrentHashMap<>();
  private final Set<String> problems = ConcurrentHashMap.newKeySet();
  private final AtomicInteger keys = new AtomicInteger();
  private final AtomicInteger clientsAtWork = new AtomicInteger();
  private volatile boolean submitting = true;
  private volatile boolean working = true;

  /** As much as the server takes. */
  CrashLoad(String url) {
    this(url, 0);
  }

  /** Clients that wait for so long between one job and the next. */
  CrashLoad(String url, long pauseMillis) {
    this.url = url;
    this.pauseMillis = pauseMillis;
  }

  void start(int clients, int workers) {
    clientsAtWork.addAndGet(clients);
    for (int i = 0; i < clients; i++) {
      threads.execute(() -> {
        try {
          submitAll();
        } finally {
          clientsAtWork.decrementAndGet();
        }
      });
    }
    for (int i = 0; i < workers; i++) {
      String worker = name + "-w" + i;
      threads.execute(() -> workAs(worker));
    }
  }

  private void submitAll() {
    while (submitting) {
      String key = name + "-" + keys.incrementAndGet();
      HttpResponse<String> answer =
          insist(
              "/v1/jobs",
              "{\"task\":\"chat\",\"payload\":{\"key\":\"%s\"},\"max_attempts\":1000}"
                  .formatted(key),
              key);
      if (answer == null) {
        return;
      }
      if (answer.statusCode() / 100 == 2) {
        submitted.add(field(answer.body(), "job_id"));
      } else {
        problems.add("submit: " + answer.statusCode() + " " + answer.body());
      }
      if (pauseMillis > 0) {
        pause(pauseMillis);
      }
    }
  }

  private void workAs(String worker) {
    for (int claims = 0; working; claims++) {
      String claim =
          "{\"worker_id\":\"%s\",\"streams\":[\"jobs:stream\"],\"max_wait_ms\":200,\"claim_id\":\"%s-%d\"}"
              .formatted(worker, worker, claims);
      HttpResponse<String> answer = insist("/internal/worker/claim", claim, null);
      if (answer == null) {
        return;
      }
      if (answer.statusCode() != 200) {
        problems.add("claim: " + answer.statusCode() + " " + answer.body());
      } else if (answer.body().contains("\"claimed\":true")) {
        complete(worker, answer.body());
      }
    }
  }

  private void complete(String worker, String claimed) {
    String job = field(claimed, "job_id");
    String attempt = field(claimed, "attempt_id");
    HttpResponse<String> answer =
        insist(
            "/internal/worker/complete",
            """
            {"worker_id":"%s","job_id":"%s","attempt_id":"%s","lease_token":"%s",\
            "stream":"jobs:stream","message_id":"%s","result":{"by":"%s"}}\
            """
                .formatted(
                    worker,
                    job,
                    attempt,
                    field(claimed, "lease_token"),
                    field(claimed, "message_id"),
                    attempt),
            null);
    if (answer == null) {
      return;
    }
    if (answer.statusCode() == 200) {
      String before = completed.put(job, attempt);
      if (before != null) {
        problems.add("job " + job + " was completed by " + before + " and by " + attempt);
      }
    } else if (answer.statusCode() != 409) {
      problems.add("complete: " + answer.statusCode() + " " + answer.body());
    }
  }

  /** Sends until there is an answer that is not "come back later"; null when all is to end. */
  private @Nullable HttpResponse<String> insist(String path, String body, @Nullable String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url + path))
            .timeout(Duration.ofSeconds(5))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (key != null) {
      request.header("Idempotency-Key", key);
    }
    while (working) {
      try {
        HttpResponse<String> answer =
            http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() != 503 && answer.statusCode() != 429) {
          return answer;
        }
        Thread.sleep(20);
      } catch (IOException e) {
        pause(20);
      } catch (InterruptedException e) {
        return null;
      }
    }
    return null;
  }

  private static void pause(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  String read(String jobId) throws IOException, InterruptedException {
    return http.send(
            HttpRequest.newBuilder(URI.create(url + "/v1/jobs/" + jobId)).GET().build(),
            HttpResponse.BodyHandlers.ofString())
        .body();
  }

  /** How many jobs were accepted so far. */
  int accepted() {
    return submitted.size();
  }

  /** Sends no more jobs, and lets workers go on until all are done or time is up. */
  void finish(Duration patience) throws InterruptedException {
    submitting = false;
    long end = System.nanoTime() + patience.toNanos();
    // A submission that is under way adds one more job when it is answered.
    while (System.nanoTime() < end && (clientsAtWork.get() > 0 || !isAllDone())) {
      Thread.sleep(50);
    }
  }

  /** Another load's workers may have done some of them. */
  private boolean isAllDone() throws InterruptedException {
    try {
      for (String job : submitted) {
        if (!completed.containsKey(job) && !read(job).contains("\"status\":\"done\"")) {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  Set<String> submitted() {
    return submitted;
  }

  Map<String, String> completed() {
    return completed;
  }

  Set<String> problems() {
    return problems;
  }

  static String field(String json, String name) {
    Matcher matcher = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    if (!matcher.find()) {
      throw new AssertionError("no " + name + " in " + json);
    }
    return matcher.group(1);
  }

  @Override
  public void close() {
    submitting = false;
    working = false;
    threads.close();
    http.close();
  }
}
