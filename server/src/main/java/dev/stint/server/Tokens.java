package dev.stint.server;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.MACVerifier;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.stint.contracts.Access;
import dev.stint.contracts.Caller;
import dev.stint.contracts.TaskPass;
import dev.stint.contracts.TokenIssuer;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Lease;
import dev.stint.engine.Scope;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Date;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Signed tokens (JWT). The algorithm is HS256 and nothing else, whatever a token says of itself.
 */
public final class Tokens implements TokenIssuer {
  /** The name under which the servers on one database share their secret. */
  public static final String SECRET_SETTING = "jwt_secret";

  /** The claim that tells a task's token from those of roles. */
  private static final String USE = "use";

  private static final String TASK_USE = "task";

  /** Another machine's clock may be a little ahead. */
  private static final Duration LEEWAY = Duration.ofSeconds(60);

  private final List<byte[]> secrets;
  private final Clock clock;

  /**
   * Signs with the first secret and takes what any of them has signed.
   *
   * @param secrets of at least 32 bytes each
   */
  public Tokens(List<String> secrets, Clock clock) {
    this.secrets = secrets.stream().map(s -> s.getBytes(StandardCharsets.UTF_8)).toList();
    this.clock = clock;
  }

  /** A secret that nobody can guess. */
  static String newSecret() {
    byte[] bytes = new byte[32];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  @Override
  public String issue(Access.Role role, String subject, Duration life) {
    if (role == Access.Role.TASK) {
      throw new IllegalArgumentException("a task's token is made for one attempt of it");
    }
    Instant now = clock.instant();
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject(subject)
            .claim("role", role.name().toLowerCase(Locale.ROOT))
            .issueTime(Date.from(now))
            .expirationTime(Date.from(now.plus(life)))
            .jwtID(UUID.randomUUID().toString())
            .build();
    return signed(claims);
  }

  @Override
  public TaskToken issueTask(Scope scope, UUID taskId, Lease lease, Duration life) {
    return issueTask(scope, taskId, lease.attempt(), lease.fence(), life);
  }

  @Override
  public @Nullable TaskToken renew(TaskPass old) {
    Duration life = Duration.between(old.issuedAt(), old.expiresAt());
    Instant due = old.issuedAt().plus(life.multipliedBy(3).dividedBy(4));
    return clock.instant().isBefore(due)
        ? null
        : issueTask(old.scope(), old.taskId(), old.attempt(), old.fence(), life);
  }

  /** It has no role, so that it opens nothing but the callbacks of its task. */
  private TaskToken issueTask(Scope scope, UUID taskId, int attempt, long fence, Duration life) {
    Instant now = clock.instant().truncatedTo(ChronoUnit.SECONDS);
    Instant expires = now.plus(life);
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject(taskId.toString())
            .claim(USE, TASK_USE)
            .claim("tenant", scope.tenant())
            .claim("workspace", scope.workspace())
            .claim("run", scope.run())
            .claim("attempt", attempt)
            .claim("fence", fence)
            .issueTime(Date.from(now))
            .expirationTime(Date.from(expires))
            .build();
    return new TaskToken(signed(claims), expires);
  }

  private String signed(JWTClaimsSet claims) {
    SignedJWT token = new SignedJWT(new JWSHeader(JWSAlgorithm.HS256), claims);
    try {
      token.sign(new MACSigner(secrets.getFirst()));
    } catch (JOSEException e) {
      throw new IllegalStateException("cannot sign a token", e);
    }
    return token.serialize();
  }

  /** Whom the token was made for, or null if it is not valid now. */
  @Nullable Caller verify(String token) {
    try {
      SignedJWT signed = SignedJWT.parse(token);
      return isSigned(signed) ? caller(signed.getJWTClaimsSet()) : null;
    } catch (ParseException | JOSEException | IllegalArgumentException e) {
      return null;
    }
  }

  /** Whether it was made here, even if it is not valid now. */
  boolean isOurs(String token) {
    try {
      return token.indexOf('.') >= 0 && isSigned(SignedJWT.parse(token));
    } catch (ParseException | JOSEException | IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isSigned(SignedJWT token) throws JOSEException {
    if (!JWSAlgorithm.HS256.equals(token.getHeader().getAlgorithm())) {
      return false;
    }
    boolean signed = false;
    for (byte[] secret : secrets) {
      signed |= token.verify(new MACVerifier(secret));
    }
    return signed;
  }

  private @Nullable Caller caller(JWTClaimsSet claims) throws ParseException {
    Instant now = clock.instant();
    Date expires = claims.getExpirationTime();
    String subject = claims.getSubject();
    boolean isTimely =
        expires != null
            && expires.toInstant().isAfter(now)
            && isPast(claims.getNotBeforeTime(), now)
            && isPast(claims.getIssueTime(), now);
    if (!isTimely || subject == null || subject.isEmpty()) {
      return null;
    }
    return TASK_USE.equals(claims.getStringClaim(USE))
        ? task(claims, subject)
        : roleOf(claims.getStringClaim("role"), subject);
  }

  private static @Nullable Caller task(JWTClaimsSet claims, String subject) throws ParseException {
    UUID taskId = Uuids.parse(subject);
    Integer attempt = claims.getIntegerClaim("attempt");
    Long fence = claims.getLongClaim("fence");
    Date issued = claims.getIssueTime();
    if (taskId == null || attempt == null || fence == null || issued == null) {
      return null;
    }
    Scope scope =
        new Scope(
            claims.getStringClaim("tenant"),
            claims.getStringClaim("workspace"),
            claims.getStringClaim("run"));
    return Caller.ofTask(
        new TaskPass(
            scope,
            taskId,
            attempt,
            fence,
            issued.toInstant(),
            claims.getExpirationTime().toInstant()));
  }

  private static @Nullable Caller roleOf(@Nullable String role, String subject) {
    if (role == null) {
      return null;
    }
    return switch (role) {
      case "admin" -> new Caller(Access.Role.ADMIN, subject);
      case "producer" -> new Caller(Access.Role.PRODUCER, subject);
      case "worker" -> new Caller(Access.Role.WORKER, subject);
      default -> null;
    };
  }

  private static boolean isPast(@Nullable Date date, Instant now) {
    return date == null || !date.toInstant().isAfter(now.plus(LEEWAY));
  }
}
