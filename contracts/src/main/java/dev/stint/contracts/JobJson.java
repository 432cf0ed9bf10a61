package dev.stint.contracts;

import dev.stint.engine.Attempt;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A job as everything under {@code /v1/jobs} shows it. */
public final class JobJson {
  private JobJson() {}

  public static JsonWriter of(Store.JobView view) {
    return extras(document(view, Integer.MAX_VALUE), view.job(), view.content());
  }

  /** For lists: JSON of more than {@code maxChars} is left out, and what was is told. */
  public static JsonWriter brief(Store.JobView view, int maxChars) {
    List<String> omitted = new ArrayList<>();
    if (view.content().payload().length() > maxChars) {
      omitted.add("payload");
    }
    String result = result(view);
    if (result != null && result.length() > maxChars) {
      omitted.add("result");
    }
    String error = error(view);
    if (error != null && error.length() > maxChars) {
      omitted.add("error");
    }
    return extras(document(view, maxChars), view.job(), view.content()).add("omitted", omitted);
  }

  private static @Nullable String upTo(int maxChars, @Nullable String json) {
    return json == null || json.length() > maxChars ? null : json;
  }

  /** The word for a state. */
  public static String status(JobState state) {
    return switch (state) {
      case PENDING, ASSIGNED, RETRYING -> "queued";
      case RUNNING, LOST -> "running";
      case COMPLETED -> "done";
      case FAILED -> "error";
      case ABORTED -> "canceled";
    };
  }

  /** The fields of the contract's document, in its order. */
  private static JsonWriter document(Store.JobView view, int maxChars) {
    Job job = view.job();
    JobSpec spec = job.spec();
    return new JsonWriter()
        .add("job_id", job.id().toString())
        .add("task", view.content().task())
        .addJson("payload", upTo(maxChars, view.content().payload()))
        .add("status", status(job.state()))
        .add("created_ts", spec.createdAt())
        .add("updated_ts", job.updatedAt())
        .add("ttl_s", spec.ttlMs() / 1_000)
        .addJson("result", upTo(maxChars, result(view)))
        .addJson("error", upTo(maxChars, error(view)));
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

  /** What came of it, as JSON; null as long as nothing has. */
  public static @Nullable String result(Store.JobView view) {
    return view.job().state() == JobState.COMPLETED && view.last() != null
        ? view.last().result()
        : null;
  }

  /** Why it ended badly. While another attempt may still succeed there is no error to show. */
  public static @Nullable String error(Store.JobView view) {
    if (view.job().state() != JobState.FAILED) {
      return null;
    }
    Attempt failure = view.failure();
    if (failure != null && failure.error() != null) {
      return failure.error();
    }
    return new JsonWriter().add("code", view.job().reason()).toJson();
  }
}
