package dev.stint.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** One worker of the worker API that polls, beats and completes when it is time to. */
final class PacedWorker implements AutoCloseable {
  private static final byte[] NO_BODY = new byte[0];
  private static final byte[] RESULT =
      "{\"result\":{\"ok\":true}}".getBytes(StandardCharsets.US_ASCII);

  private final int number;
  private final Target target;
  private final Pace pace;
  private final Latencies latencies;
  private final WaitingConnection connection;
  private final byte[] poll;
  private final byte[] heartbeat;
  private final JsonFields task = new JsonFields("task_id");

  /**
   * Connects a worker.
   *
   * @param number counts from 0
   * @param target with the token of this worker
   */
  PacedWorker(int number, Target target, String queue, Pace pace, Latencies latencies)
      throws IOException {
    this.number = number;
    this.target = target;
    this.pace = pace;
    this.latencies = latencies;
    connection = new WaitingConnection(target);
    poll = target.get("/api/v1/worker/tasks/next?queue=" + queue);
    heartbeat = target.post("/api/v1/worker/heartbeat", NO_BODY);
  }

  /** Takes a task in every round, completes it, and returns how many those were. */
  int work(long beginNanos) throws IOException, InterruptedException, RunFailedException {
    for (int round = 0; round < pace.rounds(); round++) {
      Answer polled = timed(WorkerCall.POLL, round, beginNanos, poll);
      if (!task.scan(polled) || !task.has(0)) {
        throw new RunFailedException("poll was answered without a task_id: " + polled.shown());
      }
      String path = "/api/v1/worker/tasks/" + task.string(0) + "/complete";
      timed(WorkerCall.HEARTBEAT, round, beginNanos, heartbeat);
      timed(WorkerCall.COMPLETE, round, beginNanos, target.post(path, RESULT));
    }
    return pace.rounds();
  }

  @Override
  public void close() {
    connection.close();
  }

  static void sleepUntil(long nanos) throws InterruptedException {
    TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
  }

  private Answer timed(WorkerCall call, int round, long beginNanos, byte[] request)
      throws IOException, InterruptedException, RunFailedException {
    long due = beginNanos + pace.due(round, number, call).toNanos();
    sleepUntil(due);
    long sent = System.nanoTime();
    Answer answer = connection.exchange(call.word(), request, 200);
    if (pace.counts(round)) {
      latencies.record(call, due, sent, System.nanoTime());
    }
    return answer;
  }
}
