package dev.stint.contracts;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One answer.
 *
 * @param headers besides those that every answer has; the content is JSON if they do not name a
 *     {@code Content-Type}
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes go straight to the wire
public record Reply(int status, Map<String, String> headers, byte[] body) {

  public static Reply json(int status, JsonWriter body) {
    return new Reply(status, Map.of(), body.toBytes());
  }

  /** Nothing to say. */
  public static Reply noContent() {
    return new Reply(204, Map.of(), new byte[0]);
  }

  /** Tells a worker that gets nothing more to finish what it has. */
  public Reply draining(boolean isDraining) {
    return isDraining ? with("X-Stint-Drain", "true") : this;
  }

  public Reply with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Reply(status, more, body);
  }
}
