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
import dev.stint.contracts.TokenIssuer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.text.ParseException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
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
    Instant now = clock.instant();
    JWTClaimsSet claims =
        new JWTClaimsSet.Builder()
            .subject(subject)
            .claim("role", role.name().toLowerCase(Locale.ROOT))
            .issueTime(Date.from(now))
            .expirationTime(Date.from(now.plus(life)))
            .jwtID(UUID.randomUUID().toString())
            .build();
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
      return JWSAlgorithm.HS256.equals(signed.getHeader().getAlgorithm()) && isSigned(signed)
          ? caller(signed.getJWTClaimsSet())
          : null;
    } catch (ParseException | JOSEException | IllegalArgumentException e) {
      return null;
    }
  }

  private boolean isSigned(SignedJWT token) throws JOSEException {
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
    String role = claims.getStringClaim("role");
    boolean isTimely =
        expires != null
            && expires.toInstant().isAfter(now)
            && isPast(claims.getNotBeforeTime(), now)
            && isPast(claims.getIssueTime(), now);
    if (!isTimely || subject == null || subject.isEmpty() || role == null) {
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
