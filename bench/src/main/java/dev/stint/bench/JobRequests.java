package dev.stint.bench;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The three requests of a job's life, as bytes. Submit and claim are always the same; complete
 * gives back what the claim's answer said, copied raw from there.
 */
final class JobRequests {
  private static final String[] COPIED = {
    "job_id", "attempt_id", "lease_token", "stream", "message_id"
  };
  private static final int MAX_WAIT_MS = 1_000;
  private static final byte[] END_OF_HEAD = ascii("\r\n\r\n");
  private static final byte[] RESULT = ascii(",\"result\":{\"ok\":true}}");

  private final JsonFields lease = new JsonFields(COPIED);
  private final byte[][] separators = new byte[COPIED.length][];
  private final byte[] submit;
  private final byte[][] claims;
  private final byte[] completeHead;
  private final byte[][] completeStarts;
  private byte[] complete = new byte[1024];
  private int completeLength;

  JobRequests(Target target, String queue, byte[] submitBody, int connections) {
    this(target, queue, submitBody, connections, MAX_WAIT_MS);
  }

  /** The same, with claims that wait longer or shorter for a job. */
  JobRequests(Target target, String queue, byte[] submitBody, int connections, int maxWaitMs) {
    submit = target.post("/v1/jobs", submitBody);
    completeHead = target.postHead("/internal/worker/complete");
    claims = new byte[connections][];
    completeStarts = new byte[connections][];
    for (int i = 0; i < connections; i++) {
      String worker = "bench-worker-" + i;
      claims[i] =
          target.post(
              "/internal/worker/claim",
              ascii(
                  "{\"worker_id\":\"%s\",\"streams\":[\"%s\"],\"max_wait_ms\":%d}"
                      .formatted(worker, queue, maxWaitMs)));
      completeStarts[i] = ascii("{\"worker_id\":\"%s\"".formatted(worker));
    }
    for (int i = 0; i < COPIED.length; i++) {
      separators[i] = ascii(",\"" + COPIED[i] + "\":");
    }
  }

  /** A queue that nobody else has. */
  static String newQueue() {
    return "bench-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }

  /**
   * The body of a submit, whose payload is {@code payloadBytes} long. The echo sends the same one,
   * so that both move as many bytes.
   */
  static byte[] submitBody(String queue, int payloadBytes) {
    return submitBody(queue, payloadBytes, "");
  }

  /** The same with more fields, each with a comma before it. */
  static byte[] submitBody(String queue, int payloadBytes, String more) {
    return ascii(
        "{\"task\":\"tool\",\"queue\":\"%s\",\"payload\":%s%s}"
            .formatted(queue, payload(payloadBytes), more));
  }

  /** A JSON object of that many bytes. */
  static String payload(int bytes) {
    String empty = "{\"data\":\"\"}";
    return "{\"data\":\"%s\"}".formatted("x".repeat(Math.max(0, bytes - empty.length())));
  }

  byte[] submit() {
    return submit;
  }

  byte[] claim(int connection) {
    return claims[connection];
  }

  /** Writes the completion of the claim in this answer; false if the answer lacks a field of it. */
  boolean writeComplete(int connection, Answer claimAnswer) {
    if (!lease.scan(claimAnswer)) {
      return false;
    }
    int bodyLength = completeStarts[connection].length + RESULT.length;
    for (int i = 0; i < COPIED.length; i++) {
      if (!lease.has(i)) {
        return false;
      }
      bodyLength += separators[i].length + lease.length(i);
    }
    completeLength = 0;
    append(completeHead);
    append(ascii(Integer.toString(bodyLength)));
    append(END_OF_HEAD);
    append(completeStarts[connection]);
    for (int i = 0; i < COPIED.length; i++) {
      append(separators[i]);
      append(claimAnswer.bytes(), lease.start(i), lease.length(i));
    }
    append(RESULT);
    return true;
  }

  /** The request last written; the array is used again for the next. */
  byte[] complete() {
    return complete;
  }

  int completeLength() {
    return completeLength;
  }

  private void append(byte[] bytes) {
    append(bytes, 0, bytes.length);
  }

  private void append(byte[] bytes, int from, int length) {
    if (completeLength + length > complete.length) {
      complete = Arrays.copyOf(complete, 2 * (completeLength + length));
    }
    System.arraycopy(bytes, from, complete, completeLength, length);
    completeLength += length;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
