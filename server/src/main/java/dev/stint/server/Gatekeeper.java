package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Caller;
import dev.stint.contracts.Digests;
import dev.stint.contracts.Refusal;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Worker;
import java.net.URI;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
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
  private final String tokenHash;

  private final Tokens tokens;
  private final Function<String, Optional<Worker>> workers;
  private final FailedLogins failedLogins;
  private final Metrics metrics;
  private volatile boolean tokenWasUsed;

  Gatekeeper(
      Settings settings,
      Tokens tokens,
      Function<String, Optional<Worker>> workers,
      Metrics metrics) {
    this.isDefaultLocal = settings.isDefaultLocal();
    this.tokenHash =
        Digests.sha256(Objects.requireNonNullElse(settings.token(), Settings.DEV_TOKEN));
    this.tokens = tokens;
    this.workers = workers;
    this.failedLogins = new FailedLogins(settings.security().maxFailedLogins(), System::nanoTime);
    this.metrics = metrics;
  }

  /**
   * Lets the call pass, and says whose it is, or refuses it.
   *
   * @param headers the first value of each, by name
   * @param address where the call comes from
   */
  Caller check(
      Access access, Function<String, @Nullable String> headers, Supplier<String> address) {
    if (isDefaultLocal) {
      refuseOtherSites(headers);
    }
    if (access.role() == null) {
      return Caller.ANYONE;
    }
    String credential = credential(headers);
    if (credential == null) {
      if (isDefaultLocal && access.orLocal()) {
        return Caller.ADMIN;
      }
      throw Refusal.unauthorized(
          access.role() == Access.Role.TASK
              ? "send the taskToken of the envelope as Authorization: Bearer"
              : "send the API token as X-API-Token, or it or a signed token as Authorization: Bearer");
    }
    Caller caller = identify(credential, address);
    if (!caller.may(access.role())) {
      throw Refusal.forbidden(
          "this credential is "
              + caller.role().name().toLowerCase(Locale.ROOT)
              + "'s; this call is for "
              + access.role().name().toLowerCase(Locale.ROOT)
              + "s");
    }
    return caller;
  }

  private Caller identify(String credential, Supplier<String> address) {
    // Hashes have one length, so that the comparison does not tell that of the token.
    String hash = Digests.sha256(credential);
    boolean isToken = Digests.areEqual(tokenHash, hash);
    if (isToken && tokenWasUsed) {
      return Caller.ADMIN;
    }
    // Nobody guesses a signature, so one that is valid never waits for those who guess.
    Caller signed = isToken ? null : byToken(credential);
    if (signed != null && !isVoid(signed, hash)) {
      return signed;
    }
    if (signed != null || (!isToken && tokens.isOurs(credential))) {
      // Nor was this one guessed. Whoever goes on sending it keeps nobody else out.
      throw Refusal.unauthorized("the credential is not valid any more");
    }
    int waitSeconds = failedLogins.mustWaitSeconds(address.get());
    if (waitSeconds > 0) {
      throw Refusal.full(
          "too_many_failed_logins", "wrong credentials came too often from here", waitSeconds);
    }
    if (!isToken) {
      failedLogins.failed(address.get());
      metrics.failedLogin();
      throw Refusal.unauthorized("the credential is not valid");
    }
    tokenWasUsed = true;
    return Caller.ADMIN;
  }

  /**
   * Whether a caller that has waited may still be given something: a signed token may have expired,
   * and a worker's may have become void meanwhile. Where that cannot be told now it may not.
   */
  boolean isStillLetIn(Caller caller, Function<String, @Nullable String> headers) {
    String credential = caller.subject() == null ? null : credential(headers);
    try {
      return credential == null
          || (byToken(credential) != null && !isVoid(caller, Digests.sha256(credential)));
    } catch (StoreUnavailableException e) {
      return false;
    }
  }

  private @Nullable Caller byToken(String credential) {
    return credential.indexOf('.') < 0 ? null : tokens.verify(credential);
  }

  /** A worker's token may have been revoked, or replaced by a newer one. */
  private boolean isVoid(Caller caller, String hash) {
    String subject = caller.subject();
    if (caller.role() != Access.Role.WORKER || subject == null) {
      return false;
    }
    Worker worker = workers.apply(subject).orElse(null);
    if (worker == null) {
      return false;
    }
    String valid = worker.tokenHash();
    return worker.revoked() || (valid != null && !Digests.areEqual(valid, hash));
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
}
