package dev.stint.server;

import dev.stint.contracts.JsonWriter;
import io.helidon.http.DirectHandler;
import io.helidon.http.HeaderValues;
import io.helidon.http.ServerResponseHeaders;
import io.helidon.http.Status;
import io.helidon.webserver.http.DirectHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Answers, as JSON too, what is so broken that it never becomes a request. */
final class HttpNonsense implements DirectHandler {

  static DirectHandlers handlers() {
    DirectHandlers.Builder handlers = DirectHandlers.builder();
    HttpNonsense nonsense = new HttpNonsense();
    for (EventType type : EventType.values()) {
      handlers.addHandler(type, nonsense);
    }
    return handlers.build();
  }

  @Override
  public TransportResponse handle(
      TransportRequest request,
      EventType eventType,
      Status defaultStatus,
      ServerResponseHeaders responseHeaders,
      @Nullable String message) {
    String body =
        new JsonWriter()
            .add("error", code(defaultStatus))
            .add("message", text(defaultStatus))
            .toJson();
    return TransportResponse.builder()
        .status(defaultStatus)
        .headers(responseHeaders)
        .header(HeaderValues.CONTENT_TYPE_JSON)
        .header(HeaderValues.create("X-Request-Id", RequestIds.of(null)))
        .header(Front.NO_STORE)
        .header(Front.NO_SNIFF)
        .keepAlive(eventType.keepAlive())
        .entity(body.getBytes(StandardCharsets.UTF_8))
        .build();
  }

  private static String code(Status status) {
    return switch (status.code()) {
      case 400 -> "malformed_request";
      case 413 -> "too_large";
      case 500 -> "internal_error";
      default -> status.reasonPhrase().toLowerCase(Locale.ROOT).replace(' ', '_');
    };
  }

  private static String text(Status status) {
    return switch (status.code()) {
      case 400 -> "this is not a request that the server can read";
      case 413 -> "a body may have at most " + Listener.MAX_BODY_BYTES + " bytes";
      case 500 -> "something unexpected happened";
      default -> status.reasonPhrase();
    };
  }
}
