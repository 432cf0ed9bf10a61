package dev.stint.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;

/** One kept-alive connection for paced work, where a thread may wait for each answer. */
final class BlockingHttp implements AutoCloseable {
  private static final int ANSWER_WITHIN_MS = 15_000;
  private static final int LONGEST_BODY = 1_000_000;
  private static final String LENGTH = "content-length:";

  private final Target target;
  private final String credential;
  private final Socket socket = new Socket();
  private final InputStream in;

  /**
   * Connects.
   *
   * @param credential a whole header line that says who asks
   */
  BlockingHttp(Target target, String credential) throws IOException {
    this.target = target;
    this.credential = credential;
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(ANSWER_WITHIN_MS);
    socket.connect(target.address(), ANSWER_WITHIN_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** A whole answer. */
  record Reply(int status, String body) {
    /** The text of a top-level field; empty if there is none. */
    String text(String field) {
      JsonFields fields = new JsonFields(field);
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      return fields.scan(bytes, 0, bytes.length) ? fields.string(0) : "";
    }
  }

  Reply send(String method, String path, String body) throws IOException {
    String request =
        "%s %s HTTP/1.1\r\nHost: %s:%d\r\n%s\r\n%s\r\n%s"
            .formatted(
                method,
                target.at(path).getRawPath(),
                target.base().getHost(),
                target.base().getPort(),
                credential,
                method.equals("GET")
                    ? ""
                    : "Content-Type: application/json\r\nContent-Length: " + body.length() + "\r\n",
                body);
    socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    String[] first = line().split(" ", 3);
    if (first.length < 2) {
      throw new IOException("not an HTTP answer");
    }
    int length = 0;
    for (String header = line(); !header.isEmpty(); header = line()) {
      if (header.toLowerCase(Locale.ROOT).startsWith(LENGTH)) {
        length = Integer.parseInt(header.substring(LENGTH.length()).strip());
      }
    }
    byte[] bytes = in.readNBytes(Math.min(length, LONGEST_BODY));
    if (bytes.length < length) {
      throw new EOFException("the answer is cut off");
    }
    return new Reply(Integer.parseInt(first[1]), new String(bytes, StandardCharsets.UTF_8));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the server closed the connection");
      }
      if (b != '\r') {
        line.append((char) b);
      }
    }
    return line.toString();
  }
}
