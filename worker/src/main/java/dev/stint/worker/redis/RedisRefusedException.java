package dev.stint.worker.redis;

import java.io.IOException;
import java.util.List;

/** Redis understood the command and answered with an error, such as a wrong password. */
public final class RedisRefusedException extends IOException {
  private static final List<String> FOR_LATER =
      List.of(
          "LOADING",
          "MISCONF",
          "READONLY",
          "OOM",
          "BUSY ",
          "NOREPLICAS",
          "MASTERDOWN",
          "ERR max number of clients");

  RedisRefusedException(String message) {
    super(message);
  }

  /** Redis starts, is full or cannot write just now; the same command may succeed later. */
  boolean isForLater() {
    return FOR_LATER.stream().anyMatch(this::is);
  }

  /** Redis's own word for it, such as {@code NOGROUP}. */
  boolean is(String code) {
    return String.valueOf(getMessage()).startsWith(code);
  }
}
