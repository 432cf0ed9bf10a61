package dev.stint.cli;

import dev.stint.server.SettingException;

/** How many of a list one call may ask for. */
final class Limit {
  private static final int MOST = 1_000;

  private Limit() {}

  static int checked(int limit) {
    return checked(limit, MOST);
  }

  static int checked(int limit, int most) {
    if (limit < 1 || limit > most) {
      throw new SettingException("--limit", "must be 1 to " + most + ", not " + limit);
    }
    return limit;
  }
}
