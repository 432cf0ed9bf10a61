package dev.stint.contracts.gateway;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JobJson;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Submissions;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Jobs as this contract shows them. */
final class Replies {
  private static final int MAX_JSON = 4_096;

  private Replies() {}

  static Reply replayed(Store.JobView view) {
    return Submissions.replayed(job(200, view));
  }

  /** One of many, which together may be long: JSON of more than 4,096 characters is left out. */
  static Reply replayedInBrief(Store.JobView view) {
    return Submissions.replayed(Reply.json(200, JobJson.brief(view, MAX_JSON)));
  }

  static Reply job(int status, Store.JobView view) {
    return Reply.json(status, JobJson.of(view));
  }

  /** What an event of the stream says besides its type. */
  static String data(Event event) {
    JsonWriter data = new JsonWriter();
    if (event.type() == EventType.PROGRESS) {
      Fields progress = Fields.ofKept(event.data());
      add(data, "status", progress == null ? null : progress.optionalString("status"));
      Integer percent = percent(event);
      if (percent != null) {
        data.add("progress", percent);
      }
      return add(data, "message", event.reason()).toJson();
    }
    if (event.type() == EventType.OUTPUT && event.data() != null) {
      return event.data();
    }
    if (event.type() == EventType.EMITTED) {
      return String.valueOf(emitted(event).json("data"));
    }
    add(data, "worker_id", event.workerId());
    add(data, "reason", event.reason());
    if (event.data() != null) {
      data.addJson(isFailure(event) ? "error" : "details", event.data());
    }
    return data.toJson();
  }

  private static boolean isFailure(Event event) {
    return event.to() == JobState.FAILED
        || event.to() == JobState.RETRYING
        || event.to() == JobState.ABORTED;
  }

  private static JsonWriter add(JsonWriter data, String name, @Nullable String value) {
    return value == null ? data : data.add(name, value);
  }

  /** What the worker said in words of its own. */
  static Fields emitted(Event event) {
    return Objects.requireNonNull(Fields.ofKept(event.data()));
  }

  /** How far the worker says it is, if it has ever said so. */
  static @Nullable Integer percent(Event event) {
    Fields progress = Fields.ofKept(event.data());
    return progress == null ? null : progress.optionalInteger("percent", 0, 100);
  }
}
