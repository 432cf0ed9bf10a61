package dev.stint.contracts;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What is kept of a secret, or of a body, instead of itself. */
public final class Digests {
  /** Is only copied: to look for one among all providers takes longer than the digest itself. */
  private static final MessageDigest SHA_256 = sha256();

  private Digests() {}

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** In hex digits. */
  public static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(((MessageDigest) SHA_256.clone()).digest(bytes));
    } catch (CloneNotSupportedException e) {
      throw new IllegalStateException("the JDK's own digests can be copied", e);
    }
  }

  /** Of the text in UTF-8. */
  public static String sha256(String text) {
    return sha256(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Takes as long for any two of one length, so that it tells nothing about them. */
  public static boolean areEqual(String one, String other) {
    return MessageDigest.isEqual(
        one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
  }
}
