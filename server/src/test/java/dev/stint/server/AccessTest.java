package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.stint.contracts.Access;
import dev.stint.contracts.Route;
import dev.stint.engine.Lease;
import dev.stint.engine.Scope;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every route with every credential. A new route has to be put into the table. */
class AccessTest {
  private static final String ID = "0190b5a4-0000-7000-8000-000000000000";
  private static final String SECRET = "0123456789abcdef0123456789abcdef-this";
  private static final String FORMER = "0123456789abcdef0123456789abcdef-then";
  private static final String OTHER = "0123456789abcdef0123456789abcdef-other";

  /** Who may call a route besides admins. */
  private enum For {
    ANYONE,
    WORKERS,
    PRODUCERS,
    ADMINS,
    TASKS
  }

  /**
   * A route, and what it answers to an empty object.
   *
   * @param orLocal no credential is needed in the default set-up
   * @param toAdmin the answer to an admin, who is no worker
   * @param toThem the answer to those whom it is for
   */
  private record Row(String route, For whom, boolean orLocal, int toAdmin, int toThem) {
    static Row of(String route, For whom, int answer) {
      return new Row(route, whom, false, answer, answer);
    }

    static Row orLocal(String route, For whom, int answer) {
      return new Row(route, whom, true, answer, answer);
    }
  }

  private static final List<Row> TABLE =
      List.of(
          Row.of("GET /healthz", For.ANYONE, 200),
          Row.of("GET /readyz", For.ANYONE, 200),
          Row.of("GET /metrics", For.ANYONE, 200),
          Row.of("GET /ui", For.ANYONE, 200),
          Row.of("GET /ui/", For.ANYONE, 308),
          Row.of("GET /ui/{part}", For.ANYONE, 200),
          Row.orLocal("POST /internal/worker/claim", For.WORKERS, 400),
          Row.orLocal("POST /internal/worker/heartbeat", For.WORKERS, 400),
          Row.orLocal("POST /internal/worker/complete", For.WORKERS, 400),
          Row.orLocal("POST /internal/worker/fail", For.WORKERS, 400),
          Row.orLocal("POST /internal/worker/output", For.WORKERS, 400),
          Row.orLocal("POST /v1/leases/claim", For.WORKERS, 400),
          Row.orLocal("POST /v1/leases/heartbeat", For.WORKERS, 400),
          Row.orLocal("POST /v1/leases/settle", For.WORKERS, 400),
          Row.orLocal("POST /v1/jobs", For.PRODUCERS, 400),
          Row.orLocal("POST /v1/jobs/batch", For.PRODUCERS, 400),
          Row.orLocal("GET /v1/jobs/{id}", For.PRODUCERS, 404),
          Row.orLocal("GET /v1/jobs/{id}/events", For.PRODUCERS, 404),
          Row.orLocal("POST /v1/jobs/{id}/cancel", For.PRODUCERS, 404),
          Row.of("GET /v1/overview", For.ADMINS, 200),
          Row.of("GET /v1/overview/stream", For.ADMINS, 200),
          Row.of("GET /v1/queues", For.ADMINS, 200),
          Row.of("POST /v1/queues/{queue}/pause", For.ADMINS, 200),
          Row.of("POST /v1/queues/{queue}/resume", For.ADMINS, 200),
          Row.of("GET /v1/workers", For.ADMINS, 200),
          Row.of("POST /v1/workers/{id}/drain", For.ADMINS, 404),
          Row.of("POST /v1/workers/{id}/resume", For.ADMINS, 404),
          Row.orLocal("GET /v1/jobs", For.PRODUCERS, 200),
          Row.orLocal("GET /v1/jobs/{id}/explain", For.PRODUCERS, 404),
          Row.orLocal("GET /v1/jobs/{id}/timeline", For.PRODUCERS, 404),
          Row.of("POST /v1/jobs/{id}/retry", For.ADMINS, 404),
          Row.of("POST /v1/jobs/{id}/abort", For.ADMINS, 404),
          Row.of("POST /v1/jobs/bulk", For.ADMINS, 400),
          Row.of("GET /v1/dead", For.ADMINS, 200),
          Row.of("POST /v1/dead/replay", For.ADMINS, 400),
          Row.of("GET /v1/redis/check", For.ADMINS, 409),
          Row.of("POST /v1/redis/repair", For.ADMINS, 409),
          Row.of("POST /jobs", For.PRODUCERS, 400),
          Row.of("GET /jobs", For.PRODUCERS, 200),
          Row.of("GET /jobs/{id}", For.PRODUCERS, 404),
          Row.of("POST /abort", For.PRODUCERS, 400),
          Row.of("GET /workers", For.PRODUCERS, 200),
          Row.of("GET /events", For.PRODUCERS, 200),
          Row.of("POST /register", For.WORKERS, 400),
          Row.of("POST /reconnect", For.WORKERS, 400),
          Row.of("GET /next-job", For.WORKERS, 400),
          Row.of("POST /ack", For.WORKERS, 400),
          Row.of("POST /heartbeat", For.WORKERS, 400),
          Row.of("POST /complete", For.WORKERS, 400),
          Row.of("POST /fail", For.WORKERS, 400),
          Row.of("POST /release", For.WORKERS, 400),
          new Row("GET /api/v1/worker/tasks/next", For.WORKERS, false, 400, 204),
          Row.of("PATCH /api/v1/worker/tasks/{id}/status", For.WORKERS, 400),
          new Row("POST /api/v1/worker/tasks/{id}/complete", For.WORKERS, false, 400, 404),
          new Row("POST /api/v1/worker/tasks/{id}/fail", For.WORKERS, false, 400, 404),
          new Row("POST /api/v1/worker/heartbeat", For.WORKERS, false, 400, 200),
          Row.of("POST /api/v1/tasks", For.PRODUCERS, 400),
          Row.of("GET /api/v1/tasks/{id}", For.PRODUCERS, 404),
          Row.of("POST /api/v1/admin/workers", For.ADMINS, 400),
          Row.of("GET /api/v1/admin/workers", For.ADMINS, 200),
          Row.of("DELETE /api/v1/admin/workers/{id}", For.ADMINS, 404),
          Row.of("GET /api/v1/admin/queue/stats", For.ADMINS, 200),
          Row.of("POST /v1/tasks", For.PRODUCERS, 201),
          Row.of("POST /v1/tasks/claim", For.WORKERS, 400),
          Row.of("GET /v1/tasks/{id}", For.PRODUCERS, 404),
          Row.of("GET /v1/tasks/{id}/events", For.PRODUCERS, 404),
          Row.of("POST /v1/tasks/{id}/cancel", For.PRODUCERS, 404),
          Row.of("POST /v1/tasks/{id}/started", For.TASKS, 400),
          Row.of("POST /v1/tasks/{id}/heartbeat", For.TASKS, 400),
          Row.of("POST /v1/tasks/{id}/completed", For.TASKS, 400));

