package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.ServerEvent;
import dev.stint.client.ServerEvents;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class EventStreamTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start() {
    server = TestServer.start(folder);
  }

  @Test
  void aReaderSeesAJobFromItsQueueToItsEnd() throws Exception {
    String id = Jobs.submit(server, "");
    try (ServerEvents stream = Streams.open(server.port(), id, null)) {
      ServerEvent hello = Streams.next(stream);
      assertThat(hello.type()).isEqualTo("hello");
      assertThat(hello.id()).isNull();
      assertThat(hello.data()).isEqualTo("{\"job_id\":\"%s\",\"status\":\"queued\"}".formatted(id));

      ServerEvent queued = Streams.next(stream);
      assertThat(queued.id()).isNotNull();
      assertThat(Streams.json(queued))
          .contains(
              entry("type", "queued"), entry("step", "gateway.enqueue"), entry("data", Map.of()))
          .containsKey("ts")
          .hasSize(4);

      Jobs.Lease lease = Jobs.lease(server, "w1");
      ServerEvent running = Streams.next(stream);
      assertThat(running.type()).isEqualTo("running");
      assertThat(Streams.json(running))
          .contains(entry("step", "claimed"), entry("data", Map.of("worker_id", "w1")));

      server.post("/internal/worker/heartbeat", lease.with(",\"progress\":40,\"message\":\"so\""));
      ServerEvent progress = Streams.next(stream);
      assertThat(progress.type()).isEqualTo("progress");
      assertThat(Streams.json(progress))
          .containsEntry("data", Map.of("progress", 40L, "message", "so"));

      server.post("/internal/worker/complete", lease.with(",\"result\":{\"a\":1}"));
      assertThat(Streams.next(stream).type()).isEqualTo("done");
      assertThat(stream.next()).isNull();
    }
  }

  @Test
  void theHeadersSayWhatItIs() throws Exception {
    String id = Jobs.submit(server, "");
    server.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"enough\"}");

    Answer answer = server.get(Streams.path(id));

    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).contains("text/event-stream; charset=utf-8");
    assertThat(answer.header("Cache-Control")).contains("no-store");
    assertThat(answer.header("X-Request-Id")).isPresent();
    assertThat(answer.body()).contains("event: canceled\n").contains("\"reason\":\"enough\"");
  }

  @Test
  void aMessageWithoutProgressAndAStatusWordAreTold() throws Exception {
    String id = Jobs.submit(server, ",\"queue\":\"tasks\"");
    String worker = "w7";
    server.send(
        server
            .request("/api/v1/worker/tasks/next", "X-API-Token", "dev-token", "X-Worker-Id", worker)
            .GET());
    server.send(
        server
            .request(
                "/api/v1/worker/tasks/" + id + "/status",
                "X-API-Token",
                "dev-token",
                "X-Worker-Id",
                worker)
            .method(
                "PATCH",
                java.net.http.HttpRequest.BodyPublishers.ofString(
                    "{\"status\":\"EMBEDDING\",\"message\":\"page\\n1\"}")));
    try (ServerEvents stream = Streams.open(server.port(), id, null)) {
      List<ServerEvent> events =
          List.of(
              Streams.next(stream),
              Streams.next(stream),
              Streams.next(stream),
              Streams.next(stream));
      assertThat(Streams.types(events)).containsExactly("hello", "queued", "running", "message");
      assertThat(Streams.json(events.getLast()))
          .containsEntry("data", Map.of("status", "EMBEDDING", "message", "page 1"));
    }
  }

  @Test
  void aFailureIsToldWithItsErrorHoweverThatWasWritten() throws Exception {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    server.post(
        "/internal/worker/fail",
        lease.with(",\"error\":{\n\"code\":\"E1\",\r\n\"message\":\"a\\nb\"}"));

    List<ServerEvent> events = Streams.readAll(server.port(), id);

    assertThat(Streams.types(events)).containsExactly("hello", "queued", "running", "error");
    assertThat(Streams.json(events.getLast()))
        .containsEntry(
            "data",
            Map.of(
                "worker_id", "w1",
                "reason", "E1",
                "error", Map.of("code", "E1", "message", "a\nb")));
  }

  @Test
  void whoComesAgainGetsWhatFollowsTheLastIdByHeaderOrByQuery() throws Exception {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    server.post("/internal/worker/complete", lease.with(""));
    List<ServerEvent> all = Streams.readAll(server.port(), id);
    assertThat(Streams.types(all)).containsExactly("hello", "queued", "running", "done");
    String queued = Objects.requireNonNull(all.get(1).id());

    assertThat(server.get(Streams.path(id), "Last-Event-ID", queued).body())
        .contains("event: hello\n", "event: running\n", "event: done\n")
        .doesNotContain("event: queued\n");
    assertThat(server.get(Streams.path(id) + "?last_id=" + queued).body())
        .contains("event: done\n")
        .doesNotContain("event: queued\n");
    String done = Objects.requireNonNull(all.getLast().id());
    assertThat(server.get(Streams.path(id), "Last-Event-ID", done).body())
        .contains("event: hello\n")
        .doesNotContain("id: ");
    assertThat(server.get(Streams.path(id) + "?last_id=0", "Last-Event-ID", "").body())
        .contains("event: queued\n");
  }

  @Test
  void whatIsNoEventOfTheJobIsRefused() {
    String id = Jobs.submit(server, "");
    for (String nonsense : List.of("x", "-1", "1.5", "99999999999999999999", "1-0", "4711")) {
      Answer answer = server.get(Streams.path(id), "Last-Event-ID", nonsense);
      assertThat(answer.status()).as(nonsense).isEqualTo(400);
      assertThat(answer.text("message")).contains("Last-Event-ID");
    }
    for (String nonsense : List.of("first", "999999999")) {
      Answer answer = server.get(Streams.path(id) + "?last_id=" + nonsense);
      assertThat(answer.status()).as(nonsense).isEqualTo(400);
      assertThat(answer.text("message")).contains("`last_id`");
    }
  }

  @Test
  void anIdleStreamSaysThatItIsStillThere(@TempDir Path other) throws Exception {
    try (TestServer quick =
            TestServer.start(other, s -> s.withStreams(new Settings.Streams(1, 1_000, 50)));
        Socket socket = quick.connect()) {
      String id = Jobs.submit(quick, "");
      TestServer.write(socket, "GET " + Streams.path(id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      StringBuilder read = new StringBuilder();
      while (read.toString().split("\n: ", -1).length < 4) {
        read.append((char) socket.getInputStream().read());
      }
      assertThat(quick.get(Streams.path(id)).status()).isEqualTo(429);
      assertThat(quick.get(Streams.path(id)).header("Retry-After")).isPresent();
    }
  }

  @Test
  void whatDoesNotExistIsNotFound() {
    assertThat(server.get(Streams.path("01234567-89ab-7def-8123-456789abcdef")).status())
        .isEqualTo(404);
    assertThat(server.get(Streams.path("nonsense")).status()).isEqualTo(404);
  }

  @Test
  void anExpiredJobsStreamEndsAndIsNotFoundAfterwards() throws Exception {
    String id = Jobs.submit(server, ",\"ttl_s\":2");

    assertThat(Streams.types(Streams.readAll(server.port(), id)))
        .containsExactly("hello", "queued");

    assertThat(server.get(Streams.path(id)).status()).isEqualTo(404);
  }

  @Test
  void readersKeepNoServerFromStopping() throws Exception {
    String id = Jobs.submit(server, "");
    try (ServerEvents stream = Streams.open(server.port(), id, null)) {
      Streams.next(stream);
      Streams.next(stream);
      long begin = System.nanoTime();

      server.server().drain();

      assertThat(stream.next()).isNull();
      assertThat(System.nanoTime() - begin).isLessThan(5_000_000_000L);
    }
  }

  @Test
  void afterAStreamTheConnectionTakesTheNextRequest() throws Exception {
    String id = Jobs.submit(server, "");
    server.post("/v1/jobs/" + id + "/cancel", "");
    try (Socket socket = server.connect()) {
      String request = "GET %s HTTP/1.1\r\nHost: localhost\r\n%s\r\n";
      TestServer.write(socket, request.formatted(Streams.path(id), ""));
      TestServer.write(socket, request.formatted("/healthz", "Connection: close\r\n"));
      String all =
          new String(
              socket.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
      assertThat(all).contains("event: canceled").contains("{\"status\":\"ok\"}");
    }
  }

  @Test
  void aClientThatDoesNotReadIsCutOff() throws Exception {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w1");
    try (Socket socket = new Socket()) {
      socket.setReceiveBufferSize(4_096);
      socket.connect(
          new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), server.port()));
      TestServer.write(socket, "GET " + Streams.path(id) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
      Waits.until(() -> readers() == 1);
      int part = 64 * 1024;
      for (int i = 0; i < 16; i++) {
        Answer taken =
            server.post(
                "/internal/worker/output",
                lease.with(",\"offset\":" + i * part + ",\"data\":\"" + "x".repeat(part) + "\""));
        assertThat(taken.status()).isEqualTo(200);
      }
      assertThat(readers()).isEqualTo(1);
      server.server().listener().closeSlowOnes(System.nanoTime() + 60_000_000_000L);
      Waits.until(() -> readers() == 0);
    }
    assertThat(Jobs.status(server, id)).isEqualTo("running");
  }

  private double readers() {
    return server
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("stint_readers "))
        .mapToDouble(line -> Double.parseDouble(line.substring("stint_readers ".length())))
        .findFirst()
        .orElse(-1);
  }
}
