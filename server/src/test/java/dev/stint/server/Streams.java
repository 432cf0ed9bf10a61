package dev.stint.server;

import dev.stint.client.Api;
import dev.stint.client.Json;
import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads streams of events as clients do. */
final class Streams {
  private static final Duration SILENCE = Duration.ofSeconds(40);

  private Streams() {}

  static String path(String jobId) {
    return "/v1/jobs/" + jobId + "/events";
  }

  static ServerEvents open(int port, String jobId, @Nullable String lastId) throws IOException {
    Api api = new Api("http://127.0.0.1:" + port, null, Duration.ofSeconds(20));
    return Objects.requireNonNull(
        api.events(
            path(jobId),
            lastId,
            SILENCE,
            refused -> {
              throw new AssertionError(refused.text());
            }));
  }

  /** All of a stream, up to its end. */
  static List<ServerEvent> readAll(int port, String jobId) throws IOException {
    try (ServerEvents stream = open(port, jobId, null)) {
      List<ServerEvent> events = new ArrayList<>();
      for (ServerEvent event = stream.next(); event != null; event = stream.next()) {
        events.add(event);
      }
      return events;
    }
  }

  /** The next event, which must be there. */
  static ServerEvent next(ServerEvents stream) throws IOException {
    return Objects.requireNonNull(stream.next(), "the stream has ended");
  }

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  static Map<String, @Nullable Object> json(ServerEvent event) {
    return (Map<String, @Nullable Object>) Objects.requireNonNull(Json.read(event.data()));
  }

  static List<String> types(List<ServerEvent> events) {
    return events.stream().map(ServerEvent::type).toList();
  }
}
