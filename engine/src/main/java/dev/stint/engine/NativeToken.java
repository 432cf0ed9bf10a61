package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * The token of a lease that no claim asked for: it names the message by which its worker got the
 * job, and is a secret all the same, so that nobody can report on it but who reads for that worker.
 */
final class NativeToken {
  private static final String PREFIX = "native:";

  private NativeToken() {}

  static String of(String messageId, String secret) {
    return PREFIX + messageId + ":" + secret;
  }

  /** The message that a token names; null if it is that of a claim. */
  static @Nullable String message(String token) {
    return token.startsWith(PREFIX)
        ? token.substring(PREFIX.length(), token.lastIndexOf(':'))
        : null;
  }
}
