package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HttpBoundsTest {
  private static final String JOB = "{\"task\":\"chat\",\"payload\":{}}";
  private static final String POST =
      "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  @Test
  void anUnknownPathIs404() {
    for (String path :
        List.of("/", "/v1", "/v1/jobs/", "/v1/jobs/a/b/c", "/V1/jobs", "//v1/jobs")) {
      Answer answer = server.get(path);
      assertThat(answer.status()).as(path).isEqualTo(404);
      assertThat(answer.get("error")).as(path).isEqualTo("unknown_path");
    }
  }

  @Test
  void aKnownPathWithAnotherMethodIs405AndSaysWhichItTakes() {
    Answer answer = server.get("/internal/worker/claim");
    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).contains("POST");
    assertThat(answer.get("error")).isEqualTo("method_not_allowed");

    for (String method : List.of("PUT", "DELETE", "PATCH", "OPTIONS", "BREW")) {
      Answer other =
          server.send(
              server.request("/v1/jobs/x").method(method, HttpRequest.BodyPublishers.noBody()));
      assertThat(other.status()).as(method).isEqualTo(405);
      assertThat(other.header("Allow")).contains("GET");
    }
  }

  @Test
  void aBodyThatIsNotJsonIs415() {
    for (String type :
        List.of(
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/json; charset=latin1")) {
      assertThat(rawPost("Content-Type: " + type + "\r\n")).as(type).startsWith("HTTP/1.1 415");
    }
    assertThat(rawPost("")).startsWith("HTTP/1.1 415").contains("\"error\":\"not_json\"");
    for (String type :
        List.of("application/json", "Application/JSON;charset=\"UTF-8\"", "application/x+json")) {
      assertThat(rawPost("Content-Type: " + type + "\r\n")).as(type).startsWith("HTTP/1.1 201");
    }
  }

  private static String rawPost(String header) {
    return server.raw(
        "POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
            + header
            + "Content-Length: "
            + JOB.length()
            + "\r\n\r\n"
            + JOB);
  }

  @Test
  void aBodyOfMoreThanOneMegabyteIs413() {
    byte[] twoMegabytes = new byte[2 * 1024 * 1024];
    Answer chunked =
        server.send(
            server
                .request("/v1/jobs")
                .POST(
                    HttpRequest.BodyPublishers.ofInputStream(
                        () -> new ByteArrayInputStream(twoMegabytes))));
    assertThat(chunked.status()).isEqualTo(413);
    assertThat(chunked.get("error")).isEqualTo("too_large");

    String announced = server.raw(POST + "Content-Length: 2097152\r\n\r\n{");
    assertThat(announced).startsWith("HTTP/1.1 413").contains("\"error\":\"too_large\"");
  }

  @Test
  void aMegabyteInChunksOfOneByteIsTaken() {
    String body = JOB + " ".repeat(Listener.MAX_BODY_BYTES - JOB.length());
    StringBuilder chunks = new StringBuilder();
    body.chars().forEach(c -> chunks.append("1\r\n").append((char) c).append("\r\n"));

    assertThat(
            server.raw(
                POST
                    + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + chunks
                    + "0\r\n\r\n"))
        .startsWith("HTTP/1.1 201");
  }

  @Test
  void aChunkWhoseSizeNeverEndsIsHungUpOn() throws Exception {
    for (String path : List.of("/v1/jobs", "/nowhere")) {
      try (Socket socket = server.connect()) {
        TestServer.write(
            socket,
            "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
        String ones = "1".repeat(1024 * 1024);

        assertThatThrownBy(
                () -> {
                  for (int megabytes = 0; megabytes < 64; megabytes++) {
                    TestServer.write(socket, ones);
                  }
                })
            .as(path)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @Test
  void whoAsksBeforeItSendsABodyIsAnsweredWithoutIt() {
    assertThat(
            server.raw(
                POST.replace("/v1/jobs", "/nowhere")
                    + "Expect: 100-continue\r\nContent-Length: 10\r\n\r\n"))
        .startsWith("HTTP/1.1 404")
        .containsIgnoringCase("Connection: close");
  }

  @Test
  void headIsAnsweredAsGetWouldBeButWithoutABody() {
    String job = Jobs.submit(server, "");
    String head = "HEAD %s HTTP/1.1\r\nHost: localhost\r\n\r\n";
    String answers =
        server.raw(
            head.formatted("/healthz")
                + head.formatted("/nowhere")
                + head.formatted("/v1/workers")
                + head.formatted(Streams.path(job))
                + head.formatted("/next-job?worker_id=w")
                + head.formatted("/api/v1/worker/tasks/next")
                + "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

    assertThat(answers.split("(?=HTTP/1\\.1 )", -1))
        .satisfiesExactly(
            healthz ->
                assertThat(healthz)
                    .startsWith("HTTP/1.1 200")
                    .containsIgnoringCase("Content-Length: 15\r\n")
                    .endsWith("\r\n\r\n"),
            nowhere -> assertThat(nowhere).startsWith("HTTP/1.1 404").endsWith("\r\n\r\n"),
            workers -> assertThat(workers).startsWith("HTTP/1.1 401").endsWith("\r\n\r\n"),
            events -> assertThat(events).startsWith("HTTP/1.1 405").endsWith("\r\n\r\n"),
            given -> assertThat(given).startsWith("HTTP/1.1 405").endsWith("\r\n\r\n"),
            next -> assertThat(next).startsWith("HTTP/1.1 405").endsWith("\r\n\r\n"),
            last -> assertThat(last).startsWith("HTTP/1.1 200").endsWith("{\"status\":\"ok\"}"));
  }

  @Test
  void aContentLengthThatLiesLeadsToNothing() {
    assertThat(server.raw(POST + "Content-Length: 5\r\nConnection: close\r\n\r\n" + JOB))
        .startsWith("HTTP/1.1 400");
    for (String length : List.of("-1", "abc", "99999999999999999999", "5\r\nContent-Length: 6")) {
      assertThat(server.raw(POST + "Content-Length: " + length + "\r\n\r\n" + JOB))
          .as(length)
          .startsWith("HTTP/1.1 400");
    }
    assertThat(
            server.raw(POST + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
        .startsWith("HTTP/1.1 400");
  }

  @Test
  void whatIsNotHttpIsRefusedAndHungUpOn() {
    for (String nonsense :
        List.of(
            "hello\r\n\r\n",
            "GET /healthz\r\n\r\n",
            "GET  HTTP/1.1\r\n\r\n",
            "GET /%zz HTTP/1.1\r\nHost: localhost\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\nX: " + "x".repeat(20_000) + "\r\n\r\n",
            "GET /" + "x".repeat(8_000) + " HTTP/1.1\r\nHost: localhost\r\n\r\n")) {
      String head = nonsense.substring(0, Math.min(20, nonsense.length()));
      assertThat(server.raw(nonsense)).as(head).matches("(?s)(HTTP/1.1 4\\d\\d.*)?");
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void aRequestIdIsTakenIfItIsSaneAndMadeOtherwise() {
    assertThat(server.get("/healthz", "X-Request-Id", "abc-1.2_3").header("X-Request-Id"))
        .contains("abc-1.2_3");
    for (String id : List.of("two words", "x".repeat(129), "redis:1-1", "native:1-1")) {
      assertThat(server.get("/healthz", "X-Request-Id", id).header("X-Request-Id"))
          .hasValueSatisfying(made -> assertThat(made).matches("[0-9a-f]{16}"));
    }
    assertThat(server.get("/nowhere").header("X-Request-Id")).isPresent();
  }

  @Test
  void answersAreJsonForNobodyToKeepAndSayNothingAboutTheServer() {
    Answer answer = server.get("/nowhere");

    assertThat(answer.header("Content-Type")).contains("application/json");
    assertThat(answer.header("Server")).isEmpty();
    assertThat(answer.header("Cache-Control")).contains("no-store");
    assertThat(answer.header("X-Content-Type-Options")).contains("nosniff");
    assertThat(server.raw("hello\r\n\r\n")).contains("no-store").contains("nosniff");
  }
}
