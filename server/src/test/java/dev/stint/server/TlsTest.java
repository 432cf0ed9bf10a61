package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS with a certificate of one's own. */
class TlsTest {
  private static final String CLAIM =
      "{\"worker_id\":\"w1\",\"streams\":[\"jobs:stream\"],\"max_wait_ms\":15000}";

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private TestCertificate certificate;

  @BeforeEach
  void makeCertificate() throws Exception {
    certificate = TestCertificate.make(folder, "dns:localhost", "ip:127.0.0.1");
  }

  @Test
  void callsAreAnsweredOverTlsAndOnlyOverTls() throws Exception {
    try (TestServer server = start(certificate.certificatePem(), certificate.keyPem())) {
      HttpClient client = HttpClient.newBuilder().sslContext(certificate.context()).build();
      HttpResponse<String> submitted =
          client.send(
              HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/v1/jobs"))
                  .header("Content-Type", "application/json")
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"task\":\"chat\",\"payload\":{\"x\":\"" + "y".repeat(50_000) + "\"}}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());

      assertThat(submitted.statusCode()).isEqualTo(201);
      assertThat(submitted.body()).contains("yyyy");
      assertThatThrownBy(() -> server.get("/healthz")).hasCauseInstanceOf(IOException.class);
    }
  }

  @Test
  void aParkedClaimIsAnsweredOverTls() throws Exception {
    try (TestServer server = start(certificate.certificatePem(), certificate.keyPem())) {
      HttpClient client = HttpClient.newBuilder().sslContext(certificate.context()).build();
      HttpRequest.Builder claim =
          HttpRequest.newBuilder(
                  URI.create("https://localhost:" + server.port() + "/internal/worker/claim"))
              .header("Content-Type", "application/json");
      HttpResponse<String> nothing =
          client.send(
              claim
                  .POST(
                      HttpRequest.BodyPublishers.ofString(
                          "{\"worker_id\":\"w\",\"streams\":[\"s\"],\"max_wait_ms\":300}"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(nothing.body()).isEqualTo("{\"claimed\":false}");
    }
  }

  @Test
  void aParkedClientThatHasHungUpIsGivenNoJob() throws Exception {
    try (TestServer server = start(certificate.certificatePem(), certificate.keyPem())) {
      try (Socket socket = connect(server)) {
        TestServer.write(socket, post("/internal/worker/claim", CLAIM));
        Waits.until(() -> call(server, get("/metrics")).contains("stint_claims_parked 1.0"));
      }

      String submitted = call(server, post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}"));

      assertThat(submitted).contains("201");
      assertThat(call(server, post("/internal/worker/claim", CLAIM.replace("w1", "w2"))))
          .contains("\"claimed\":true");
    }
  }

  @Test
  void aClientThatDoesNotReadIsCutOffAndHoldsUpNobodyElse() throws Exception {
    try (TestServer server = start(certificate.certificatePem(), certificate.keyPem())) {
      String payload = "x".repeat(190_000);
      String submitted =
          call(
              server,
              post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{\"x\":\"" + payload + "\"}}"));
      String jobId = submitted.replaceFirst("(?s).*\"job_id\":\"([^\"]+)\".*", "$1");
      try (Socket socket = connect(server)) {
        for (int i = 0; i < 20; i++) {
          TestServer.write(socket, get("/v1/jobs/" + jobId));
        }
        String answered = "";
        for (String now = answered(server); !now.equals(answered); now = answered(server)) {
          answered = now;
        }
        Waits.until(() -> {
          CompletableFuture.runAsync(() ->
                  server.server().listener().closeSlowOnes(System.nanoTime() + 31_000_000_000L))
              .orTimeout(20, TimeUnit.SECONDS)
              .join();
          return TestServer.isGone(socket);
        });
      }
    }
  }

  private String answered(TestServer server) {
    return call(server, get("/metrics"))
        .lines()
        .filter(line -> line.startsWith("stint_http_requests_seconds_count"))
        .filter(line -> line.contains("route=\"/v1/jobs/{id}\""))
        .findFirst()
        .orElse("");
  }

  @Test
  void nobodyAsksForTheNameOfAClient() throws Exception {
    assertThat(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}).getHostName())
        .isEqualTo("127.0.0.1");
    assertThat(InetAddress.getByName("localhost").isLoopbackAddress()).isTrue();
  }

  private Socket connect(TestServer server) throws Exception {
    Socket plain = new Socket();
    plain.setReceiveBufferSize(4_096);
    plain.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
    return certificate.context().getSocketFactory().createSocket(plain, "localhost", 0, true);
  }

  private String call(TestServer server, String request) {
    try (Socket socket = connect(server)) {
      TestServer.write(socket, request.replaceFirst("\r\n", "\r\nConnection: close\r\n"));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static String get(String path) {
    return "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
  }

  private static String post(String path, String body) {
    return "POST "
        + path
        + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "
        + body.length()
        + "\r\n\r\n"
        + body;
  }

  @Test
  void filesThatAreMissingOrNoPemAreNamed() throws Exception {
    Path missing = folder.resolve("missing.pem");
    Path nonsense = Files.writeString(folder.resolve("nonsense.pem"), "hello");
    Path key = certificate.keyPem();
    assertThatThrownBy(() -> start(missing, key))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("--tls-cert: cannot read");
    assertThatThrownBy(() -> start(certificate.certificatePem(), missing))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("--tls-key: cannot read");
    assertThatThrownBy(() -> start(nonsense, key))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("must be PEM");
  }

  private TestServer start(Path certificateFile, Path keyFile) {
    var tls = new Settings.Security.Tls(certificateFile, keyFile);
    return TestServer.start(
        folder, s -> s.withSecurity(new Settings.Security(null, null, 60, tls)));
  }
}
