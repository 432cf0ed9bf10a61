package dev.stint.worker.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Where Redis is, and the password for it if it has one; never shown with it. */
record RedisUrl(
    String host,
    int port,
    @Nullable String user,
    @Nullable String password,
    int database,
    boolean isTls) {
  private static final int DEFAULT_PORT = 6379;
  private static final String FORM =
      "must be of the form redis://host:port, or rediss:// for TLS, with a password as in"
          + " redis://:password@host:port";

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException if it is none that Redis is reached by; says why without
   *     showing it, as it may have a password in it
   */
  static RedisUrl parse(String url) {
    try {
      URI uri = new URI(url);
      boolean isTls = "rediss".equals(uri.getScheme());
      if ((!isTls && !"redis".equals(uri.getScheme())) || uri.getHost() == null) {
        throw new IllegalArgumentException(FORM);
      }
      String login = uri.getUserInfo();
      int colon = login == null ? -1 : login.indexOf(':');
      String path = uri.getPath() == null ? "" : uri.getPath().replaceFirst("^/", "");
      return new RedisUrl(
          uri.getHost(),
          uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort(),
          login == null || colon <= 0 ? null : login.substring(0, colon),
          login == null ? null : login.substring(colon + 1),
          path.isEmpty() ? 0 : Integer.parseInt(path),
          isTls);
    } catch (URISyntaxException | NumberFormatException e) {
      // What they say of it has the URL in it.
      throw new IllegalArgumentException(FORM);
    }
  }

  /** What has to be said first on a connection. */
  List<String[]> greeting() {
    List<String[]> greeting = new ArrayList<>();
    if (password != null) {
      greeting.add(
          user == null ? new String[] {"AUTH", password} : new String[] {"AUTH", user, password});
    }
    if (database != 0) {
      greeting.add(new String[] {"SELECT", Integer.toString(database)});
    }
    return greeting;
  }

  /** Without the password. */
  @Override
  public String toString() {
    return (isTls ? "rediss://" : "redis://") + host + ":" + port;
  }
}
