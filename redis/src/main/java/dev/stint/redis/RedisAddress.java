package dev.stint.redis;

import io.lettuce.core.RedisURI;
import java.net.URI;
import java.net.URISyntaxException;

/** Where Redis is, and the password for it if it has one; never shown with it. */
public final class RedisAddress {
  private static final String FORM =
      "must be of the form redis://host:port, or rediss:// for TLS, with a password as in"
          + " redis://:password@host:port";

  private final RedisURI uri;

  private RedisAddress(RedisURI uri) {
    this.uri = uri;
  }

  /**
   * Reads a URL.
   *
   * @throws IllegalArgumentException if it is none that Redis is reached by; says why without
   *     showing it, as it may have a password in it
   */
  public static RedisAddress parse(String url) {
    try {
      URI parsed = new URI(url);
      String scheme = parsed.getScheme();
      if (("redis".equals(scheme) || "rediss".equals(scheme)) && parsed.getHost() != null) {
        return new RedisAddress(RedisURI.create(parsed));
      }
    } catch (URISyntaxException | IllegalArgumentException e) {
      // What they say of it has the URL in it.
    }
    throw new IllegalArgumentException(FORM);
  }

  /** Nobody may change it any more. */
  RedisURI uri() {
    return RedisURI.builder(uri).build();
  }

  /** Without the password. */
  @Override
  public String toString() {
    return (uri.isSsl() ? "rediss://" : "redis://") + uri.getHost() + ":" + uri.getPort();
  }
}
