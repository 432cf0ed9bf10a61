package dev.stint.server;

import dev.stint.client.Json;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** An answer as a client sees it. */
record Answer(int status, Function<String, Optional<String>> headers, String body) {

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  Map<String, @Nullable Object> json() {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(Json.read(body));
  }

  /** A string that must be there. */
  String text(String field) {
    return (String) Objects.requireNonNull(json().get(field), field);
  }

  @Nullable Object get(String field) {
    return json().get(field);
  }

  Optional<String> header(String name) {
    return headers.apply(name);
  }
}
