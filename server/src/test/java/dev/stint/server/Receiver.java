package dev.stint.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A real HTTP server that tasks are delivered to. */
final class Receiver implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
  private final List<Delivery> deliveries = new CopyOnWriteArrayList<>();
  private final Function<Delivery, Integer> behaviour;

  /** One request that came. */
  record Delivery(String path, String host, String signature, String body) {
    Map<String, @Nullable Object> fields() {
      return new Answer(200, name -> Optional.empty(), body).json();
    }

    Tasks.Envelope envelope(TestServer stint) {
      return new Tasks.Envelope(stint, fields());
    }
  }

  private Receiver(HttpServer server, Function<Delivery, Integer> behaviour) {
    this.server = server;
    this.behaviour = behaviour;
    server.setExecutor(executor);
    server.createContext("/", this::handle);
    server.start();
  }

  /** Listens on a port, or on a free one if it is 0, and answers with the status it is given. */
  static Receiver start(int port, Function<Delivery, Integer> behaviour) {
    try {
      InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
      return new Receiver(HttpServer.create(address, 100), behaviour);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      Delivery delivery =
          new Delivery(
              exchange.getRequestURI().toString(),
              header(exchange, "Host"),
              header(exchange, "X-Stint-Signature"),
              new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
      deliveries.add(delivery);
      int status = behaviour.apply(delivery);
      if (status / 100 == 3) {
        exchange.getResponseHeaders().add("Location", url("/hooks/elsewhere"));
      }
      byte[] answer = "thanks".getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, answer.length);
      exchange.getResponseBody().write(answer);
    }
  }

  private static String header(HttpExchange exchange, String name) {
    return Objects.requireNonNullElse(exchange.getRequestHeaders().getFirst(name), "");
  }

  int port() {
    return server.getAddress().getPort();
  }

  String url(String path) {
    return "http://127.0.0.1:" + port() + path;
  }

  List<Delivery> deliveries() {
    return deliveries;
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
  }
}
