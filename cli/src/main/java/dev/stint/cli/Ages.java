package dev.stint.cli;

import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;

/** Times for people. */
final class Ages {
  private static final long MINUTE = 60;
  private static final long HOUR = 60 * MINUTE;
  private static final long DAY = 24 * HOUR;

  private Ages() {}

  /** {@code 3 m ago}, or {@code in 3 m} for what is still to come. */
  static String ago(long nowSeconds, long thenSeconds) {
    long age = nowSeconds - thenSeconds;
    if (age == 0) {
      return "now";
    }
    return age > 0 ? span(age) + " ago" : "in " + span(-age);
  }

  static String span(long seconds) {
    if (seconds < 2 * MINUTE) {
      return seconds + " s";
    }
    if (seconds < 2 * HOUR) {
      return seconds / MINUTE + " m";
    }
    return seconds < 2 * DAY ? seconds / HOUR + " h" : seconds / DAY + " d";
  }

  /** Date and time as this machine's clock on the wall has them. */
  static String local(long seconds) {
    return DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")
        .format(Instant.ofEpochSecond(seconds).atZone(ZoneId.systemDefault()));
  }

  static long now() {
    return Instant.now().getEpochSecond();
  }
}
