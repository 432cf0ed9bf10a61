package dev.stint.contracts.gateway;

import dev.stint.contracts.JobJson;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Following;
import dev.stint.engine.JobState;
import org.jspecify.annotations.Nullable;

/** The engine's states and events in this contract's words. */
final class Words {
  private Words() {}

  static String status(JobState state) {
    return JobJson.status(state);
  }

  /** The type of an event in the stream; null if it is not for clients. */
  static @Nullable String event(Event event) {
    return switch (event.type()) {
      case SUBMITTED,
          DUE,
          ASSIGNED,
          CLAIMED,
          STARTED,
          ASSIGNMENT_EXPIRED,
          COMPLETED,
          FAILED,
          RETRY_SCHEDULED,
          RELEASED,
          LOST,
          RECOVERED,
          REQUEUED,
          EXHAUSTED,
          CANCEL_REQUESTED,
          CANCELLED,
          ABORTED,
          CANCEL_TIMED_OUT,
          DEADLINE_EXCEEDED,
          REPLAYED ->
          statusOrMessage(event);
      case PROGRESS -> Replies.percent(event) == null ? "message" : "progress";
      case OUTPUT -> "output";
      case EMITTED -> Replies.emitted(event).textOrNull("type");
      case LATE_RESULT,
          REPORT_REFUSED,
          WORKER_REGISTERED,
          WORKER_RECONNECTED,
          WORKER_REFUSED,
          WORKER_REVOKED,
          WORKER_OFFLINE,
          WORKER_ONLINE,
          WORKER_DRAINING,
          WORKER_RESUMED,
          QUEUE_PAUSED,
          QUEUE_RESUMED ->
          null;
    };
  }

  /** The job's new status; what leaves that as it was is something to be told all the same. */
  private static @Nullable String statusOrMessage(Event event) {
    if (event.to() == null) {
      return null;
    }
    String now = status(event.to());
    return event.from() != null && now.equals(status(event.from())) ? "message" : now;
  }

  /** What happened, more exactly than the type tells it. */
  static String step(Event event) {
    if (event.type() == EventType.EMITTED) {
      return String.valueOf(Replies.emitted(event).textOrNull("step"));
    }
    return event.from() == null ? "gateway.enqueue" : event.type().word();
  }

  /** The last line of a stream, for people; null if the client has gone. */
  static String end(Following.@Nullable End end) {
    if (end == null) {
      return "you seem to have gone";
    }
    return switch (end) {
      case FINISHED -> "the job has ended";
      case GONE -> "the job is not kept any longer";
      case CUT_OFF -> "you read too slowly; come again with the last id";
      case STOPPED -> "this server stops; come again with the last id";
    };
  }
}
