package dev.stint.contracts.gateway;

import dev.stint.contracts.JobJson;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Store;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A job and its events as this contract's keys in Redis have them, where all is text. */
public final class JobRecord {
  private JobRecord() {}

  /** The fields of {@code job:{id}}, in the order of the document; JSON is the text that it is. */
  public static Map<String, String> hash(Store.JobView view) {
    Job job = view.job();
    Map<String, String> hash = new LinkedHashMap<>();
    hash.put("job_id", job.id().toString());
    hash.put("task", textOrEmpty(view.content().task()));
    hash.put("payload", view.content().payload());
    hash.put("status", Words.status(job.state()));
    hash.put("created_ts", Long.toString(job.spec().createdAt()));
    hash.put("updated_ts", Long.toString(job.updatedAt()));
    hash.put("ttl_s", Long.toString(job.spec().ttlMs() / 1_000));
    hash.put("result", textOrEmpty(JobJson.result(view)));
    hash.put("error", textOrEmpty(JobJson.error(view)));
    return hash;
  }

  /** The entry of {@code job:{id}:events} for an event; null if it is not for clients. */
  public static @Nullable Entry entry(Event event) {
    String type = Words.event(event);
    return type == null
        ? null
        : new Entry(type, event.at(), Words.step(event), Replies.data(event));
  }

  /** One entry of a job's stream of events; {@code data} is JSON. */
  public record Entry(String type, long ts, String step, String data) {}

  private static String textOrEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
