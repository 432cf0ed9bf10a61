package dev.stint.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over TLS the name counts, also where the connection goes to an address that was checked. */
class PostTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir private Path folder;

  @Test
  void theCertificateMustBeThatOfTheName() throws Exception {
    SSLContext tls = contextFor("hooks.example.org");
    HttpsServer receiver =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 10);
    AtomicReference<String> host = new AtomicReference<>("");
    receiver.setHttpsConfigurator(new HttpsConfigurator(tls));
    receiver.createContext(
        "/",
        exchange -> {
          host.set(String.valueOf(exchange.getRequestHeaders().getFirst("Host")));
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
    int port = receiver.getAddress().getPort();
    InetAddress here = InetAddress.getLoopbackAddress();
    try (Post post = new Post(tls, Duration.ofSeconds(5), Duration.ofSeconds(10))) {
      URI right = URI.create("https://hooks.example.org:" + port + "/x");
      assertThat(post.send(right, here, Map.of(), new byte[] {'{', '}'})).isEqualTo(204);
      assertThat(host.get()).isEqualTo("hooks.example.org:" + port);
      URI wrong = URI.create("https://other.example.org:" + port + "/x");
      assertThatThrownBy(() -> post.send(wrong, here, Map.of(), new byte[0]))
          .isInstanceOf(SSLException.class);
    } finally {
      receiver.stop(0);
    }
  }

  private SSLContext contextFor(String name) throws Exception {
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
                "CN=" + name,
                "-ext",
                "san=dns:" + name,
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
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(store)) {
      keys.load(in, PASSWORD);
    }
    KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    own.init(keys, PASSWORD);
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trusted.init(keys);
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
    return tls;
  }
}
