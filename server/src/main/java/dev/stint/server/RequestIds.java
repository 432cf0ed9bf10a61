package dev.stint.server;

import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Names for requests, to find them again in logs and events. */
final class RequestIds {
  private static final int MAX_LENGTH = 128;

  /**
   * How names begin that tell what was taken over from workers of Redis; nobody else may say so.
   */
  private static final List<String> RESERVED = List.of("redis:", "native:");

  private RequestIds() {}

  /** The client's own, if it can be written into a log as it is, or a new one. */
  static String of(@Nullable String given) {
    boolean isSane =
        given != null
            && !given.isEmpty()
            && given.length() <= MAX_LENGTH
            && given.chars().allMatch(c -> c > ' ' && c < 127)
            && RESERVED.stream().noneMatch(given::startsWith);
    return isSane && given != null
        ? given
        : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
  }
}
