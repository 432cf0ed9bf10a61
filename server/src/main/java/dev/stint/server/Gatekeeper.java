package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Refusal;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides who may call. In the default set-up no credential is asked for where a document names
 * none, and this machine's browser could be made to call by any web page: so there, and only there,
 * calls that name another host or come from another site are refused.
 */
final class Gatekeeper {
  private static final String BEARER = "bearer ";
  private static final Pattern LOOPBACK =
      Pattern.compile("localhost|127(\\.\\d{1,3}){3}|\\[::1]|\\[0:0:0:0:0:0:0:1]");
  private static final Pattern PORT = Pattern.compile(":\\d{1,5}$");

  private final boolean isDefaultLocal;
  private final byte[] tokenHash;

  Gatekeeper(Settings settings) {
    this.isDefaultLocal = settings.isDefaultLocal();
    this.tokenHash = hash(Objects.requireNonNullElse(settings.token(), Settings.DEV_TOKEN));
  }

  /**
   * Lets the call pass or refuses it.
   *
   * @param headers the first value of each, by name
   */
  void check(Access access, Function<String, @Nullable String> headers) {
    if (isDefaultLocal) {
      refuseOtherSites(headers);
    }
    if (access.role() == null) {
      return;
    }
    String credential = credential(headers);
    if (credential == null) {
      if (isDefaultLocal && access.orLocal()) {
        return;
      }
      throw Refusal.unauthorized("send the API token as X-API-Token or as Authorization: Bearer");
    }
    // Hashes have one length, so that the comparison does not tell that of the token.
    if (!MessageDigest.isEqual(tokenHash, hash(credential))) {
      throw Refusal.unauthorized("the credential is not valid");
    }
  }

  private static @Nullable String credential(Function<String, @Nullable String> headers) {
    String token = headers.apply("X-API-Token");
    if (token != null) {
      return token.strip();
    }
    String authorization = headers.apply("Authorization");
    if (authorization == null) {
      return null;
    }
    return authorization.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? authorization.substring(BEARER.length()).strip()
        : "";
  }

  private static void refuseOtherSites(Function<String, @Nullable String> headers) {
    String host = headers.apply("Host");
    if (host == null || !isLoopback(PORT.matcher(host).replaceFirst(""))) {
      throw Refusal.forbidden(
          "without a token of its own this server answers only calls to localhost;"
              + " start it with --token to serve other names");
    }
    String origin = headers.apply("Origin");
    if (origin != null && !isLocalSite(origin)) {
      throw Refusal.forbidden(
          "without a token of its own this server answers no calls from other sites");
    }
  }

  private static boolean isLocalSite(String origin) {
    try {
      URI uri = URI.create(origin);
      String scheme = uri.getScheme();
      return ("http".equals(scheme) || "https".equals(scheme))
          && uri.getHost() != null
          && isLoopback(uri.getHost());
    } catch (IllegalArgumentException notOne) {
      return false;
    }
  }

  private static boolean isLoopback(String host) {
    return LOOPBACK.matcher(host.toLowerCase(Locale.ROOT)).matches();
  }

  private static byte[] hash(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
