package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HangUpTest {
  private static final String CLAIM =
      "{\"worker_id\":\"w1\",\"streams\":[\"jobs:stream\"],\"max_wait_ms\":15000}";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  @Test
  void aParkedClientThatHasHungUpIsGivenNoJob() throws Exception {
    try (Socket socket = server.connect()) {
      TestServer.write(socket, request(CLAIM));
      Waits.until(() -> isParked(1));
    }
    String jobId = Jobs.submit(server, "");

    assertThat(Jobs.claim(server, "w2").get("job_id")).isEqualTo(jobId);
  }

  @Test
  void theJobGoesToTheNextWhoWaits() throws Exception {
    try (Socket there = server.connect()) {
      try (Socket gone = server.connect()) {
        TestServer.write(gone, request(CLAIM));
        Waits.until(() -> isParked(1));
        TestServer.write(there, request(CLAIM.replace("w1", "w2")));
        Waits.until(() -> isParked(2));
      }

      String jobId = Jobs.submit(server, "");

      assertThat(read(there)).contains("\"claimed\":true").contains(jobId);
    }
  }

  @Test
  void aClientThatSendsItsNextRequestWhileParkedIsAnsweredBoth() throws Exception {
    try (Socket socket = server.connect()) {
      TestServer.write(socket, request(CLAIM));
      Waits.until(() -> isParked(1));
      TestServer.write(socket, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");

      String jobId = Jobs.submit(server, "");

      assertThat(read(socket)).contains(jobId);
      assertThat(read(socket)).contains("\"status\":\"ok\"");
    }
  }

  @Test
  void aConnectionServesOnAfterItWasWatched() throws Exception {
    try (Socket socket = server.connect()) {
      for (int i = 0; i < 3; i++) {
        TestServer.write(socket, request(CLAIM.replace("15000", "20")));
        assertThat(read(socket)).contains("{\"claimed\":false}");
        TestServer.write(socket, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
        assertThat(read(socket)).contains("\"status\":\"ok\"");
      }
    }
  }

  @Test
  void aClientThatSendsTooSlowlyIsHungUpOnButNotOneThatWaits() throws Exception {
    try (Socket slow = server.connect();
        Socket idle = server.connect();
        Socket parked = server.connect()) {
      TestServer.write(idle, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      read(idle);
      TestServer.write(parked, request(CLAIM));
      TestServer.write(slow, request(CLAIM).substring(0, 60));
      Waits.until(() -> isParked(1));

      Waits.until(() -> {
        server.server().listener().closeSlowOnes(System.nanoTime() + 31_000_000_000L);
        return isClosed(slow);
      });

      TestServer.write(idle, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
      assertThat(read(idle)).contains("\"status\":\"ok\"");
      // Not by the test's own client: its last answer may just have been on the way in that hour.
      TestServer.write(idle, request("/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"n\":1}}"));
      String submitted = read(idle);
      assertThat(submitted).startsWith("HTTP/1.1 201");
      String jobId = submitted.replaceFirst("(?s).*\"job_id\":\"([^\"]+)\".*", "$1");
      assertThat(read(parked)).contains(jobId);
    }
  }

  @Test
  void aClientThatSendsHalfOfItsNextRequestWithTheLastIsHungUpOn() throws Exception {
    try (Socket slow = server.connect()) {
      TestServer.write(
          slow,
          "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET /healthz HTTP/1.1\r\nHost: local");
      read(slow);

      Waits.until(() -> {
        server.server().listener().closeSlowOnes(System.nanoTime() + 31_000_000_000L);
        return isClosed(slow);
      });
    }
  }

  @Test
  void aClientThatDoesNotReadItsAnswerIsHungUpOn() throws Exception {
    String jobId = submitLong();
    try (Socket socket = connectWithSmallBuffer()) {
      for (int i = 0; i < 10; i++) {
        TestServer.write(socket, get(jobId));
      }

      Waits.until(() -> {
        server.server().listener().closeSlowOnes(System.nanoTime() + 31_000_000_000L);
        return TestServer.isGone(socket);
      });
    }
  }

  @Test
  void aClientThatReadsSlowlyGetsAllOfALongAnswer() throws Exception {
    String jobId = submitLong();
    try (Socket socket = connectWithSmallBuffer()) {
      for (int i = 0; i < 10; i++) {
        TestServer.write(socket, get(jobId));
      }

      for (int i = 0; i < 10; i++) {
        server.server().listener().closeSlowOnes(System.nanoTime() + 20_000_000_000L);
        assertThat(read(socket)).contains(jobId).endsWith("}");
      }
    }
  }

  private String submitLong() {
    return server
        .post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"x\":\"" + "x".repeat(190_000) + "\"}}")
        .text("job_id");
  }

  private static String get(String jobId) {
    return "GET /v1/jobs/" + jobId + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  private Socket connectWithSmallBuffer() throws Exception {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4_096);
    socket.setSoTimeout(20_000);
    socket.connect(
        new java.net.InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), server.port()));
    return socket;
  }

  private static boolean isClosed(Socket socket) {
    try {
      socket.setSoTimeout(50);
      return socket.getInputStream().read() < 0;
    } catch (java.net.SocketTimeoutException e) {
      return false;
    } catch (java.io.IOException e) {
      return true;
    }
  }

  private boolean isParked(int claims) {
    return server.get("/metrics").body().contains("stint_claims_parked " + claims + ".0");
  }

  private static String request(String body) {
    return request("/internal/worker/claim", body);
  }

  private static String request(String path, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\n"
        + "Content-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  /** One answer: these have short bodies that end in a brace. */
  private static String read(Socket socket) throws Exception {
    StringBuilder text = new StringBuilder();
    while (true) {
      int next = socket.getInputStream().read();
      if (next < 0) {
        return text.toString();
      }
      text.append((char) next);
      int body = text.indexOf("\r\n\r\n");
      if (body >= 0 && text.length() == body + 4 + contentLength(text)) {
        return text.toString();
      }
    }
  }

  private static int contentLength(CharSequence text) {
    var matcher = java.util.regex.Pattern.compile("(?i)content-length: (\\d+)").matcher(text);
    assertThat(matcher.find()).isTrue();
    return Integer.parseInt(matcher.group(1));
  }
}
