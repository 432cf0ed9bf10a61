package dev.stint.contracts.gateway;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import org.jspecify.annotations.Nullable;

/** Jobs as this contract shows them. */
final class Replies {
  private Replies() {}

  static Reply replayed(Store.JobView view) {
    return job(200, view).with("Idempotency-Replayed", "true");
  }

  static Reply job(int status, Store.JobView view) {
    Job job = view.job();
    JsonWriter body = document(view);
    return Reply.json(status, extras(body, job, view.content()));
  }

  /** The fields of the contract's document, in its order. */
  private static JsonWriter document(Store.JobView view) {
    Job job = view.job();
    JobSpec spec = job.spec();
    return new JsonWriter()
        .add("job_id", job.id().toString())
        .add("task", view.content().task())
        .addJson("payload", view.content().payload())
        .add("status", Words.status(job.state()))
        .add("created_ts", spec.createdAt())
        .add("updated_ts", job.updatedAt())
        .add("ttl_s", spec.ttlMs() / 1_000)
        .addJson("result", result(view))
        .addJson("error", error(view));
  }

  private static JsonWriter extras(JsonWriter body, Job job, JobContent content) {
    JobSpec spec = job.spec();
    body.add("queue", spec.queue())
        .add("priority", spec.priority())
        .add("attempts", job.attempts())
        .add("max_attempts", spec.retry().maxAttempts())
        .addJson("metadata", content.metadata())
        .add("requirements", spec.needs().requirements())
        .add("reason", job.reason())
        .add("worker_id", job.lease() == null ? null : job.lease().workerId())
        .add("message", job.progress().message());
    Integer percent = job.progress().percent();
    body.addJson("progress", percent == null ? null : percent.toString());
    boolean isScheduled = spec.notBefore() > spec.createdAt();
    body.addJson("scheduled_at", isScheduled ? Long.toString(spec.notBefore() / 1_000) : null);
    return job.cancel() == null || job.state().isTerminal()
        ? body
        : body.add("cancel_requested", true).add("cancel_reason", job.cancel().reason());
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
    add(data, "worker_id", event.workerId());
    add(data, "reason", event.reason());
    // With these two a callback worker tells its own time.
    boolean isWell = event.type() == EventType.STARTED || event.type() == EventType.COMPLETED;
    return (event.data() == null || isWell ? data : data.addJson("error", event.data())).toJson();
  }

  private static JsonWriter add(JsonWriter data, String name, @Nullable String value) {
    return value == null ? data : data.add(name, value);
  }

  /** How far the worker says it is, if it has ever said so. */
  static @Nullable Integer percent(Event event) {
    Fields progress = Fields.ofKept(event.data());
    return progress == null ? null : progress.optionalInteger("percent", 0, 100);
  }

  private static @Nullable String result(Store.JobView view) {
    return view.job().state() == JobState.COMPLETED && view.last() != null
        ? view.last().result()
        : null;
  }

  /** Why it ended badly. While another attempt may still succeed there is no error to show. */
  private static @Nullable String error(Store.JobView view) {
    if (view.job().state() != JobState.FAILED) {
      return null;
    }
    Attempt last = view.last();
    if (last != null && last.end() == Attempt.End.FAILED && last.error() != null) {
      return last.error();
    }
    return new JsonWriter().add("code", view.job().reason()).toJson();
  }
}
