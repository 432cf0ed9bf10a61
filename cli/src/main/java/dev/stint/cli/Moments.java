package dev.stint.cli;

import dev.stint.server.SettingException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Moments as people give them: so long ago, a date and time, or Unix seconds. */
final class Moments {
  private static final Pattern AGE = Pattern.compile("(\\d{1,9})([smhd])");
  private static final Pattern SECONDS = Pattern.compile("\\d{1,12}");

  private Moments() {}

  /** Unix milliseconds, or null if nothing was given. */
  static @Nullable Long millis(String option, @Nullable String given, long nowMillis) {
    if (given == null) {
      return null;
    }
    Matcher age = AGE.matcher(given);
    if (age.matches()) {
      long seconds = Long.parseLong(age.group(1)) * unitSeconds(age.group(2));
      return Math.max(0, nowMillis - seconds * 1_000);
    }
    if (SECONDS.matcher(given).matches()) {
      return Long.parseLong(given) * 1_000;
    }
    try {
      return Math.max(0, Instant.parse(given).toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      throw new SettingException(
          option, "must be like 30m, 2h, 7d, 2026-01-31T12:00:00Z or Unix seconds");
    }
  }

  private static long unitSeconds(String unit) {
    return switch (unit) {
      case "s" -> 1;
      case "m" -> 60;
      case "h" -> 3_600;
      default -> 86_400;
    };
  }
}
