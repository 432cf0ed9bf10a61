package dev.stint.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Every connection claims and waits. Whoever gets a job writes down when, completes it, and claims
 * again.
 */
final class ParkedScript implements Script {
  private final JsonFields answered = new JsonFields("claimed", "payload");
  private final JsonFields payload = new JsonFields("n");
  private final JobRequests requests;
  private final AtomicLongArray receivedNanos;
  private final AtomicInteger deliveries = new AtomicInteger();
  private final boolean[] completes;
  private volatile boolean over;

  /**
   * A script.
   *
   * @param jobs whose payloads are numbered from 0 on
   */
  ParkedScript(JobRequests requests, int connections, int jobs) {
    this.requests = requests;
    receivedNanos = new AtomicLongArray(jobs);
    completes = new boolean[connections];
    Arrays.fill(completes, false);
  }

  /** How many jobs have been given out. */
  int deliveries() {
    return deliveries.get();
  }

  /** When a job was there, or 0. */
  long receivedNanos(int job) {
    return receivedNanos.get(job);
  }

  /** Has the loop end, whoever still waits. */
  void end() {
    over = true;
  }

  @Override
  public boolean isOver() {
    return over;
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    int number = connection.number();
    completes[number] = false;
    connection.send(requests.claim(number), requests.claim(number).length, nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    int number = connection.number();
    Answer answer = connection.answer();
    if (answer.status() != 200) {
      throw new RunFailedException("a parked worker was answered " + answer.shown());
    }
    if (!completes[number] && delivered(answer, nowNanos)) {
      if (!requests.writeComplete(number, answer)) {
        throw new RunFailedException("a claim was answered " + answer.shown());
      }
      completes[number] = true;
      connection.send(requests.complete(), requests.completeLength(), nowNanos);
      return true;
    }
    begin(connection, nowNanos);
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return completes[connection.number()] ? Call.COMPLETE : Call.CLAIM;
  }

  /** Whether there was a job, which is then written down. */
  private boolean delivered(Answer answer, long nowNanos) throws RunFailedException {
    if (!answered.scan(answer) || !answered.isTrue(0)) {
      return false;
    }
    int start = answered.start(1);
    if (!payload.scan(answer.bytes(), start, start + answered.length(1)) || !payload.has(0)) {
      throw new RunFailedException("a job has no number: " + answer.shown());
    }
    int job = Integer.parseInt(payload.raw(0));
    if (!receivedNanos.compareAndSet(job, 0, nowNanos)) {
      throw new RunFailedException("job %d was given out twice".formatted(job));
    }
    deliveries.incrementAndGet();
    return true;
  }
}
