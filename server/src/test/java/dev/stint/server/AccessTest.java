package dev.stint.server;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.contracts.Route;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every route with every credential. A new route has to be put into the table. */
class AccessTest {
  private static final String ID = "0190b5a4-0000-7000-8000-000000000000";

  /** What a route answers to those who may call it, with an empty object as the body. */
  private static final Map<String, Integer> OR_LOCAL =
      Map.of(
          "POST /internal/worker/claim", 400,
          "POST /internal/worker/heartbeat", 400,
          "POST /internal/worker/complete", 400,
          "POST /internal/worker/fail", 400,
          "POST /v1/jobs", 400,
          "GET /v1/jobs/{id}", 404,
          "POST /v1/jobs/{id}/cancel", 404);

  /** The same for routes whose document names a credential, so that there is no call without. */
  private static final Map<String, Integer> ALWAYS =
      Map.ofEntries(
          entry("POST /jobs", 400),
          entry("GET /jobs", 200),
          entry("GET /jobs/{id}", 404),
          entry("POST /abort", 400),
          entry("GET /workers", 200),
          entry("GET /events", 200),
          entry("POST /register", 400),
          entry("POST /reconnect", 400),
          entry("GET /next-job", 400),
          entry("POST /ack", 400),
          entry("POST /heartbeat", 400),
          entry("POST /complete", 400),
          entry("POST /fail", 400),
          entry("POST /release", 400));

  private static final Map<String, Integer> FOR_ANYONE =
      Map.of("GET /healthz", 200, "GET /readyz", 200, "GET /metrics", 200);

  private static final List<String[]> RIGHT =
      List.of(
          new String[] {"X-API-Token", "s3cret"},
          new String[] {"Authorization", "Bearer s3cret"},
          new String[] {"authorization", "bearer s3cret"});

  private static final List<String[]> WRONG =
      List.of(
          new String[] {"X-API-Token", "dev-token"},
          new String[] {"X-API-Token", ""},
          new String[] {"X-API-Token", "s3cret2"},
          new String[] {"X-API-Token", "S3CRET"},
          new String[] {"X-API-Token", "wrong", "Authorization", "Bearer s3cret"},
          new String[] {"Authorization", "s3cret"},
          new String[] {"Authorization", "Basic czNjcmV0"},
          new String[] {"Authorization", "Bearer "},
          new String[] {"Authorization", "Bearer dev-token"});

  @Test
  void everyRouteIsInTheTable(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      assertThat(server.server().routes().stream().map(AccessTest::name))
          .containsExactlyInAnyOrderElementsOf(all().keySet());
    }
  }

  @Test
  void withATokenOfItsOwnOnlyThatTokenOpensIt(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder, s -> s.withToken("s3cret"))) {
      withCredential()
          .forEach((route, status) -> {
            RIGHT.forEach(headers -> assertStatus(server, route, status, headers));
            WRONG.forEach(headers -> assertStatus(server, route, 401, headers));
            assertStatus(server, route, 401);
          });
      FOR_ANYONE.forEach((route, status) -> {
        assertStatus(server, route, status);
        assertStatus(server, route, status, "X-API-Token", "wrong");
      });
    }
  }

  @Test
  void inTheDefaultSetUpNoCredentialIsNeededWhereNoneIsNamedButNoneMayBeWrong(
      @TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      all()
          .forEach((route, status) -> {
            assertStatus(server, route, ALWAYS.containsKey(route) ? 401 : status);
            assertStatus(server, route, status, "X-API-Token", "dev-token");
            assertStatus(server, route, status, "Authorization", "Bearer dev-token");
          });
      withCredential()
          .keySet()
          .forEach(route -> assertStatus(server, route, 401, "X-API-Token", "guess"));
    }
  }

  @Test
  void adeniedCallSaysHowToSendACredentialAndIsNotCarriedOut(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder, s -> s.withToken("s3cret"))) {
      Answer answer = server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}");

      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.header("WWW-Authenticate")).contains("Bearer");
      assertThat(answer.get("error")).isEqualTo("unauthorized");
      assertThat(server.get("/metrics").body()).doesNotContain("stint_jobs{");
    }
  }

  private static Map<String, Integer> withCredential() {
    Map<String, Integer> both = new TreeMap<>(OR_LOCAL);
    both.putAll(ALWAYS);
    return both;
  }

  private static Map<String, Integer> all() {
    Map<String, Integer> all = withCredential();
    all.putAll(FOR_ANYONE);
    return all;
  }

  private static String name(Route route) {
    return route.method() + " " + route.path();
  }

  private static void assertStatus(TestServer server, String route, int status, String... headers) {
    String method = route.substring(0, route.indexOf(' '));
    String path = route.substring(route.indexOf(' ') + 1).replace("{id}", ID);
    HttpRequest.BodyPublisher body =
        method.equals("GET")
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString("{}");
    assertThat(server.send(server.request(path, headers).method(method, body)).status())
        .as(route + " " + List.of(headers).stream().collect(Collectors.joining(": ")))
        .isEqualTo(status);
  }
}
