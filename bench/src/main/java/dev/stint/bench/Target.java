package dev.stint.bench;

import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** The server under load: where it is, and how a request to it begins. */
record Target(URI base, String token) {

  /** Reads a {@code --url}; the message of what it throws says what is wrong with it. */
  static Target parse(String url, String token) {
    URI uri = URI.create(url);
    if (!"http".equalsIgnoreCase(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException(
          "expected http://HOST:PORT (plain HTTP only), not '" + url + "'");
    }
    String path = uri.getPath() == null ? "" : uri.getPath();
    String prefix = path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    int port = uri.getPort() < 0 ? 80 : uri.getPort();
    return new Target(URI.create("http://" + uri.getHost() + ":" + port + prefix), token);
  }

  InetSocketAddress address() {
    String host = base.getHost();
    // An IPv6 address stands in brackets in a URL, and without them everywhere else.
    String bare = host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
    return new InetSocketAddress(bare, base.getPort());
  }

  URI at(String path) {
    return URI.create(base + path);
  }

  /** A whole GET. */
  byte[] get(String pathAndQuery) {
    return withoutBody("GET", pathAndQuery);
  }

  /** A whole DELETE. */
  byte[] delete(String path) {
    return withoutBody("DELETE", path);
  }

  /** A POST up to and including {@code "Content-Length: "}; the number and the body follow. */
  byte[] postHead(String path) {
    return (head("POST", path) + "Content-Type: application/json\r\nContent-Length: ")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** A whole POST whose body never changes. */
  byte[] post(String path, byte[] body) {
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    request.writeBytes(postHead(path));
    request.writeBytes((body.length + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
    request.writeBytes(body);
    return request.toByteArray();
  }

  private byte[] withoutBody(String method, String path) {
    return (head(method, path) + "\r\n").getBytes(StandardCharsets.US_ASCII);
  }

  private String head(String method, String path) {
    String authorization = token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n";
    return "%s %s%s HTTP/1.1\r\nHost: %s:%d\r\n%s"
        .formatted(method, base.getRawPath(), path, base.getHost(), base.getPort(), authorization);
  }
}
