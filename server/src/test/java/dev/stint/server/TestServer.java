package dev.stint.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;

/** A real server on a free port with a real SQLite file, and ways to call it. */
final class TestServer implements AutoCloseable {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Server server;

  private TestServer(Server server) {
    this.server = server;
  }

  static TestServer start(Path folder) {
    return start(folder, settings -> settings);
  }

  static TestServer start(Path folder, UnaryOperator<Settings> change) {
    Logging.configure("error");
    Settings settings = change.apply(Settings.local(folder.resolve("stint.db").toString()));
    return new TestServer(Server.start(settings, List.of()));
  }

  Server server() {
    return server;
  }

  int port() {
    return server.port();
  }

  Answer post(String path, String json, String... headers) {
    return send(request(path, headers).POST(HttpRequest.BodyPublishers.ofString(json)));
  }

  CompletableFuture<Answer> postLater(String path, String json, String... headers) {
    return HTTP.sendAsync(
            request(path, headers).POST(HttpRequest.BodyPublishers.ofString(json)).build(),
            HttpResponse.BodyHandlers.ofString())
        .thenApply(TestServer::answer);
  }

  Answer get(String path, String... headers) {
    return send(request(path, headers).GET());
  }

  Answer send(HttpRequest.Builder request) {
    try {
      return answer(HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The status alone, also of an answer that does not end. */
  int statusOf(HttpRequest.Builder request) {
    try {
      HttpResponse<InputStream> response =
          HTTP.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
      response.body().close();
      return response.statusCode();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  HttpRequest.Builder request(String path, String... headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
            .header("Content-Type", "application/json");
    if (headers.length > 0) {
      request.headers(headers);
    }
    return request;
  }

  private static Answer answer(HttpResponse<String> response) {
    return new Answer(response.statusCode(), response.headers()::firstValue, response.body());
  }

  /** Sends bytes as they are, and returns all that comes back until the server hangs up. */
  String raw(String text) {
    try (Socket socket = connect()) {
      write(socket, text);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Whether the server has hung up on a client that does not read, but may write. */
  static boolean isGone(Socket socket) {
    try {
      write(socket, "\r\n");
      return false;
    } catch (IOException e) {
      return true;
    }
  }

  @Override
  public void close() {
    server.close();
  }
}
