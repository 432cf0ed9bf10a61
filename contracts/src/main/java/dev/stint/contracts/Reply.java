package dev.stint.contracts;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One answer.
 *
 * @param headers besides those that every answer has; the content is JSON if they do not name a
 *     {@code Content-Type}
 * @param live what comes instead of {@code body}, bit by bit; null for nearly all answers
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; the bytes go straight to the wire
public record Reply(int status, Map<String, String> headers, byte[] body, @Nullable LiveBody live) {
  private static final byte[] NO_BODY = {};

  public Reply(int status, Map<String, String> headers, byte[] body) {
    this(status, headers, body, null);
  }

  public static Reply json(int status, JsonWriter body) {
    return new Reply(status, Map.of(), body.toBytes());
  }

  /** Nothing to say. */
  public static Reply noContent() {
    return new Reply(204, Map.of(), NO_BODY);
  }

  /** Server-sent events, which nobody on the way should keep back or keep. */
  public static Reply events(LiveBody live) {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("Content-Type", "text/event-stream; charset=utf-8");
    headers.put("Cache-Control", "no-store");
    headers.put("X-Accel-Buffering", "no");
    return new Reply(200, headers, NO_BODY, live);
  }

  /** Tells a worker that gets nothing more to finish what it has. */
  public Reply draining(boolean isDraining) {
    return isDraining ? with("X-Stint-Drain", "true") : this;
  }

  public Reply with(String header, String value) {
    Map<String, String> more = new LinkedHashMap<>(headers);
    more.put(header, value);
    return new Reply(status, more, body, live);
  }
}
