package dev.stint.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;

/** Workers of the worker-api contract that ask at the pace of real ones, and how long they wait. */
final class WorkerLatency {
  private static final long TASK_EVERY = Duration.ofSeconds(1).toNanos();
  private static final int TASKS_PER_HEARTBEAT = 5;
  private static final String TASK = "{\"payload\":{\"n\":1}}";

  private final Target target;
  private final int workers;
  private final List<WorkerCall> calls =
      List.of(new WorkerCall("poll", 10), new WorkerCall("complete", 20), new WorkerCall("heartbeat", 5));
  private final String admin;
  private final long begin;
  private final long measureFrom;
  private final long end;

  WorkerLatency(Target target, int workers, Duration warmUp, Duration measured) {
    this.target = target;
    this.workers = workers;
    admin = "X-API-Token: " + (target.token().isEmpty() ? "dev-token" : target.token());
    begin = System.nanoTime() + Duration.ofMillis(1000 + 20L * workers).toNanos();
    measureFrom = begin + warmUp.toNanos();
    end = measureFrom + measured.toNanos();
  }

  List<WorkerCall> run() throws RunFailedException {
    try (BlockingHttp producer = new BlockingHttp(target, admin);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<String> tokens = enrol(producer);
      for (int i = 0; i < workers; i++) {
        submit(producer);
      }
      List<Future<?>> all = new ArrayList<>();
      for (int i = 0; i < workers; i++) {
        int index = i;
        all.add(
            threads.submit(
                () -> {
                  work(tokens.get(index), index);
                  return index;
                }));
      }
      feed(producer);
      for (Future<?> one : all) {
        one.get();
      }
      return calls;
    } catch (IOException | ExecutionException e) {
      throw new RunFailedException("a worker or the producer failed: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RunFailedException("interrupted", e);
    }
  }

  private List<String> enrol(BlockingHttp producer) throws IOException, RunFailedException {
    String run = Long.toHexString(ThreadLocalRandom.current().nextLong());
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < workers; i++) {
      String body = "{\"name\":\"bench\",\"worker_id\":\"bench-%s-%d\"}".formatted(run, i);
      BlockingHttp.Reply reply = producer.send("POST", "/api/v1/admin/workers", body);
      String token = reply.text("token");
      if (token.isEmpty()) {
        throw new RunFailedException("a worker was not enrolled: status " + reply.status());
      }
      tokens.add(token);
    }
    return tokens;
  }

  private void feed(BlockingHttp producer)
      throws IOException, RunFailedException, InterruptedException {
    for (long at = begin; at < end; at += TASK_EVERY / workers) {
      sleepUntil(at);
      submit(producer);
    }
  }

  private static void submit(BlockingHttp producer) throws IOException, RunFailedException {
    int status = producer.send("POST", "/api/v1/tasks", TASK).status();
    if (status != 201) {
      throw new RunFailedException("a task was not taken: status " + status);
    }
  }

  /** A task takes half of its period; heartbeats lie between the other requests. */
  private void work(String token, int index) throws IOException, InterruptedException {
    try (BlockingHttp http = new BlockingHttp(target, "Authorization: Bearer " + token)) {
      int round = index % TASKS_PER_HEARTBEAT;
      for (long at = begin + TASK_EVERY * index / workers; at < end; at += TASK_EVERY) {
        String task = timed(http, 0, at, "GET", "/api/v1/worker/tasks/next", "").text("task_id");
        if (round++ % TASKS_PER_HEARTBEAT == 0) {
          timed(http, 2, at + TASK_EVERY / 4, "POST", "/api/v1/worker/heartbeat", "{}");
        }
        if (!task.isEmpty()) {
          String path = "/api/v1/worker/tasks/" + task + "/complete";
          timed(http, 1, at + TASK_EVERY / 2, "POST", path, "{\"result\":{}}");
        }
      }
    }
  }

  private BlockingHttp.Reply timed(
      BlockingHttp http, int call, long at, String method, String path, String body)
      throws IOException, InterruptedException {
    sleepUntil(at);
    long sent = System.nanoTime();
    BlockingHttp.Reply reply = http.send(method, path, body);
    if (sent >= measureFrom) {
      calls.get(call).record(System.nanoTime() - sent, reply.status() == 200);
    }
    return reply;
  }

  private static void sleepUntil(long nanos) throws InterruptedException {
    Thread.sleep(Duration.ofNanos(Math.max(0, nanos - System.nanoTime())));
  }
}
