package dev.stint.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What failures of one kind have in common: their code, and their message without what differs from
 * one to the next.
 *
 * @param id stands for the other two
 * @param shape the message with numbers and ids taken out
 */
public record Fingerprint(String id, String code, String shape) {
  private static final int MAX_CODE = 64;
  private static final int MAX_LOOK = 2_000;
  private static final int MAX_SHAPE = 200;
  private static final Pattern CODE = Pattern.compile("[\\p{L}\\d_.:-]{1,64}");
  private static final Pattern QUOTED =
      Pattern.compile("(?<![\\p{L}\\d])([\"'`])[^\"'`]{1,200}\\1(?![\\p{L}\\d])");
  private static final Pattern UUID =
      Pattern.compile("(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}");
  private static final Pattern HEX =
      Pattern.compile("(?i)0x[0-9a-f]+|\\b(?=[a-f]*\\d)[0-9a-f]{8,}\\b");
  private static final Pattern NUMBER = Pattern.compile("\\d+(?:[.,]\\d+)*");
  private static final Pattern SPACE = Pattern.compile("\\s+");

  /** Of what a job failed for: the job's reason, and the JSON that its worker sent, if any. */
  static Fingerprint of(@Nullable String reason, @Nullable String error) {
    String ownCode = JsonGlance.text(error, "code");
    String reasonAsCode = reason != null && CODE.matcher(reason).matches() ? reason : "";
    String code = Objects.requireNonNullElse(ownCode, reasonAsCode);
    return digested(Texts.cut(code, MAX_CODE), shape(message(reason, error)));
  }

  private static Fingerprint digested(String code, String shape) {
    try {
      byte[] both = (code + "\n" + shape).getBytes(StandardCharsets.UTF_8);
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(both);
      return new Fingerprint(HexFormat.of().formatHex(digest, 0, 8), code, shape);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** What a person reads: the worker's message, or else the reason if it is more than a code. */
  static @Nullable String message(@Nullable String reason, @Nullable String error) {
    String said = JsonGlance.text(error, "message");
    if (said != null) {
      return Texts.cut(said, MAX_LOOK);
    }
    return reason == null || CODE.matcher(reason).matches() ? null : Texts.cut(reason, MAX_LOOK);
  }

  private static String shape(@Nullable String message) {
    if (message == null) {
      return "";
    }
    String shape = QUOTED.matcher(message).replaceAll("$1…$1");
    shape = UUID.matcher(shape).replaceAll("<id>");
    shape = HEX.matcher(shape).replaceAll("<hex>");
    shape = NUMBER.matcher(shape).replaceAll("<n>");
    return Texts.cut(SPACE.matcher(shape).replaceAll(" ").strip(), MAX_SHAPE);
  }
}
