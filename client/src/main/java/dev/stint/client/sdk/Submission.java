package dev.stint.client.sdk;

import dev.stint.client.Json;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A job to be submitted. Each method gives a copy that differs in what it names. */
public final class Submission {
  private final Map<String, @Nullable Object> fields;

  private Submission(Map<String, @Nullable Object> fields) {
    this.fields = fields;
  }

  /**
   * A job for a task that the control plane takes jobs for.
   *
   * @param payload of which there may be 200 KB
   */
  public static Submission of(String task, Map<String, ? extends @Nullable Object> payload) {
    return new Submission(Map.of())
        .with("task", task)
        .with("payload", new Json.Text(Json.write(payload)))
        .with("idempotency_key", UUID.randomUUID().toString());
  }

  /** Where workers look for it; {@code jobs:stream} if not said. */
  public Submission queue(String queue) {
    return with("queue", queue);
  }

  /** Higher goes first; 0 if not said. */
  public Submission priority(int priority) {
    return with("priority", priority);
  }

  /**
   * Not to be given to a worker before; the control plane knows whole seconds, so up to one later.
   */
  public Submission notBefore(Instant time) {
    return with("scheduled_at", time.getEpochSecond() + (time.getNano() > 0 ? 1 : 0));
  }

  /** What a worker must have, all of it. */
  public Submission requirements(String... requirements) {
    return with("requirements", List.of(requirements));
  }

  /** How many attempts may fail or lose their worker; 3 if not said. */
  public Submission maxAttempts(int attempts) {
    return with("max_attempts", attempts);
  }

  /** How long it is kept after its last change. */
  public Submission ttl(Duration ttl) {
    return with("ttl_s", ttl.toSeconds());
  }

  /** The same key and job, submitted again, give the job that is there; else one is made up. */
  public Submission idempotencyKey(String key) {
    return with("idempotency_key", key);
  }

  private Submission with(String name, Object value) {
    Map<String, @Nullable Object> more = new LinkedHashMap<>(fields);
    more.put(name, value);
    return new Submission(more);
  }

  Json.Text json() {
    return new Json.Text(Json.write(fields));
  }
}
