package dev.stint.client.sdk;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One of the {@code results} of a call for many. */
final class Results {
  private Results() {}

  static int status(Map<String, @Nullable Object> result) {
    return result.get("status") instanceof Number number ? number.intValue() : 0;
  }

  static @Nullable Object field(Map<String, @Nullable Object> result, String name) {
    return result.get("body") instanceof Map<?, ?> body ? body.get(name) : null;
  }

  /** What is wrong, in words for a person. */
  static String problem(Map<String, @Nullable Object> result) {
    Object message = field(result, "message");
    return String.valueOf(message != null ? message : field(result, "error"));
  }
}
