package dev.stint.server.dispatch;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * Sends one HTTP request to an address that was checked, and reads what status it is answered with.
 *
 * <p>This is by hand since the JDK's client looks a name up by itself, when it connects: by then
 * the name may lead elsewhere than where it led when it was checked. Here the address that was
 * checked is the one that is connected to, while TLS and the Host header still go by the name. Of
 * the answer only the status counts: no redirect is followed, since none is even read.
 */
final class Post implements AutoCloseable {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] (\\d{3})( .*)?");
  private static final int MAX_LINE = 8 * 1024;
  private static final int MAX_HEAD_LINES = 200;
  private static final int MAX_BODY = 64 * 1024;
  private static final int DRAIN_TIMEOUT_MS = 500;

  private final SSLContext tls;
  private final Duration connectTimeout;
  private final Duration timeout;
  private final ScheduledThreadPoolExecutor clock;

  /**
   * Nothing is sent yet.
   *
   * @param timeout for all of a request, from its connection to its status
   */
  Post(SSLContext tls, Duration connectTimeout, Duration timeout) {
    this.tls = tls;
    this.connectTimeout = connectTimeout;
    this.timeout = timeout;
    clock =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().name("stint-dispatch-clock").daemon().factory());
    clock.setRemoveOnCancelPolicy(true);
  }

  /** The status of the answer. */
  int send(URI url, InetAddress address, Map<String, String> headers, byte[] body)
      throws IOException {
    try (Socket plain = new Socket(Proxy.NO_PROXY)) {
      AtomicBoolean isLate = new AtomicBoolean();
      Runnable giveUp =
          () -> {
            isLate.set(true);
            closeQuietly(plain);
          };
      Future<?> end = clock.schedule(giveUp, timeout.toMillis(), TimeUnit.MILLISECONDS);
      try {
        plain.connect(new InetSocketAddress(address, port(url)), (int) connectTimeout.toMillis());
        plain.setSoTimeout((int) timeout.toMillis());
        Socket socket = url.getScheme().equalsIgnoreCase("https") ? secured(plain, url) : plain;
        socket.getOutputStream().write(request(url, headers, body));
        socket.getOutputStream().flush();
        int status = status(socket.getInputStream());
        drain(socket);
        return status;
      } catch (IOException e) {
        // The socket's own limit begins later, but nobody says which of the two is seen first.
        if (isLate.get() || (e instanceof SocketTimeoutException && plain.isConnected())) {
          throw new SocketTimeoutException("no answer within " + timeout.toSeconds() + " s");
        }
        throw e;
      } finally {
        end.cancel(false);
      }
    }
  }

  private static void closeQuietly(Socket socket) {
    try {
      socket.close();
    } catch (IOException ignored) {
      // whoever uses it will see
    }
  }

  static int port(URI url) {
    return url.getPort() >= 0
        ? url.getPort()
        : url.getScheme().equalsIgnoreCase("https") ? 443 : 80;
  }

  private Socket secured(Socket plain, URI url) throws IOException {
    SSLSocket socket =
        (SSLSocket)
            tls.getSocketFactory().createSocket(plain, withoutBrackets(url), port(url), true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    socket.setSSLParameters(parameters);
    socket.startHandshake();
    return socket;
  }

  private static String withoutBrackets(URI url) {
    String host = url.getHost();
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static byte[] request(URI url, Map<String, String> headers, byte[] body) {
    String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
    String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
    StringBuilder head = new StringBuilder(512);
    head.append("POST ").append(path).append(query).append(" HTTP/1.1\r\n");
    head.append("Host: ").append(url.getHost());
    if (url.getPort() >= 0) {
      head.append(':').append(url.getPort());
    }
    head.append("\r\nContent-Type: application/json\r\nContent-Length: ").append(body.length);
    head.append("\r\nConnection: close\r\nUser-Agent: stint\r\n");
    headers.forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    byte[] start = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    byte[] all = new byte[start.length + body.length];
    System.arraycopy(start, 0, all, 0, start.length);
    System.arraycopy(body, 0, all, start.length, body.length);
    return all;
  }

  /** The first status that is not merely on the way to one. */
  private static int status(InputStream in) throws IOException {
    for (int lines = 0; lines < MAX_HEAD_LINES; ) {
      Matcher line = STATUS.matcher(line(in));
      if (!line.matches()) {
        throw new IOException("the answer is not HTTP");
      }
      int status = Integer.parseInt(line.group(1));
      if (status >= 200) {
        return status;
      }
      for (lines++; lines < MAX_HEAD_LINES && !line(in).isEmpty(); lines++) {
        // what belongs to an interim answer is of no interest
      }
    }
    throw new IOException("the answer has no end of interim answers");
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream(64);
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0 || line.size() >= MAX_LINE) {
        throw new IOException(c < 0 ? "it hung up without an answer" : "the answer is not HTTP");
      }
      line.write(c);
    }
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  /** Lets a receiver finish its answer, if that is short: some take a reset for a failure. */
  private static void drain(Socket socket) {
    try {
      socket.setSoTimeout(DRAIN_TIMEOUT_MS);
      InputStream in = socket.getInputStream();
      byte[] some = new byte[4_096];
      int sum = 0;
      for (int n = in.read(some); n >= 0 && sum < MAX_BODY; n = in.read(some)) {
        sum += n;
      }
    } catch (IOException ignored) {
      // the status is known, and that was all that counts
    }
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
