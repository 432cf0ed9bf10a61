package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as it is started and stopped for real. */
@Timeout(120)
class ServerProcessTest {
  private static final String CLAIM =
      "{\"worker_id\":\"w\",\"streams\":[\"s\"],\"max_wait_ms\":60000}";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void itTellsWhereItListensWhereItsDataIsAndWhatToTry() throws Exception {
    try (StintProcess stint = start("server", "-addr", "127.0.0.1:0", "-db", "jobs.db")) {
      String listens = stint.line();
      assertThat(listens).matches("stint listens on http://127\\.0\\.0\\.1:\\d+");
      assertThat(stint.line())
          .isEqualTo("its data is in " + folder.toRealPath().resolve("jobs.db"));
      assertThat(stint.line())
          .isEqualTo(listens.replace("stint listens on ", "its dashboard is at ") + "/ui");
      assertThat(stint.line()).startsWith("try: curl ").endsWith("/v1/jobs");
      assertThat(folder.resolve("jobs.db")).exists();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "INT", "HUP"})
  void aSignalAnswersParkedClaimsAndExitsWithZero(String signal) throws Exception {
    try (StintProcess stint = start("server", "--addr", "127.0.0.1:0");
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), stint.port())) {
      park(socket, CLAIM.length());
      socket.getOutputStream().write(CLAIM.getBytes(StandardCharsets.UTF_8));
      awaitParked(socket.getPort());

      stint.signal(signal);

      assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .contains("200 OK")
          .endsWith("{\"claimed\":false}");
      assertThat(stint.exitCode()).isZero();
      assertThat(stint.errors()).isEmpty();
    }
  }

  @Test
  void aSecondCtrlCEndsItAtOnce() throws Exception {
    try (StintProcess stint = start("server", "--addr", "127.0.0.1:0");
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), stint.port())) {
      // A request that does not come to its end holds up the first.
      park(socket, CLAIM.length());
      assertThat(get(socket.getPort(), "/healthz")).contains("200 OK");
      stint.signal("INT");
      awaitClosed(socket.getPort());

      stint.signal("INT");

      assertThat(stint.exitCode()).isEqualTo(130);
    }
  }

  @Test
  void itEndsIfItCannotTakeConnectionsAnyMore() throws Exception {
    try (StintProcess stint = start("server", "--addr", "127.0.0.1:0");
        Socket waiting = new Socket(InetAddress.getLoopbackAddress(), stint.port())) {
      // Java opens what it waits for connections with when it first has to wait for one, as here.
      int port = waiting.getPort();
      assertThat(get(port, "/healthz")).contains("200 OK");

      stint.crowd(port);

      assertThat(stint.exitCode()).isEqualTo(1);
    }
  }

  @Test
  void killedItLeavesNothingInTheTemporaryFolder() throws Exception {
    Path temporary = Files.createDirectory(folder.resolve("temporary"));
    try (StintProcess stint =
        StintProcess.start(
            folder,
            Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary),
            "server",
            "--addr",
            "127.0.0.1:0")) {
      assertThat(get(stint.port(), "/readyz")).contains("200 OK");

      stint.kill();

      assertThat(temporary).isEmptyDirectory();
    }
  }

  @Test
  void aWrongSettingIsExitCode2AndOneLineThatNamesIt() throws Exception {
    try (StintProcess stint = start("server", "--addr", ":0")) {
      assertThat(stint.exitCode()).isEqualTo(2);
      assertThat(stint.errors()).matches("stint: --addr: .*STINT_API_TOKEN.*\n");
    }
  }

  @Test
  void aDatabaseThatCannotBeUsedIsExitCode3AndOneLine() throws Exception {
    Path text = Files.writeString(folder.resolve("notes.txt"), "this is no database\n".repeat(99));
    try (StintProcess stint = start("server", "--addr", "127.0.0.1:0", "--db", text.toString())) {
      assertThat(stint.exitCode()).isEqualTo(3);
      assertThat(stint.errors()).matches("stint: .*\n");
    }
    assertThat(text).hasContent("this is no database\n".repeat(99));
  }

  @Test
  void anAddressThatIsTakenIsExitCode4AndOneLineThatNamesIt() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        StintProcess stint = start("server", "--addr", "127.0.0.1:" + taken.getLocalPort())) {
      assertThat(stint.exitCode()).isEqualTo(4);
      assertThat(stint.errors()).matches("stint: .*" + taken.getLocalPort() + ".*\n");
    }
  }

  private StintProcess start(String... arguments) throws IOException {
    return StintProcess.start(folder, Map.of(), arguments);
  }

  private static void park(Socket socket, int length) throws IOException {
    socket.setSoTimeout(30_000);
    socket
        .getOutputStream()
        .write(
            ("POST /internal/worker/claim HTTP/1.1\r\nHost: localhost\r\n"
                    + "Content-Type: application/json\r\nContent-Length: "
                    + length
                    + "\r\n\r\n")
                .getBytes(StandardCharsets.UTF_8));
  }

  private static void awaitParked(int port) throws Exception {
    while (!get(port, "/metrics").contains("stint_claims_parked 1.0")) {
      Thread.sleep(20);
    }
  }

  private static void awaitClosed(int port) throws Exception {
    try {
      while (true) {
        new Socket(InetAddress.getLoopbackAddress(), port).close();
        Thread.sleep(20);
      }
    } catch (IOException refused) {
      // as it should be
    }
  }

  private static String get(int port, String path) throws IOException {
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      socket.setSoTimeout(30_000);
      socket
          .getOutputStream()
          .write(
              ("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.UTF_8));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
