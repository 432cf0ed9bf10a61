package dev.stint.contracts.fleet;

import dev.stint.contracts.Refusal;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.JobState;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** This contract's words. Its states are the engine's own. */
final class Words {
  static final String GPU = "gpu";
  static final String API = "api";
  static final String RECONCILER = "reconciler";

  private Words() {}

  static String status(JobState state) {
    return state.name();
  }

  static JobState state(String status) {
    try {
      return JobState.valueOf(status.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException notOne) {
      throw Refusal.invalid("status", "must be one of " + names(JobState.values()));
    }
  }

  static EventType eventType(String event) {
    try {
      return EventType.valueOf(event.toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException notOne) {
      throw Refusal.invalid(
          "event", "must be one of " + names(EventType.values()).toLowerCase(Locale.ROOT));
    }
  }

  private static String names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).collect(Collectors.joining(", "));
  }

  /** Whether a component stands for what time does, and not for what requests do. */
  static boolean isTime(String component) {
    return switch (component) {
      case API -> false;
      case RECONCILER -> true;
      default -> throw Refusal.invalid("component", "must be " + API + " or " + RECONCILER);
    };
  }

  static String component(Event event) {
    return event.requestId() == null ? RECONCILER : API;
  }

  static String level(EventType type) {
    return switch (type) {
      case FAILED, EXHAUSTED, DEADLINE_EXCEEDED, CANCEL_TIMED_OUT -> "error";
      case ASSIGNMENT_EXPIRED,
          LOST,
          RETRY_SCHEDULED,
          RELEASED,
          LATE_RESULT,
          REPORT_REFUSED,
          WORKER_REVOKED,
          WORKER_OFFLINE,
          WORKER_REFUSED,
          WORKER_DRAINING,
          QUEUE_PAUSED ->
          "warn";
      case SUBMITTED,
          DUE,
          ASSIGNED,
          CLAIMED,
          STARTED,
          PROGRESS,
          OUTPUT,
          EMITTED,
          COMPLETED,
          RECOVERED,
          REQUEUED,
          CANCEL_REQUESTED,
          CANCELLED,
          ABORTED,
          WORKER_REGISTERED,
          WORKER_RECONNECTED,
          WORKER_ONLINE,
          WORKER_RESUMED,
          QUEUE_RESUMED,
          REPLAYED ->
          "info";
    };
  }
}
