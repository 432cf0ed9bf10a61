package dev.stint.bench;

import java.time.Duration;
import java.util.function.LongConsumer;

/** Is told how far the measuring is. */
interface Progress {
  Progress NONE = (phase, millis) -> {};

  /** So many more milliseconds of this phase are over. */
  void advanced(String phase, long millis);

  /** Something that tells now and then how many nanoseconds of it have passed. */
  interface Timed {
    void run(LongConsumer onTick) throws RunFailedException;
  }

  /** Runs something of a known length, and tells this how far it is. */
  static void timed(Progress progress, String phase, Duration length, Timed work)
      throws RunFailedException {
    long[] shownMillis = {0};
    work.run(elapsedNanos -> {
      long millis = Math.min(elapsedNanos / 1_000_000, length.toMillis());
      progress.advanced(phase, millis - shownMillis[0]);
      shownMillis[0] = millis;
    });
  }
}
