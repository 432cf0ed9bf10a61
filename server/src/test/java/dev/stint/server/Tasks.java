package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What tests do with callback tasks. */
final class Tasks {
  static final String[] ADMIN = {"X-API-Token", "dev-token"};

  private Tasks() {}

  /** Submits a task and returns its id. */
  static String submit(TestServer server, String json) {
    Answer answer = server.post("/v1/tasks", json, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(201);
    assertThat(answer.get("state")).isEqualTo("QUEUED");
    return answer.text("taskId");
  }

  /** Claims a task that must be there. */
  static Envelope claim(TestServer server, String furtherFields) {
    Answer answer =
        server.post(
            "/v1/tasks/claim", "{\"workerId\":\"worker-abc123\"" + furtherFields + "}", ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return new Envelope(server, answer.json());
  }

  static Map<String, @Nullable Object> read(TestServer server, String id) {
    Answer answer = server.get("/v1/tasks/" + id, ADMIN);
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
    return answer.json();
  }

  static @Nullable Object state(TestServer server, String id) {
    return read(server, id).get("state");
  }

  static String events(TestServer server, String id) {
    return server.get("/v1/tasks/" + id + "/events", ADMIN).body();
  }

  /** What a worker is given, and how it reports with it. */
  record Envelope(TestServer server, Map<String, @Nullable Object> fields) {
    String text(String field) {
      return (String) Objects.requireNonNull(fields.get(field), field);
    }

    String id() {
      return text("taskId");
    }

    String token() {
      return text("taskToken");
    }

    long attempt() {
      return (Long) Objects.requireNonNull(fields.get("attempt"));
    }

    Answer post(String callback, String json) {
      return postWith(token(), callback, json);
    }

    Answer postWith(String token, String callback, String json) {
      return server.post(
          "/v1/tasks/" + id() + "/" + callback, json, "Authorization", "Bearer " + token);
    }

    /** The fields that every callback has, and further ones. */
    String body(String furtherFields) {
      return "{\"attempt\":%d,\"workerId\":\"worker-abc123\"%s}"
          .formatted(attempt(), furtherFields);
    }

    Envelope start() {
      Answer answer = post("started", body(""));
      assertThat(answer.status()).as(answer.body()).isEqualTo(200);
      return this;
    }

    Answer succeed() {
      return post("completed", body(",\"outcome\":\"SUCCEEDED\",\"output\":{\"n\":1}"));
    }

    Answer fail(String category, String furtherErrorFields) {
      return post(
          "completed",
          body(
              ",\"outcome\":\"FAILED\",\"error\":{\"category\":\"%s\"%s}"
                  .formatted(category, furtherErrorFields)));
    }
  }
}
