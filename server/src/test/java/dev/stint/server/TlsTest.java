package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS with a certificate of one's own. */
class TlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init") // set before each test
  private KeyStore keys;

  @BeforeEach
  void makeCertificate() throws Exception {
    Path store = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-alias",
                "stint",
                "-dname",
                "CN=localhost",
                "-ext",
                "san=dns:localhost,ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                store.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertThat(keytool.waitFor(60, TimeUnit.SECONDS)).isTrue();
    keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    Certificate certificate = Objects.requireNonNull(keys.getCertificate("stint"));
    writePem("cert.pem", "CERTIFICATE", certificate.getEncoded());
    writePem("key.pem", "PRIVATE KEY", keys.getKey("stint", PASSWORD).getEncoded());
  }

  @Test
  void callsAreAnsweredOverTlsAndOnlyOverTls() throws Exception {
    try (TestServer server = start("cert.pem", "key.pem")) {
      HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build();
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
    try (TestServer server = start("cert.pem", "key.pem")) {
      HttpClient client = HttpClient.newBuilder().sslContext(trusting()).build();
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
  void filesThatAreMissingOrNoPemAreNamed() throws IOException {
    Files.writeString(folder.resolve("nonsense.pem"), "hello");
    assertThatThrownBy(() -> start("missing.pem", "key.pem"))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("--tls-cert: cannot read");
    assertThatThrownBy(() -> start("cert.pem", "missing.pem"))
        .isInstanceOf(SettingException.class)
        .hasMessageStartingWith("--tls-key: cannot read");
    assertThatThrownBy(() -> start("nonsense.pem", "key.pem"))
        .isInstanceOf(SettingException.class)
        .hasMessageContaining("must be PEM");
  }

  private TestServer start(String certificate, String key) {
    var tls = new Settings.Security.Tls(folder.resolve(certificate), folder.resolve(key));
    return TestServer.start(
        folder, s -> s.withSecurity(new Settings.Security(null, null, 60, tls)));
  }

  private SSLContext trusting() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("stint", keys.getCertificate("stint"));
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory.getTrustManagers(), null);
    return context;
  }

  private void writePem(String name, String kind, byte[] der) throws IOException {
    String base64 =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    Files.writeString(
        folder.resolve(name),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, base64, kind));
  }
}
