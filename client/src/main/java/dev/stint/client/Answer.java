package dev.stint.client;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a control plane said.
 *
 * @param body its JSON object, as {@link Json} reads it; empty if it sent none
 * @param text the body as it came
 * @param retryAfter how long it wants to be left alone; zero if it does not say
 */
public record Answer(
    int status, Map<String, @Nullable Object> body, String text, Duration retryAfter) {
  private static final Set<Integer> BUSY = Set.of(429, 502, 503, 504);

  public boolean isOk() {
    return status >= 200 && status < 300;
  }

  /** The same call may succeed later: the control plane is busy, or its store is away. */
  public boolean isForLater() {
    return status == 429 || status >= 500;
  }

  /** It says nothing of the call itself, and passes by itself. */
  public boolean isBusy() {
    return BUSY.contains(status);
  }

  /** Whoever calls is not let in, with this token or under this name. */
  public boolean isBarred() {
    return status == 401 || status == 403;
  }

  /** A string field, or null if it is absent or something else. */
  public @Nullable String string(String name) {
    return body.get(name) instanceof String string ? string : null;
  }

  /** A whole number, or {@code absent}. */
  public long number(String name, long absent) {
    return body.get(name) instanceof Long number ? number : absent;
  }

  public boolean flag(String name) {
    return Boolean.TRUE.equals(body.get(name));
  }

  /** A list of objects; what is no object in it is left out. */
  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  public List<Map<String, @Nullable Object>> objects(String name) {
    return body.get(name) instanceof List<?> list
        ? list.stream()
            .filter(Map.class::isInstance)
            .map(object -> (Map<String, @Nullable Object>) object)
            .toList()
        : List.of();
  }

  /** What went wrong, in words for a person. */
  public String problem() {
    String message = string("message");
    String code = string("error");
    if (message != null) {
      return message;
    }
    return code != null ? code : "the control plane answered " + status;
  }
}
