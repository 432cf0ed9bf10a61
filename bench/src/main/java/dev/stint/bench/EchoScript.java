package dev.stint.bench;

import java.io.IOException;

/**
 * Sends one body to the echo route again and again: what this HTTP server does with no job in it.
 */
final class EchoScript implements Script {
  static final String PATH = "/bench/echo";

  private final byte[] request;
  private final int bodyLength;
  private final Tally tally;

  EchoScript(Target target, byte[] body, Tally tally) {
    request = target.post(PATH, body);
    bodyLength = body.length;
    this.tally = tally;
  }

  @Override
  public void begin(Connection connection, long nowNanos) throws IOException {
    connection.send(request, request.length, nowNanos);
  }

  @Override
  public boolean answered(Connection connection, long nowNanos, boolean counts)
      throws IOException, RunFailedException {
    Answer answer = connection.answer();
    if (answer.status() != 200 || answer.bodyEnd() - answer.bodyStart() != bodyLength) {
      throw new RunFailedException("echo was answered " + answer.shown());
    }
    if (!counts) {
      return false;
    }
    tally.record(Call.ECHO, nowNanos - connection.sentAtNanos());
    begin(connection, nowNanos);
    return true;
  }

  @Override
  public Call awaited(Connection connection) {
    return Call.ECHO;
  }
}
