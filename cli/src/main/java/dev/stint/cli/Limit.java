package dev.stint.cli;

import dev.stint.server.SettingException;

/** How many of a list one call may ask for. */
final class Limit {
  private static final int MOST = 1_000;

  private Limit() {}

  static int checked(int limit) {
    if (limit < 1 || limit > MOST) {
      throw new SettingException("--limit", "must be 1 to " + MOST + ", not " + limit);
    }
    return limit;
  }
}
