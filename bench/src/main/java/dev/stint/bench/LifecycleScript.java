package dev.stint.bench;

import java.io.IOException;
import java.util.Arrays;

/**
 * Each connection is producer and worker in turn: it submits a job, claims one, completes what it
 * claimed. That may be another connection's job; since every connection submits before it claims,
 * there is always one for it, and an empty claim is an error.
 */
final class LifecycleScript implements Script {
  private final JsonFields submitted = new JsonFields("job_id");
  private final JsonFields claimed = new JsonFields("job_id", "claimed");
  private final JsonFields completed = new JsonFields("ok", "ack");

  private final JobRequests requests;
  private final Tally tally;
  private final JobBook book;
  private final Call[] awaited;
  private final String[] heldJobs;
  private final int jobs;
  private int begun;

  LifecycleScript(JobRequests requests, int connections, Tally tally, JobBook book) {
    this(requests, connections, tally, book, Integer.MAX_VALUE);
  }

  /** Ends by itself after {@code jobs} jobs, or one for each connection if that is more. */
  LifecycleScript(JobRequests requests, int connections, Tally tally, JobBook book, int jobs) {
    this.requests = requests;
    this.jobs = jobs;
    this.tally = tally;
    this.book = book;
    awaited = new Call[connections];
    Arrays.fill(awaited, Call.SUBMIT);
    heldJobs = new String[connections];
    Arrays.fill(heldJobs, "");
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    begun++;
    awaited[connection.number()] = Call.SUBMIT;
    connection.send(requests.submit(), requests.submit().length, nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    Call call = awaited(connection);
    if (counts) {
      tally.record(call, nowNanos - connection.sentAtNanos());
    }
    switch (call) {
      case SUBMIT -> afterSubmit(connection, nowNanos);
      case CLAIM -> afterClaim(connection, nowNanos);
      case COMPLETE -> {
        afterComplete(connection);
        if (!counts || begun >= jobs) {
          return false;
        }
        begin(connection, nowNanos);
      }
      case ECHO -> throw new IllegalStateException("the lifecycle sends no echo");
    }
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return awaited[connection.number()];
  }

  private void afterSubmit(Connection connection, long nowNanos)
      throws IOException, RunFailedException {
    Answer answer = connection.answer();
    String jobId = submitted.scan(answer) ? submitted.string(0) : "";
    if (answer.status() != 201 || jobId.isEmpty()) {
      throw refused(Call.SUBMIT, answer);
    }
    book.submitted(jobId);
    int number = connection.number();
    awaited[number] = Call.CLAIM;
    connection.send(requests.claim(number), requests.claim(number).length, nowNanos);
  }

  private void afterClaim(Connection connection, long nowNanos)
      throws IOException, RunFailedException {
    Answer answer = connection.answer();
    String jobId = claimed.scan(answer) && claimed.isTrue(1) ? claimed.string(0) : "";
    int number = connection.number();
    if (answer.status() != 200 || jobId.isEmpty() || !requests.writeComplete(number, answer)) {
      throw refused(Call.CLAIM, answer);
    }
    book.claimed(jobId);
    heldJobs[number] = jobId;
    awaited[number] = Call.COMPLETE;
    connection.send(requests.complete(), requests.completeLength(), nowNanos);
  }

  private void afterComplete(Connection connection) throws RunFailedException {
    Answer answer = connection.answer();
    boolean done = completed.scan(answer) && completed.isTrue(0) && completed.isTrue(1);
    if (answer.status() != 200 || !done) {
      throw refused(Call.COMPLETE, answer);
    }
    book.completed(heldJobs[connection.number()]);
  }

  private static RunFailedException refused(Call call, Answer answer) {
    return new RunFailedException(call.word() + " was answered " + answer.shown());
  }
}
