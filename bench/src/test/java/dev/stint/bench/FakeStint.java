package dev.stint.bench;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** The routes that the generator calls, over a queue in memory, with ways to make it misbehave. */
final class FakeStint implements AutoCloseable {
  static {
    // Without it the JDK's server waits 40 ms for more to send after every head.
    System.setProperty("sun.net.httpserver.nodelay", "true");
  }

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final ConcurrentLinkedQueue<String> queue = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closed = new CountDownLatch(1);
  final AtomicInteger submits = new AtomicInteger();
  final AtomicInteger claims = new AtomicInteger();
  final AtomicInteger completes = new AtomicInteger();
  volatile String claimBodySeen = "";
  volatile String completeBodySeen = "";
  volatile boolean refusesSubmits;
  volatile boolean stallsOnClaims;
  volatile boolean givesJobsOutTwice;
  volatile boolean deniesCompletions;

  FakeStint() throws IOException {
    this(true);
  }

  FakeStint(boolean hasEcho) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
    server.setExecutor(threads);
    if (hasEcho) {
      server.createContext("/bench/echo", exchange -> answer(exchange, 200, body(exchange)));
    }
    server.createContext("/healthz", exchange -> answer(exchange, 200, "{}"));
    server.createContext("/v1/jobs", this::submit);
    server.createContext("/internal/worker/claim", this::claim);
    server.createContext("/internal/worker/complete", this::complete);
    server.createContext("/metrics", this::metrics);
    server.createContext("/api/v1/tasks", this::submitTask);
    server.createContext("/api/v1/admin/workers", this::administer);
    server.createContext("/api/v1/worker/tasks/next", this::poll);
    server.createContext("/api/v1/worker/tasks/", this::complete);
    server.createContext("/api/v1/worker/heartbeat", exchange -> answer(exchange, 200, "{}"));
    server.start();
  }

  Target target() {
    return Target.parse(url(), "secret");
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  @Override
  public void close() {
    closed.countDown();
    server.stop(0);
    threads.close();
  }

  private void submit(HttpExchange exchange) throws IOException {
    body(exchange);
    if (refusesSubmits) {
      answer(exchange, 429, "{\"error\":\"queue_full\",\"message\":\"come back later\"}");
      return;
    }
    submits.incrementAndGet();
    String id = UUID.randomUUID().toString();
    queue.add(id);
    if (givesJobsOutTwice) {
      queue.add(id);
    }
    answer(exchange, 201, "{\"job_id\":\"%s\",\"status\":\"queued\"}".formatted(id));
  }

  private void claim(HttpExchange exchange) throws IOException {
    claimBodySeen = body(exchange);
    if (stallsOnClaims) {
      try {
        closed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return;
    }
    claims.incrementAndGet();
    String id = queue.poll();
    answer(
        exchange,
        200,
        id == null
            ? "{\"claimed\":false}"
            : """
            {"claimed": true, "payload": {"job_id": "not this one", "x": ["}"]},
             "job_id": "%s", "attempt_id": "a-%s", "lease_token": "t\\"1", "stream": "s",
             "message_id": "m-7", "lease_ttl_seconds": 60}
            """
                .formatted(id, id));
  }

  private void complete(HttpExchange exchange) throws IOException {
    completeBodySeen = body(exchange);
    completes.incrementAndGet();
    if (deniesCompletions) {
      answer(exchange, 409, "{\"ok\":false,\"ack\":true,\"error\":\"lease_lost\"}");
    } else {
      answer(exchange, 200, "{\"ok\":true,\"ack\":true}");
    }
  }

  private void submitTask(HttpExchange exchange) throws IOException {
    submits.incrementAndGet();
    queue.add(UUID.randomUUID().toString());
    answer(exchange, 201, "{\"status\":\"PENDING\"}");
  }

  private void administer(HttpExchange exchange) throws IOException {
    boolean enrols = exchange.getRequestMethod().equals("POST");
    answer(exchange, enrols ? 201 : 200, "{\"token\":\"a.b.c\"}");
  }

  private void poll(HttpExchange exchange) throws IOException {
    answer(exchange, 200, "{\"task_id\":\"%s\"}".formatted(queue.remove()));
  }

  /** As if four requests shared each commit. */
  private void metrics(HttpExchange exchange) throws IOException {
    int commands = submits.get() + claims.get() + completes.get();
    answer(
        exchange,
        200,
        """
        # TYPE stint_commit_commands summary
        stint_commit_commands_count %s
        stint_commit_commands_sum %d.0
        stint_commit_commands_max 12.0
        stint_commit_seconds_sum %s
        """
            .formatted(commands / 4.0, commands, commands / 4.0 * 0.002));
  }

  private static String body(HttpExchange exchange) throws IOException {
    return new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static void answer(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(status, bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }
}
