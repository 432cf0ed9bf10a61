package dev.stint.worker;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.stint.client.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.function.Function;

/**
 * Answers as a test wants it to, also with what a real control plane says only in bad times. Where
 * the test says nothing, all goes well and there is no job.
 */
final class FakeControlPlane implements AutoCloseable {
  /** A call as it came; {@code body} is the query for a GET. */
  record Call(String path, String body) {
    Object field(String name) {
      return Json.read(body) instanceof Map<?, ?> object
          ? String.valueOf(object.get(name))
          : "none";
    }
  }

  record Reply(int status, String body) {}

  static final Reply OK = new Reply(200, "{\"ok\":true}");
  static final Reply NOTHING = new Reply(204, "");
  static final Reply AWAY = new Reply(503, "{\"error\":\"unavailable\",\"message\":\"later\"}");

  private final HttpServer server;
  private final List<Call> calls = new CopyOnWriteArrayList<>();
  private final Map<String, Function<Call, Reply>> answers = new ConcurrentHashMap<>();

  FakeControlPlane() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
    server.createContext("/", this::handle);
    on("/next-job", call -> NOTHING);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void on(String path, Function<Call, Reply> answer) {
    answers.put(path, answer);
  }

  /** All calls so far, in their order. */
  List<Call> calls(String path) {
    return calls.stream().filter(call -> call.path().equals(path)).toList();
  }

  /** An answer to {@code /next-job}. */
  static Reply assignment(String jobId, long fence, String script) {
    return new Reply(
        200,
        Json.write(
            Map.of(
                "job_id",
                jobId,
                "assignment_id",
                jobId + "-" + fence,
                "fence",
                fence,
                "command",
                "sh",
                "args",
                List.of("-c", script))));
  }

  static Reply refusal(int status, String code) {
    return new Reply(status, "{\"error\":\"%s\",\"message\":\"it is so\"}".formatted(code));
  }

  private void handle(HttpExchange exchange) throws IOException {
    String sent = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String query = String.valueOf(exchange.getRequestURI().getQuery());
    Call call = new Call(exchange.getRequestURI().getPath(), sent.isEmpty() ? query : sent);
    calls.add(call);
    Reply reply = answers.getOrDefault(call.path(), any -> OK).apply(call);
    byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
