package dev.stint.worker.redis;

import java.io.IOException;

/** Redis understood the command and answered with an error, such as a wrong password. */
public final class RedisRefusedException extends IOException {
  RedisRefusedException(String message) {
    super(message);
  }

  /** Redis starts, or cannot write just now; the same command may succeed later. */
  boolean isForLater() {
    return is("LOADING") || is("MISCONF") || is("READONLY") || is("OOM") || is("BUSY ");
  }

  /** Redis's own word for it, such as {@code NOGROUP}. */
  boolean is(String code) {
    return String.valueOf(getMessage()).startsWith(code);
  }
}
