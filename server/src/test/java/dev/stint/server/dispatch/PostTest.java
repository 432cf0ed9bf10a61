package dev.stint.server.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.stint.testkit.TestCertificate;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Over TLS the name counts, also where the connection goes to an address that was checked. */
class PostTest {
  @TempDir private Path folder;

  @Test
  void theCertificateMustBeThatOfTheName() throws Exception {
    SSLContext tls = TestCertificate.make(folder, "dns:hooks.example.org").context();
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
}
