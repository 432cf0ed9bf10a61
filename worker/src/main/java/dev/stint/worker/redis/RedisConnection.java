package dev.stint.worker.redis;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/**
 * One connection that speaks RESP, the protocol of Redis. Answers are strings, {@code Long}, lists
 * and null. The handful of commands that a native worker needs takes no more than this.
 */
final class RedisConnection implements AutoCloseable {
  /** How long to wait for an answer that Redis was not asked to hold back. */
  static final Duration TIMEOUT = Duration.ofSeconds(10);

  private static final int MAX_BULK = 64 << 20;
  private static final int MAX_ELEMENTS = 1_000_000;
  private static final int MAX_LINE = 64 << 10;

  private final Socket socket;
  private final InputStream in;
  private final OutputStream out;

  private RedisConnection(Socket socket) throws IOException {
    this.socket = socket;
    this.in = new BufferedInputStream(socket.getInputStream());
    this.out = new BufferedOutputStream(socket.getOutputStream());
  }

  /**
   * Connects and logs in.
   *
   * @param timeout for every answer
   * @throws RedisRefusedException if the password is wrong, or missing
   */
  static RedisConnection open(RedisUrl url, Duration timeout) throws IOException {
    Socket socket = new Socket();
    try {
      InetSocketAddress address = new InetSocketAddress(url.host(), url.port());
      socket.connect(address, (int) timeout.toMillis());
      socket.setSoTimeout((int) timeout.toMillis());
      socket.setTcpNoDelay(true);
      RedisConnection connection = new RedisConnection(url.isTls() ? secured(socket, url) : socket);
      for (String[] words : url.greeting()) {
        connection.call(words);
      }
      connection.call("PING");
      return connection;
    } catch (IOException | RuntimeException e) {
      socket.close();
      throw e;
    }
  }

  private static Socket secured(Socket plain, RedisUrl url) throws IOException {
    SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
    SSLSocket socket = (SSLSocket) factory.createSocket(plain, url.host(), url.port(), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  /**
   * Sends one command and waits for its answer.
   *
   * @throws RedisRefusedException if the answer is an error
   */
  synchronized @Nullable Object call(String... words) throws IOException {
    write(words);
    out.flush();
    return read();
  }

  /** Carries out all of them or, if the connection breaks, perhaps none. */
  synchronized void transaction(List<String[]> commands) throws IOException {
    write("MULTI");
    for (String[] words : commands) {
      write(words);
    }
    write("EXEC");
    out.flush();
    RedisRefusedException refusal = null;
    for (int i = 0; i < commands.size() + 2; i++) {
      try {
        read();
      } catch (RedisRefusedException e) {
        refusal = refusal == null ? e : refusal;
      }
    }
    if (refusal != null) {
      throw refusal;
    }
  }

  private void write(String... words) throws IOException {
    out.write(ascii("*" + words.length + "\r\n"));
    for (String word : words) {
      byte[] bytes = word.getBytes(StandardCharsets.UTF_8);
      out.write(ascii("$" + bytes.length + "\r\n"));
      out.write(bytes);
      out.write(ascii("\r\n"));
    }
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private @Nullable Object read() throws IOException {
    String line = line();
    String rest = line.substring(1);
    return switch (line.charAt(0)) {
      case '+' -> rest;
      case ':' -> Long.valueOf(rest);
      case '-' -> throw new RedisRefusedException(rest);
      case '$' -> bulk(length(rest, MAX_BULK));
      case '*' -> array(length(rest, MAX_ELEMENTS));
      default -> throw new IOException("it does not speak as Redis does");
    };
  }

  private static int length(String text, int most) throws IOException {
    int length = Integer.parseInt(text);
    if (length > most) {
      throw new IOException("the answer is too large");
    }
    return length;
  }

  private @Nullable String bulk(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    byte[] bytes = in.readNBytes(length);
    if (bytes.length < length || in.read() != '\r' || in.read() != '\n') {
      throw new EOFException("the connection broke");
    }
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** Reads it to its end even if an element is an error, which is then the answer. */
  private @Nullable List<@Nullable Object> array(int length) throws IOException {
    if (length < 0) {
      return null;
    }
    List<@Nullable Object> array = new ArrayList<>();
    RedisRefusedException refusal = null;
    for (int i = 0; i < length; i++) {
      try {
        array.add(read());
      } catch (RedisRefusedException e) {
        refusal = e;
      }
    }
    if (refusal != null) {
      throw refusal;
    }
    return array;
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\r'; c = in.read()) {
      if (c < 0 || line.length() > MAX_LINE) {
        throw new EOFException("the connection broke");
      }
      line.append((char) c);
    }
    if (in.read() != '\n' || line.isEmpty()) {
      throw new EOFException("the connection broke");
    }
    return line.toString();
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // It is of no more use in any case.
    }
  }
}
