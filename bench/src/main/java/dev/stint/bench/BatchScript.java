package dev.stint.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Each connection submits a batch, then completes the batch that it holds and claims the next in
 * one call: two requests for a batch of jobs. Where two control planes or writers work side by side
 * a claim may find less than a batch, so when the time is over each connection goes on until
 * nothing is left.
 */
final class BatchScript implements Script {
  private final BatchRequests requests;
  private final int batch;
  private final Tally tally;
  private final JobBook book;
  private final List<Call> awaited;
  private final List<List<BatchAnswer.Lease>> held;
  private final long jobs;
  private long submitted;
  private long completed;

  BatchScript(BatchRequests requests, int batch, int connections, Tally tally, JobBook book) {
    this(requests, batch, connections, tally, book, Long.MAX_VALUE);
  }

  /** Submits no more once it has submitted {@code jobs}. */
  BatchScript(
      BatchRequests requests, int batch, int connections, Tally tally, JobBook book, long jobs) {
    this.jobs = jobs;
    this.requests = requests;
    this.batch = batch;
    this.tally = tally;
    this.book = book;
    awaited = new ArrayList<>(Collections.nCopies(connections, Call.SUBMIT));
    held = new ArrayList<>(Collections.nCopies(connections, List.of()));
  }

  /** How many jobs were completed within the measured time. */
  long completed() {
    return completed;
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    submitted += batch;
    send(connection, Call.SUBMIT, requests.submit(), nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    Call call = awaited(connection);
    if (counts) {
      tally.record(call, nowNanos - connection.sentAtNanos());
    }
    BatchAnswer answer = BatchAnswer.read(connection.answer());
    if (call == Call.SUBMIT) {
      require(answer.allHave(201, batch), call, connection);
      for (String jobId : answer.jobIds()) {
        book.submitted(jobId);
      }
      settleAndClaim(connection, nowNanos, counts && submitted < jobs);
      return true;
    }
    settled(connection, answer, counts);
    if (counts && submitted < jobs) {
      begin(connection, nowNanos);
      return true;
    }
    if (answer.leases().isEmpty()) {
      return false;
    }
    settleAndClaim(connection, nowNanos, false);
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return awaited.get(connection.number());
  }

  private void settled(Connection connection, BatchAnswer answer, boolean counts)
      throws RunFailedException {
    int number = connection.number();
    List<BatchAnswer.Lease> settled = held.get(number);
    boolean isRight = connection.answer().status() == 200 && answer.allHave(200, settled.size());
    require(isRight, awaited(connection), connection);
    for (BatchAnswer.Lease lease : settled) {
      book.completed(lease.jobId());
    }
    if (counts) {
      completed += settled.size();
    }
    for (BatchAnswer.Lease lease : answer.leases()) {
      book.claimed(lease.jobId());
    }
    held.set(number, answer.leases());
  }

  private void settleAndClaim(Connection connection, long nowNanos, boolean waits)
      throws IOException {
    int number = connection.number();
    List<BatchAnswer.Lease> mine = held.get(number);
    if (mine.isEmpty()) {
      send(connection, Call.CLAIM, requests.claim(number), nowNanos);
    } else {
      send(connection, Call.COMPLETE, requests.settleAndClaim(number, mine, waits), nowNanos);
    }
  }

  private void send(Connection connection, Call call, byte[] request, long nowNanos)
      throws IOException {
    awaited.set(connection.number(), call);
    connection.send(request, request.length, nowNanos);
  }

  private static void require(boolean isRight, Call call, Connection connection)
      throws RunFailedException {
    if (!isRight) {
      throw new RunFailedException(
          "a batch to " + call.word() + " was answered " + connection.answer().shown());
    }
  }
}