  private static final Lease LEASE =
      new Lease(UUID.fromString(ID), "token", "w1", 1, 1, 1, 1, 1, 1, 1);

  private static final List<String[]> API_TOKEN =
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
          new String[] {"Authorization", "Bearer a.b.c"},
          new String[] {"Authorization", "Bearer ..."},
          new String[] {"Authorization", "Bearer dev-token"});

  private final Tokens tokens = new Tokens(List.of(SECRET), Clock.systemUTC());

  @Test
  void everyRouteIsInTheTable(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      assertThat(server.server().routes().stream().map(AccessTest::name))
          .containsExactlyInAnyOrderElementsOf(TABLE.stream().map(Row::route).toList());
    }
  }

  @Test
  void withATokenOfItsOwnEveryRouteOpensToThoseItIsForAndToNobodyElse(@TempDir Path folder) {
    try (TestServer server = start(folder)) {
      for (Row row : TABLE) {
        if (row.whom == For.ANYONE) {
          assertStatus(server, row, row.toAdmin);
          WRONG.forEach(headers -> assertStatus(server, row, row.toAdmin, headers));
          continue;
        }
        assertStatus(server, row, 401);
        WRONG.forEach(headers -> assertStatus(server, row, 401, headers));
        wrongTokens().forEach(token -> assertStatus(server, row, 401, bearer(token)));
        API_TOKEN.forEach(headers -> assertStatus(server, row, row.toAdmin, headers));
        for (Access.Role role : Access.Role.values()) {
          String[] headers = bearer(token(role));
          assertStatus(server, row, expected(row, role), headers);
        }
      }
    }
  }

  private String token(Access.Role role) {
    Duration life = Duration.ofMinutes(5);
    return role == Access.Role.TASK
        ? tokens.issueTask(Scope.NONE, UUID.fromString(ID), LEASE, life).token()
        : tokens.issue(role, "w1", life);
  }

  private static int expected(Row row, Access.Role role) {
    return switch (role) {
      case ADMIN -> row.toAdmin;
      case PRODUCER -> row.whom == For.PRODUCERS ? row.toThem : 403;
      case WORKER -> row.whom == For.WORKERS ? row.toThem : 403;
      case TASK -> row.whom == For.TASKS ? row.toThem : 403;
    };
  }

  @Test
  void inTheDefaultSetUpNoCredentialIsNeededWhereNoneIsNamedButNoneMayBeWrong(
      @TempDir Path folder) {
    try (TestServer server = TestServer.start(folder, AccessTest::patient)) {
      for (Row row : TABLE) {
        boolean isOpen = row.orLocal || row.whom == For.ANYONE;
        assertStatus(server, row, isOpen ? row.toAdmin : 401);
        assertStatus(server, row, row.toAdmin, "X-API-Token", "dev-token");
        assertStatus(server, row, row.toAdmin, "Authorization", "Bearer dev-token");
        if (row.whom != For.ANYONE) {
          assertStatus(server, row, 401, "X-API-Token", "guess");
        }
      }
    }
  }

  @Test
  void aDeniedCallSaysHowToSendACredentialAndIsNotCarriedOut(@TempDir Path folder) {
    try (TestServer server = start(folder)) {
      Answer answer = server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}");

      assertThat(answer.status()).isEqualTo(401);
      assertThat(answer.header("WWW-Authenticate")).contains("Bearer");
      assertThat(answer.get("error")).isEqualTo("unauthorized");
      assertThat(server.get("/metrics").body()).doesNotContain("stint_jobs{");
    }
  }

  @Test
  void aWorkerActsOnlyAsItselfInEveryContract(@TempDir Path folder) {
    try (TestServer server = start(folder)) {
      String[] w1 = bearer(tokens.issue(Access.Role.WORKER, "w1", Duration.ofMinutes(5)));
      for (String path :
          List.of(
              "/internal/worker/claim",
              "/internal/worker/heartbeat",
              "/internal/worker/complete",
              "/internal/worker/fail",
              "/v1/leases/claim",
              "/v1/leases/heartbeat",
              "/v1/leases/settle",
              "/register",
              "/reconnect",
              "/ack",
              "/heartbeat",
              "/complete",
              "/fail",
              "/release",
              "/v1/tasks/claim")) {
        Answer answer = server.post(path, "{\"worker_id\":\"w2\",\"workerId\":\"w2\"}", w1);
        assertThat(answer.status()).as(path).isEqualTo(403);
        assertThat(answer.get("error")).isEqualTo("other_worker");
      }
      assertThat(server.get("/next-job?worker_id=w2", w1).status()).isEqualTo(403);
      assertThat(server.get("/next-job?worker_id=w1", w1).status()).isEqualTo(204);
      Answer events = server.get("/events?worker_id=w1&event=worker_refused", API_TOKEN.getFirst());
      assertThat(events.body()).contains("acted as w2");
    }
  }

  @Test
  void tokensOfTheFormerSecretAreStillTakenWhileItIsKnown(@TempDir Path folder) {
    String[] old =
        bearer(
            new Tokens(List.of(FORMER), Clock.systemUTC())
                .issue(Access.Role.ADMIN, "me", Duration.ofMinutes(5)));
    try (TestServer server = start(folder)) {
      assertThat(server.get("/jobs", old).status()).isEqualTo(200);
    }
    try (TestServer server =
        TestServer.start(
            folder,
            s ->
                s.withToken("s3cret")
                    .withSecurity(new Settings.Security(SECRET, null, 1_000_000, null)))) {
      assertThat(server.get("/jobs", old).status()).isEqualTo(401);
    }
  }

  @Test
  void withoutASecretOfItsOwnTheServerKeepsOneInItsDatabase(@TempDir Path folder) {
    String token;
    try (TestServer server = TestServer.start(folder)) {
      token = enrol(server, "w1");
      assertThat(server.get("/api/v1/worker/tasks/next", bearer(token)).status()).isEqualTo(204);
    }
    try (TestServer server = TestServer.start(folder)) {
      assertThat(server.get("/api/v1/worker/tasks/next", bearer(token)).status()).isEqualTo(204);
    }
  }

  @Test
  void registeringAgainVoidsTheOldTokenAndRevokingVoidsAll(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      String first = enrol(server, "w1");
      String second = enrol(server, "w1");
      String next = "/api/v1/worker/tasks/next";
      assertThat(server.get(next, bearer(first)).status()).isEqualTo(401);
      assertThat(server.get(next, bearer(second)).status()).isEqualTo(204);

      Answer revoked =
          server.send(
              server.request("/api/v1/admin/workers/w1", "X-API-Token", "dev-token").DELETE());
      assertThat(revoked.status()).isEqualTo(200);
      assertThat(server.get(next, bearer(second)).status()).isEqualTo(401);
      assertThat(server.get("/api/v1/admin/workers", "X-API-Token", "dev-token").body())
          .doesNotContain("w1");
      String third = enrol(server, "w1");
      assertThat(server.get(next, bearer(third)).status()).isEqualTo(204);
      assertThat(server.get(next, bearer(second)).status()).isEqualTo(401);
    }
  }

  @Test
  void aPollThatWaitsWhenItsWorkerIsRevokedIsGivenNothing(@TempDir Path folder) throws Exception {
    try (TestServer server = TestServer.start(folder)) {
      String token = enrol(server, "w1");
      CompletableFuture<Answer> poll =
          CompletableFuture.supplyAsync(
              () -> server.get("/api/v1/worker/tasks/next?wait_ms=60000", bearer(token)));
      Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));
      server.send(server.request("/api/v1/admin/workers/w1", "X-API-Token", "dev-token").DELETE());
      assertThat(poll.get(30, TimeUnit.SECONDS).status()).isEqualTo(204);

      String again = enrol(server, "w1");
      CompletableFuture<Answer> next =
          CompletableFuture.supplyAsync(
              () -> server.get("/api/v1/worker/tasks/next?wait_ms=60000", bearer(again)));
      server.post("/api/v1/tasks", "{\"payload\":{}}", "X-API-Token", "dev-token");
      assertThat(next.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
  }

  @Test
  void aPollThatWaitsWithATokenThatWasReplacedMeanwhileIsGivenNothing(@TempDir Path folder)
      throws Exception {
    try (TestServer server = TestServer.start(folder)) {
      String old = enrol(server, "w1");
      CompletableFuture<Answer> outdated =
          CompletableFuture.supplyAsync(
              () -> server.get("/api/v1/worker/tasks/next?wait_ms=60000", bearer(old)));
      Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));
      String latest = enrol(server, "w1");
      CompletableFuture<Answer> current =
          CompletableFuture.supplyAsync(
              () -> server.get("/api/v1/worker/tasks/next?wait_ms=60000", bearer(latest)));
      Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 2.0"));

      server.post("/api/v1/tasks", "{\"payload\":{}}", "X-API-Token", "dev-token");

      assertThat(outdated.get(30, TimeUnit.SECONDS).status()).isEqualTo(204);
      assertThat(current.get(30, TimeUnit.SECONDS).status()).isEqualTo(200);
    }
  }

  @Test
  void whoIsWrongTooOftenHasToWaitButNotThoseWhoAreRight(@TempDir Path folder) {
    try (TestServer server =
        TestServer.start(
            folder, s -> s.withSecurity(new Settings.Security(SECRET, null, 3, null)))) {
      assertThat(server.get("/jobs", "X-API-Token", "dev-token").status()).isEqualTo(200);
      for (int i = 0; i < 3; i++) {
        assertThat(server.get("/jobs", "X-API-Token", "guess" + i).status()).isEqualTo(401);
      }
      Answer throttled = server.get("/jobs", "X-API-Token", "guess4");
      assertThat(throttled.status()).isEqualTo(429);
      assertThat(throttled.header("Retry-After")).isPresent();
      String fresh = tokens.issue(Access.Role.ADMIN, "me", Duration.ofMinutes(5));
      assertThat(server.get("/jobs", bearer(fresh)).status()).isEqualTo(200);
      assertThat(server.get("/jobs", bearer(fresh + "x")).status()).isEqualTo(429);
      assertThat(server.get("/jobs", "X-API-Token", "dev-token").status()).isEqualTo(200);
      assertThat(server.get("/metrics").body()).contains("stint_logins_failed_total 3.0");
    }
  }

  @Test
  void whoGoesOnSendingATokenThatHasExpiredKeepsNobodyOut(@TempDir Path folder) {
    try (TestServer server =
        TestServer.start(
            folder, s -> s.withSecurity(new Settings.Security(SECRET, null, 3, null)))) {
      String old = tokens.issue(Access.Role.PRODUCER, "me", Duration.ofMinutes(-5));
      for (int i = 0; i < 8; i++) {
        assertThat(server.get("/jobs", bearer(old)).status()).isEqualTo(401);
      }
      assertThat(server.get("/jobs", "X-API-Token", "dev-token").status()).isEqualTo(200);
    }
  }

  @Test
  void aStreamEndsWhenTheTokenOfItsReaderHasExpired(@TempDir Path folder) {
    try (TestServer server =
        TestServer.start(
            folder, s -> patient(s).withStreams(new Settings.Streams(10, 1_000, 20)))) {
      String job = Jobs.submit(server, "");
      String token = tokens.issue(Access.Role.PRODUCER, "me", Duration.ofSeconds(2));

      Answer stream = server.get(Streams.path(job), bearer(token));

      assertThat(stream.status()).isEqualTo(200);
      assertThat(stream.body()).contains("event: queued");
    }
  }

  private static TestServer start(Path folder) {
    return TestServer.start(folder, s -> patient(s).withToken("s3cret"));
  }

  private static Settings patient(Settings settings) {
    return settings.withSecurity(new Settings.Security(SECRET, FORMER, 1_000_000, null));
  }

  private static String enrol(TestServer server, String worker) {
    Answer answer =
        server.post(
            "/api/v1/admin/workers",
            "{\"name\":\"n\",\"worker_id\":\"" + worker + "\"}",
            "X-API-Token",
            "dev-token");
    assertThat(answer.status()).isEqualTo(201);
    return answer.text("token");
  }

  /** Tokens that look like one and are none. */
  private static List<String> wrongTokens() {
    Instant now = Instant.now();
    Instant later = now.plusSeconds(300);
    JWTClaimsSet good = claims("w1", "worker", now, later, null);
    List<String> wrong = new ArrayList<>();
    wrong.add(new PlainJWT(good).serialize());
    wrong.add(signed(good, OTHER, JWSAlgorithm.HS256));
    wrong.add(signed(good, SECRET + "-".repeat(64), JWSAlgorithm.HS512));
    wrong.add(signed(claims("w1", "worker", now, now.minusSeconds(1), null), SECRET));
    wrong.add(signed(claims("w1", "worker", now, later, now.plusSeconds(200)), SECRET));
    wrong.add(signed(claims("w1", "worker", now.plusSeconds(200), later, null), SECRET));
    wrong.add(signed(claims("w1", "worker", now, null, null), SECRET));
    wrong.add(signed(claims("w1", "king", now, later, null), SECRET));
    wrong.add(signed(claims("w1", null, now, later, null), SECRET));
    wrong.add(signed(claims(null, "worker", now, later, null), SECRET));
    String right = signed(good, SECRET);
    int dot = right.indexOf('.');
    String header =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString("{\"alg\":\"none\"}".getBytes(StandardCharsets.UTF_8));
    wrong.add(header + right.substring(dot));
    wrong.add(right.substring(0, right.lastIndexOf('.') + 1));
    wrong.add(right.substring(0, right.length() - 2));
    return wrong;
  }

  private static JWTClaimsSet claims(
      @Nullable String subject,
      @Nullable String role,
      Instant issued,
      @Nullable Instant expires,
      @Nullable Instant notBefore) {
    return new JWTClaimsSet.Builder()
        .subject(subject)
        .claim("role", role)
        .issueTime(Date.from(issued))
        .expirationTime(expires == null ? null : Date.from(expires))
        .notBeforeTime(notBefore == null ? null : Date.from(notBefore))
        .build();
  }

  private static String signed(JWTClaimsSet claims, String secret) {
    return signed(claims, secret, JWSAlgorithm.HS256);
  }

  private static String signed(JWTClaimsSet claims, String secret, JWSAlgorithm algorithm) {
    try {
      SignedJWT token = new SignedJWT(new JWSHeader(algorithm), claims);
      token.sign(new MACSigner(secret));
      return token.serialize();
    } catch (JOSEException e) {
      throw new AssertionError(e);
    }
  }

  private static String[] bearer(String token) {
    return new String[] {"Authorization", "Bearer " + token};
  }

  private static String name(Route route) {
    return route.method() + " " + route.path();
  }

  private static void assertStatus(TestServer server, Row row, int status, String... headers) {
    String method = row.route.substring(0, row.route.indexOf(' '));
    String path =
        row.route
            .substring(row.route.indexOf(' ') + 1)
            .replace("{id}", ID)
            .replace("{queue}", "q")
            .replace("{part}", "app.js");
    boolean hasBody = Stream.of("POST", "PATCH").anyMatch(method::equals);
    HttpRequest.BodyPublisher body =
        hasBody ? HttpRequest.BodyPublishers.ofString("{}") : HttpRequest.BodyPublishers.noBody();
    assertThat(server.statusOf(server.request(path, headers).method(method, body)))
        .as(row.route + " " + Arrays.toString(headers))
        .isEqualTo(status);
  }
}
