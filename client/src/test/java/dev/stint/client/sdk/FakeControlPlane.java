package dev.stint.client.sdk;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.stint.client.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A control plane that says what a test wants; where that says nothing, there is no job. */
final class FakeControlPlane implements AutoCloseable {
  /** An answer; one with a number of seconds asks to be left alone for so long. */
  record Reply(int status, String body, int retryAfterSeconds) {
    Reply(int status, String body) {
      this(status, body, 0);
    }
  }

  static final Reply NOTHING = new Reply(200, "{\"jobs\":[]}");
  static final Reply AWAY = new Reply(503, "{\"error\":\"unavailable\"}");

  final List<Map<?, ?>> submissions = new CopyOnWriteArrayList<>();
  final List<Map<?, ?>> claims = new CopyOnWriteArrayList<>();
  final List<Map<?, ?>> beats = new CopyOnWriteArrayList<>();
  final List<Map<?, ?>> settlements = new CopyOnWriteArrayList<>();
  volatile Function<Map<?, ?>, Reply> onSubmit = submission -> NOTHING;
  volatile Function<Map<?, ?>, Reply> onClaim = claim -> NOTHING;
  volatile Function<Map<?, ?>, Reply> onBeat = beat -> NOTHING;
  volatile Function<Map<?, ?>, Reply> onSettle = FakeControlPlane::allIsWell;
  private final HttpServer server;

  FakeControlPlane() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/v1/jobs/batch", call -> answer(call, submissions, onSubmit));
    server.createContext("/v1/leases/claim", call -> answer(call, claims, onClaim));
    server.createContext("/v1/leases/settle", call -> answer(call, settlements, onSettle));
    server.createContext("/v1/leases/heartbeat", call -> answer(call, beats, onBeat));
    server.start();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** A worker of four slots that gives a job's id for its result. */
  StintWorker.Builder worker() {
    return StintWorker.to(url()).queue("q").slots(4).handle(Job::id);
  }

  private static void answer(
      HttpExchange call, List<Map<?, ?>> calls, Function<Map<?, ?>, Reply> how) throws IOException {
    String sent = new String(call.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    Map<?, ?> body = (Map<?, ?>) Objects.requireNonNull(Json.read(sent));
    calls.add(body);
    Reply reply = how.apply(body);
    byte[] bytes = reply.body().getBytes(StandardCharsets.UTF_8);
    try (call) {
      if (reply.retryAfterSeconds() > 0) {
        call.getResponseHeaders().set("Retry-After", "" + reply.retryAfterSeconds());
      }
      call.sendResponseHeaders(reply.status(), bytes.length);
      call.getResponseBody().write(bytes);
    }
  }

  /** The results that a settle call reports. */
  static List<Object> reported(Map<?, ?> settle) {
    return ((List<?>) Objects.requireNonNull(settle.get("reports")))
        .stream().<Object>map(report -> "" + ((Map<?, ?>) report).get("result")).toList();
  }

  static Reply allIsWell(Map<?, ?> settle) {
    return new Reply(200, results(reported(settle).stream().mapToInt(one -> 200).toArray()));
  }

  static Reply accept(Map<?, ?> settle, Set<Object> accepted) {
    accepted.addAll(reported(settle));
    return allIsWell(settle);
  }

  static String results(int... statuses) {
    List<Map<String, Object>> results =
        IntStream.of(statuses)
            .mapToObj(status -> Map.<String, Object>of("status", status, "body", Map.of()))
            .toList();
    return Json.write(Map.of("results", results, "jobs", List.of()));
  }

  static Reply refusal(int status, String problem) {
    return new Reply(status, Json.write(Map.of("error", "refused", "message", problem)));
  }

  static Reply jobs(String... ids) {
    return jobs(60, ids);
  }

  /** An answer to a claim, with leases that last so many seconds. */
  static Reply jobs(int ttlSeconds, String... ids) {
    List<Map<String, @Nullable Object>> jobs =
        List.of(ids).stream().map(id -> job(id, ttlSeconds)).toList();
    return new Reply(200, Json.write(Map.of("jobs", jobs)));
  }

  private static Map<String, @Nullable Object> job(String id, int ttlSeconds) {
    Map<String, @Nullable Object> job = new HashMap<>();
    job.put("job_id", id);
    job.put("attempt_id", "a-" + id);
    job.put("lease_token", "t");
    job.put("stream", "q");
    job.put("payload", Map.of());
    job.put("attempt", 1);
    job.put("fence", 1);
    job.put("lease_ttl_seconds", ttlSeconds);
    return job;
  }

  interface Condition {
    boolean isThere();
  }

  static void await(Condition condition) throws InterruptedException {
    while (!condition.isThere()) {
      Thread.sleep(5);
    }
  }
}
