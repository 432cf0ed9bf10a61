package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;

/** What this control plane committed within the last hour, minute by minute, in memory. */
final class Series {
  private static final int MINUTES = 60;
  private static final long MINUTE_MS = 60_000;

  private final long[] at = new long[MINUTES];
  private final long[][] counts = new long[MINUTES][3];

  synchronized void add(long now, long submitted, long completed, long failed) {
    long minute = now / MINUTE_MS;
    int place = (int) (minute % MINUTES);
    if (at[place] != minute) {
      at[place] = minute;
      counts[place] = new long[3];
    }
    counts[place][0] += submitted;
    counts[place][1] += completed;
    counts[place][2] += failed;
  }

  /** All minutes of the last hour, also those in which nothing happened, oldest first. */
  synchronized List<Overview.Minute> minutes(long now) {
    long last = now / MINUTE_MS;
    List<Overview.Minute> minutes = new ArrayList<>(MINUTES);
    for (long minute = Math.max(0, last - MINUTES + 1); minute <= last; minute++) {
      int place = (int) (minute % MINUTES);
      long[] count = at[place] == minute ? counts[place] : new long[3];
      minutes.add(new Overview.Minute(minute * MINUTE_MS, count[0], count[1], count[2]));
    }
    return minutes;
  }
}
