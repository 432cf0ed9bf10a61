package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.testkit.TestCertificate;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS with a certificate of one's own. */
class TlsTest {
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
