package dev.stint.storage;

import dev.stint.engine.Job;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * How far claims on PostgreSQL have come in each queue. What was claimed stays in the claim index
 * until the next vacuum, and to look from the front of the index is to pass all of it: tens of
 * thousands of entries in a busy queue. So a look begins where the last one ended. What is put back
 * before that place by another control plane is found by the next look from the front, which comes
 * within a second, and at once if a look from further on finds too little.
 */
final class ClaimTrails {
  /** Below the priority of any job. */
  static final long NO_PRIORITY = Integer.MIN_VALUE - 1L;

  /** Transactions that began earlier may commit later: so far back a look always goes. */
  private static final long OVERLAP_MS = 100;

  private static final long FROM_THE_FRONT_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int MAX_QUEUES = 10_000;

  private final Map<String, Trail> trails = new ConcurrentHashMap<>();
  private final AtomicLong numbers = new AtomicLong();
  private final LongSupplier nanoTime;

  private record Trail(Start end, long fromTheFrontAt, long number) {}

  /**
   * A look that is about to be made.
   *
   * @param number of the trail, 0 if there is none; if it has another one when the look is over,
   *     jobs may have been put back meanwhile that the look has not seen
   */
  record Look(Start start, long number) {
    static final Look UNKNOWN = new Look(Start.UNKNOWN, 0);

    Look fromTheFront() {
      return new Look(start.fromTheFront(), number);
    }
  }

  /**
   * Where a look begins.
   *
   * @param classId jobs of that class waited last, 0 if that is not known
   * @param priority of that class it looks at higher priorities, and at this one from {@code
   *     createdAt} on; {@link #NO_PRIORITY} to look at all
   */
  record Start(long classId, long priority, long createdAt) {
    static final Start UNKNOWN = new Start(0, NO_PRIORITY, 0);

    Start fromTheFront() {
      return new Start(classId, NO_PRIORITY, 0);
    }

    boolean isFromTheFront() {
      return priority == NO_PRIORITY;
    }
  }

  ClaimTrails(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  Look look(String queue) {
    Trail trail = trails.get(queue);
    if (trail == null) {
      return Look.UNKNOWN;
    }
    boolean isRecent = nanoTime.getAsLong() - trail.fromTheFrontAt < FROM_THE_FRONT_EVERY_NANOS;
    return new Look(isRecent ? trail.end : trail.end.fromTheFront(), trail.number);
  }

  /**
   * A look gave jobs of one class or of several.
   *
   * @param last the last of them
   * @param classId its class
   */
  void ended(String queue, Look look, Job last, long classId, boolean isOneClass) {
    Start found = new Start(classId, last.spec().priority(), last.spec().createdAt() - OVERLAP_MS);
    if (trails.size() >= MAX_QUEUES) {
      trails.clear();
    }
    trails.compute(
        queue,
        (name, before) -> {
          if ((before == null ? 0 : before.number) != look.number) {
            return before;
          }
          long at =
              look.start.isFromTheFront() || before == null
                  ? nanoTime.getAsLong()
                  : before.fromTheFrontAt;
          return new Trail(
              isOneClass ? found : found.fromTheFront(), at, numbers.incrementAndGet());
        });
  }

  /** What was found may not have been claimed after all. */
  void forget() {
    trails.clear();
  }

  /** A job waits again, maybe before where the trail ends. */
  void putBack(String queue) {
    trails.computeIfPresent(
        queue,
        (name, trail) ->
            new Trail(trail.end.fromTheFront(), trail.fromTheFrontAt, numbers.incrementAndGet()));
  }
}
