package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a browser is sent under /ui. */
class DashboardHttpTest {
  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    server = TestServer.start(folder, s -> s.withToken("s3cret"));
  }

  @Test
  void thePageLoadsWithoutACredentialAndMayRunNoCodeButItsOwn() {
    Answer page = server.get("/ui");

    assertThat(page.status()).isEqualTo(200);
    assertThat(page.header("Content-Type")).hasValue("text/html; charset=utf-8");
    assertThat(page.header("Content-Security-Policy").orElseThrow())
        .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'")
        .doesNotContain("unsafe");
    assertThat(page.header("X-Content-Type-Options")).hasValue("nosniff");
    assertThat(page.header("Referrer-Policy")).hasValue("no-referrer");
    assertThat(page.body().toLowerCase(Locale.ROOT))
        .doesNotContain("<script>", "style=", "onload=", "onclick=");
  }

  @Test
  void whatTheBrowserHasAlreadyIsNotSentAgain() {
    Answer first = server.get("/ui/app.js");
    String tag = first.header("ETag").orElseThrow();

    Answer again = server.get("/ui/app.js", "If-None-Match", tag);

    assertThat(first.header("Content-Type")).hasValue("text/javascript; charset=utf-8");
    assertThat(first.header("Cache-Control")).hasValue("no-cache");
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
    assertThat(again.header("ETag")).hasValue(tag);
    assertThat(server.get("/ui/app.js", "If-None-Match", "\"other\"").status()).isEqualTo(200);
  }

  @Test
  void aSlashAtTheEndLeadsToThePage() {
    assertThat(server.get("/ui/").status()).isEqualTo(308);
    assertThat(server.get("/ui/").header("Location")).hasValue("../ui");
  }

  @Test
  void nothingElseOfTheProgramCanBeHad() {
    for (String path :
        new String[] {
          "/ui/index.html",
          "/ui/Dashboard.class",
          "/ui/..%2FDashboard.class",
          "/ui/%2e%2e",
          "/ui/app.js%00",
          "/ui/a/b"
        }) {
      assertThat(server.get(path).status()).as(path).isBetween(400, 404);
    }
  }
}
