package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In the default set-up no web page may make this machine's browser call the server. */
class LocalOnlyTest {
  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    server = TestServer.start(folder);
  }

  @Test
  void callsToLoopbackNamesAreAnswered() {
    for (String host :
        List.of(
            "localhost",
            "LocalHost:8080",
            "127.0.0.1",
            "127.0.0.1:9",
            "127.1.2.3:80",
            "[::1]",
            "[::1]:8080")) {
      assertThat(get(server, "Host: " + host)).as(host).startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void callsToOtherNamesAreRefused() {
    for (String host :
        List.of(
            "example.com",
            "example.com:8080",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "128.0.0.1",
            "127.0.0.1x",
            "localhost.",
            "[::2]",
            "192.168.0.1")) {
      assertThat(get(server, "Host: " + host)).as(host).startsWith("HTTP/1.1 403");
    }
  }

  @Test
  void callsFromOtherSitesAreRefused() {
    for (String origin :
        List.of("http://example.com", "https://localhost.example.com", "null", "file://", "x")) {
      assertThat(get(server, "Host: localhost\r\nOrigin: " + origin))
          .as(origin)
          .startsWith("HTTP/1.1 403")
          .contains("\"error\":\"forbidden\"");
    }
    for (String origin : List.of("http://localhost:8080", "http://127.0.0.1", "http://[::1]:80")) {
      assertThat(get(server, "Host: localhost\r\nOrigin: " + origin))
          .as(origin)
          .startsWith("HTTP/1.1 200");
    }
  }

  @Test
  void withATokenOfItsOwnAServerMayHaveAnyName(@TempDir Path folder) {
    try (TestServer open = TestServer.start(folder, s -> s.withToken("s3cret"))) {
      assertThat(get(open, "Host: example.com\r\nOrigin: http://example.org"))
          .startsWith("HTTP/1.1 200");
    }
  }

  private static String get(TestServer server, String headers) {
    return server.raw("GET /healthz HTTP/1.1\r\n" + headers + "\r\nConnection: close\r\n\r\n");
  }
}
