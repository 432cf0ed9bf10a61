package dev.stint.worker.redis;

import dev.stint.client.Json;
import dev.stint.client.sdk.Job;
import dev.stint.client.sdk.Work;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A message of the stream that is this worker's. */
final class RedisJob implements Job {
  private final String stream;
  private final String messageId;
  private final Map<String, String> fields;
  private final JobKeys keys;
  private final Work work = new Work();
  private String lastEvent = "0-0";
  private boolean isCancelRequested;

  RedisJob(String stream, String messageId, Map<String, String> fields, JobKeys keys) {
    this.stream = stream;
    this.messageId = messageId;
    this.fields = fields;
    this.keys = keys;
  }

  /** The messages in an answer to XREADGROUP; one that was deleted has no fields. */
  static List<RedisJob> in(@Nullable Object answer, JobKeys keys) {
    List<RedisJob> jobs = new ArrayList<>();
    if (answer instanceof List<?> streams) {
      for (Object stream : streams) {
        List<?> nameAndMessages = (List<?>) stream;
        for (Object message : (List<?>) nameAndMessages.get(1)) {
          List<?> idAndFields = (List<?>) message;
          jobs.add(
              new RedisJob(
                  String.valueOf(nameAndMessages.getFirst()),
                  String.valueOf(idAndFields.getFirst()),
                  fields(idAndFields.get(1)),
                  keys));
        }
      }
    }
    return jobs;
  }

  /** Names and values, which Redis gives in turn. */
  static Map<String, String> fields(@Nullable Object list) {
    Map<String, String> fields = new HashMap<>();
    if (list instanceof List<?> words) {
      for (int i = 0; i + 1 < words.size(); i += 2) {
        fields.put(String.valueOf(words.get(i)), String.valueOf(words.get(i + 1)));
      }
    }
    return fields;
  }

  String messageId() {
    return messageId;
  }

  Work work() {
    return work;
  }

  /** The last of its events that was looked at. */
  String lastEvent() {
    return lastEvent;
  }

  /** The next of its events. A worker that begins is not meant by what was asked before. */
  void saw(String eventId, Map<String, String> event) {
    lastEvent = eventId;
    String step = event.get("step");
    if ("cancel_requested".equals(step)) {
      isCancelRequested = true;
    } else if ("worker.start".equals(step)) {
      isCancelRequested = false;
    }
  }

  boolean isCancelRequested() {
    return isCancelRequested;
  }

  @Override
  public String id() {
    return fields.getOrDefault("job_id", "");
  }

  @Override
  public String queue() {
    return stream;
  }

  @Override
  public @Nullable String task() {
    String task = fields.get("task");
    return task == null || task.isEmpty() ? null : task;
  }

  /** What is no JSON comes as {@code _raw}. */
  @Override
  public Object payload() {
    String text = fields.getOrDefault("payload", "{}");
    try {
      Object payload = Json.read(text);
      return payload == null ? Map.of() : payload;
    } catch (IllegalArgumentException e) {
      return Map.of("_raw", text);
    }
  }

  @Override
  public String payloadJson() {
    String text = fields.getOrDefault("payload", "{}");
    try {
      // In JSON the end of a line stands between values only, where a blank means the same.
      return Json.read(text) == null ? "{}" : text.replaceAll("[\r\n]", " ").strip();
    } catch (IllegalArgumentException e) {
      return Json.write(payload());
    }
  }

  @Override
  public int attempt() {
    return 0;
  }

  @Override
  public long fence() {
    return 0;
  }

  @Override
  public void progress(int percent, String message) {
    keys.progress(this, Map.of("progress", percent, "message", message));
  }

  @Override
  public boolean isUnwanted() {
    return work.stopped() != null;
  }

  @Override
  public String toString() {
    return "job " + id();
  }
}
