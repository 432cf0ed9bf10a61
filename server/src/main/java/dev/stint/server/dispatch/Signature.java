package dev.stint.server.dispatch;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs deliveries, so that a receiver can tell them from anybody else's calls. */
final class Signature {
  static final String HEADER = "X-Stint-Signature";
  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  Signature(String secret) {
    key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
  }

  /** The header's value: the HMAC is of the time, a dot and the body. */
  String of(long unixSeconds, byte[] body) {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      mac.update((unixSeconds + ".").getBytes(StandardCharsets.US_ASCII));
      return "t=" + unixSeconds + ",v1=" + HexFormat.of().formatHex(mac.doFinal(body));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has " + ALGORITHM, e);
    }
  }
}
