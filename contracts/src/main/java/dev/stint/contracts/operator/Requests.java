package dev.stint.contracts.operator;

import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.EventType;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.engine.Transition;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls of this contract as what the engine is asked. */
final class Requests {
  static final int MAX_BULK = 1_000;
  private static final int MAX_REASON = 500;
  private static final int MAX_NAME = 200;
  private static final int MAX_RATE = 100_000;
  private static final Set<String> FILTERS =
      Set.of("status", "queue", "task", "worker", "since_ms", "until_ms", "text");
  private static final Set<String> PAGE = Set.of("limit", "cursor");

  private Requests() {}

  /** What is no UUID names no job, and is answered like any other unknown one. */
  static UUID jobId(Call call) {
    return Uuids.parseOrNothing(call.path("id"));
  }

  static String queue(Call call) {
    String queue = call.path("queue");
    if (queue.length() > MAX_NAME) {
      throw Refusal.invalid("queue", "may have at most " + MAX_NAME + " characters");
    }
    return queue;
  }

  static @Nullable String reason(Fields fields) {
    return fields.optionalWords("reason", MAX_REASON);
  }

  static int limit(Call call, int absent, int max) {
    return (int) call.queryInteger("limit", absent, 1, max);
  }

  static @Nullable UUID before(Call call) {
    return cursor(call.queryString("cursor"));
  }

  private static @Nullable UUID cursor(@Nullable String given) {
    UUID before = given == null ? null : Uuids.parse(given);
    if (given != null && before == null) {
      throw badCursor();
    }
    return before;
  }

  private static Refusal badCursor() {
    return Refusal.invalid("cursor", "must be the next of an answer");
  }

  static Store.JobFilter filter(Call call) {
    Set<String> given = new TreeSet<>(call.queryNames());
    given.removeAll(PAGE);
    refuseUnknown(given, "");
    return new Store.JobFilter(
        Words.states(call.queryString("status")),
        call.queryString("queue"),
        call.queryString("task"),
        call.queryString("worker"),
        call.queryInteger("since_ms", 0, 0, Long.MAX_VALUE / 2),
        call.queryInteger("until_ms", Times.NEVER, 0, Long.MAX_VALUE / 2),
        call.queryString("text"));
  }

  /** A misspelt name must not make a filter fit more than was meant. */
  private static void refuseUnknown(Collection<String> names, String prefix) {
    TreeSet<String> unknown = new TreeSet<>(names);
    unknown.removeAll(FILTERS);
    if (!unknown.isEmpty()) {
      throw Refusal.invalid(
          prefix + unknown.first(),
          "is no filter; there are " + String.join(", ", new TreeSet<>(FILTERS)));
    }
  }

  /** A filter for a verb. */
  static Store.JobFilter filter(Fields fields) {
    Fields filter = fields.object("filter");
    refuseUnknown(filter.names(), "filter.");
    Store.JobFilter wanted =
        new Store.JobFilter(
            Words.states(filter.optionalString("status")),
            filter.optionalString("queue"),
            filter.optionalString("task"),
            filter.optionalString("worker"),
            filter.integer("since_ms", 0, 0, Long.MAX_VALUE / 2),
            filter.integer("until_ms", Times.NEVER, 0, Long.MAX_VALUE / 2),
            filter.optionalString("text"));
    if (wanted.equals(Store.JobFilter.ALL)) {
      throw Refusal.invalid("filter", "must not be empty; it would be all jobs");
    }
    return wanted;
  }

  /** What is to be done to all jobs that a filter fits. */
  enum Verb {
    RETRY(EventType.REPLAYED),
    CANCEL(EventType.CANCELLED),
    ABORT(EventType.ABORTED);

    private final EventType move;

    Verb(EventType move) {
      this.move = move;
    }

    /** The states in which it does something to a job. */
    Set<JobState> states() {
      return Transition.statesBefore(move);
    }
  }

  /**
   * A verb for many.
   *
   * @param before where to go on, or null to begin
   */
  record Bulk(
      Verb verb,
      Store.JobFilter filter,
      boolean isDryRun,
      @Nullable UUID before,
      int limit,
      @Nullable String reason) {}

  static Bulk bulk(Fields fields) {
    Verb verb =
        switch (fields.string("action")) {
          case "retry" -> Verb.RETRY;
          case "cancel" -> Verb.CANCEL;
          case "abort" -> Verb.ABORT;
          default -> throw Refusal.invalid("action", "must be retry, cancel or abort");
        };
    return new Bulk(
        verb,
        filter(fields),
        fields.bool("dry_run", false),
        cursor(fields.optionalString("cursor")),
        (int) fields.integer("limit", MAX_BULK, 1, MAX_BULK),
        reason(fields));
  }

  /**
   * A replay of dead letters.
   *
   * @param fingerprint of a group; or else the filter counts
   * @param ratePerSecond 0 for all at once
   * @param startAt when the first of them may start, 0 for now
   */
  record Replay(
      @Nullable String fingerprint,
      Store.JobFilter filter,
      long ratePerSecond,
      int limit,
      @Nullable UUID before,
      long startAt) {}

  static Replay replay(Fields fields) {
    String fingerprint = fields.optionalString("fingerprint");
    boolean hasFilter = fields.optionalObjectJson("filter") != null;
    if ((fingerprint == null) != hasFilter) {
      throw Refusal.invalid("fingerprint", "or `filter` must be given, and not both");
    }
    Store.JobFilter filter = hasFilter ? dead(filter(fields)) : Store.JobFilter.ALL;
    String cursor = fields.optionalString("cursor");
    long startAt = 0;
    if (cursor != null && cursor.indexOf('@') > 0) {
      int at = cursor.indexOf('@');
      startAt = number(cursor.substring(at + 1));
      if (startAt < 0 || startAt > Submissions.END_OF_TIME_SECONDS * 1_000) {
        throw badCursor();
      }
      cursor = cursor.substring(0, at);
    }
    return new Replay(
        fingerprint,
        filter,
        fields.integer("rate_per_s", 0, 1, MAX_RATE),
        (int) fields.integer("limit", MAX_BULK, 1, MAX_BULK),
        cursor(cursor),
        startAt);
  }

  /** Only what is a dead letter, unless the filter names a state itself. */
  private static Store.JobFilter dead(Store.JobFilter filter) {
    return filter.states().isEmpty() ? filter.in(Words.states("FAILED")) : filter;
  }

  static Store.@Nullable DeadPlace deadPlace(Call call) {
    String cursor = call.queryString("cursor");
    if (cursor == null) {
      return null;
    }
    int colon = cursor.indexOf(':');
    if (colon < 0) {
      throw badCursor();
    }
    return new Store.DeadPlace(number(cursor.substring(0, colon)), cursor.substring(colon + 1));
  }

  private static long number(String digits) {
    try {
      return Long.parseLong(digits);
    } catch (NumberFormatException e) {
      throw badCursor();
    }
  }
}
