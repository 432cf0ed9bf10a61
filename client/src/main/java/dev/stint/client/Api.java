package dev.stint.client;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Calls one control plane. Any number of threads may use it at once.
 *
 * <p>Over {@link HttpURLConnection}: the JDK's newer client takes ten times as long to start, which
 * is most of what a short command takes.
 */
public final class Api {
  private static final int MAX_ANSWER = 64 << 20;
  private static final int MAX_PORT = 65_535;
  private static final long MAX_RETRY_AFTER_SECONDS = 300;
  private static final Pattern SECONDS = Pattern.compile("[0-9]{1,9}");
  private static final Pattern SENDABLE = Pattern.compile("[!-~]*");

  static {
    // The JDK would send a POST a second time by itself when a kept connection turns out dead.
    System.setProperty("sun.net.http.retryPost", "false");
  }

  private final String base;
  private final @Nullable String token;
  private final Duration timeout;

  /**
   * A control plane at {@code base}, e.g. {@code http://localhost:8080}.
   *
   * @param token sent as {@code X-API-Token}, or null to send none
   * @param timeout for an answer to a call that does not wait for anything
   * @throws IllegalArgumentException if {@code base} is not an http or https URL, or the token
   *     cannot be sent; the message does not show it
   */
  public Api(String base, @Nullable String token, Duration timeout) {
    if (token != null && !SENDABLE.matcher(token).matches()) {
      throw new IllegalArgumentException("a token may have visible ASCII characters only");
    }
    this.base = checked(base);
    this.token = token;
    this.timeout = timeout;
  }

  /** Whether it is a URL at which a control plane may be. */
  public static boolean isUrl(String text) {
    try {
      URI uri = URI.create(text);
      boolean isHttp = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      return isHttp && uri.getHost() != null && uri.getPort() <= MAX_PORT;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static String checked(String base) {
    if (!isUrl(base)) {
      throw new IllegalArgumentException("not an http:// or https:// URL: " + base);
    }
    return base.replaceFirst("/+$", "");
  }

  /** Where it calls, without a slash at the end. */
  public String base() {
    return base;
  }

  /** {@code path} with its query, already encoded. */
  public Answer get(String path) throws IOException {
    return call("GET", path, null, Duration.ZERO);
  }

  /** Like {@link #get}, when the control plane may take {@code wait} before it answers. */
  public Answer get(String path, Duration wait) throws IOException {
    return call("GET", path, null, wait);
  }

  public Answer post(String path, Map<String, ? extends @Nullable Object> body) throws IOException {
    return call("POST", path, Json.write(body), Duration.ZERO);
  }

  /** Like {@link #post}, when the control plane may take {@code wait} before it answers. */
  public Answer post(String path, Map<String, ? extends @Nullable Object> body, Duration wait)
      throws IOException {
    return call("POST", path, Json.write(body), wait);
  }

  /**
   * Opens a stream of server-sent events.
   *
   * @param lastId of the last event that is known already, or null to have all
   * @param silence how long the control plane may be silent
   * @param refused is given the answer if that is none
   * @return null if it was refused
   */
  public @Nullable ServerEvents events(
      String path, @Nullable String lastId, Duration silence, Consumer<Answer> refused)
      throws IOException {
    HttpURLConnection connection = open(path, silence);
    connection.setRequestProperty("Accept", "text/event-stream");
    if (lastId != null) {
      connection.setRequestProperty("Last-Event-ID", lastId);
    }
    try {
      if (connection.getResponseCode() == HttpURLConnection.HTTP_OK) {
        return new ServerEvents(connection, connection.getInputStream());
      }
      refused.accept(answer(connection));
      return null;
    } catch (IOException e) {
      connection.disconnect();
      throw new UnreachableException(why(e), e, true);
    }
  }

  private Answer call(String method, String path, @Nullable String json, Duration wait)
      throws IOException {
    HttpURLConnection connection = open(path, wait);
    boolean isSent = false;
    try {
      connection.setRequestMethod(method);
      if (json != null) {
        connection.setRequestProperty("Content-Type", "application/json");
        connection.setDoOutput(true);
      }
      // By itself, with the TLS handshake: until then nothing of the call is sent.
      connection.connect();
      isSent = true;
      if (json != null) {
        // Not in streaming mode: there the JDK throws away what is said with a 401.
        try (OutputStream out = connection.getOutputStream()) {
          out.write(json.getBytes(StandardCharsets.UTF_8));
        }
      }
      return answer(connection);
    } catch (IOException e) {
      connection.disconnect();
      throw new UnreachableException(why(e), e, isSent);
    }
  }

  private HttpURLConnection open(String path, Duration wait) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection) URI.create(base + path).toURL().openConnection();
    connection.setConnectTimeout((int) timeout.toMillis());
    connection.setReadTimeout((int) timeout.plus(wait).toMillis());
    connection.setInstanceFollowRedirects(false);
    connection.setUseCaches(false);
    connection.setRequestProperty("Accept", "application/json");
    if (token != null) {
      connection.setRequestProperty("X-API-Token", token);
    }
    return connection;
  }

  @SuppressWarnings("unchecked") // Json makes every object a map with strings for names
  private static Answer answer(HttpURLConnection connection) throws IOException {
    int status = connection.getResponseCode();
    Duration retryAfter = retryAfter(connection.getHeaderField("Retry-After"));
    String text = body(connection, status);
    try {
      if (!text.isEmpty() && Json.read(text) instanceof Map<?, ?> object) {
        return new Answer(status, (Map<String, @Nullable Object>) object, text, retryAfter);
      }
    } catch (IllegalArgumentException notJson) {
      if (status < 400) {
        throw new IOException("it does not speak JSON", notJson);
      }
    }
    return new Answer(status, Map.of(), text, retryAfter);
  }

  /** Whatever stands between may name a day; five minutes are enough before one looks again. */
  static Duration retryAfter(@Nullable String header) {
    if (header == null || !SECONDS.matcher(header).matches()) {
      return Duration.ZERO;
    }
    return Duration.ofSeconds(Math.min(Long.parseLong(header), MAX_RETRY_AFTER_SECONDS));
  }

  private static String body(HttpURLConnection connection, int status) throws IOException {
    try (InputStream in =
        status >= 400 ? connection.getErrorStream() : connection.getInputStream()) {
      if (in == null) {
        return "";
      }
      byte[] bytes = in.readNBytes(MAX_ANSWER + 1);
      if (bytes.length > MAX_ANSWER) {
        throw new IOException("the answer is too large");
      }
      return new String(bytes, StandardCharsets.UTF_8);
    }
  }

  private String why(IOException e) {
    String what =
        switch (e) {
          case ConnectException _ -> "nobody listens there";
          case UnknownHostException _ -> "there is no such host";
          case SocketTimeoutException _ -> "no answer in time";
          default -> Objects.requireNonNullElse(e.getMessage(), e.getClass().getSimpleName());
        };
    return "cannot reach " + base + ": " + what;
  }

  /** A query or path segment as it may stand in a URL. */
  public static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }
}
