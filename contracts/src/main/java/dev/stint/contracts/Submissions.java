package dev.stint.contracts;

import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What submissions of all contracts have in common. */
public final class Submissions {
  private static final int MAX_PAYLOAD_BYTES = 200 * 1024;
  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_REQUIREMENTS = 32;
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_KEY = 200;
  public static final long END_OF_TIME_SECONDS = 253_402_300_799L; // the year 9999

  private Submissions() {}

  public static String queue(Fields fields, String absent) {
    return Objects.requireNonNullElse(fields.optionalString("queue"), absent);
  }

  public static int priority(Fields fields) {
    return (int) fields.integer("priority", 0, Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  /** Unix seconds in the field, milliseconds here. */
  public static long scheduledAt(Fields fields) {
    return fields.integer("scheduled_at", 0, 0, END_OF_TIME_SECONDS) * 1_000;
  }

  public static int maxAttempts(Fields fields) {
    return (int) fields.integer("max_attempts", 3, 1, MAX_ATTEMPTS);
  }

  public static SortedSet<String> requirements(Fields fields) {
    return new TreeSet<>(fields.optionalStrings("requirements", MAX_REQUIREMENTS));
  }

  /** The header that makes it harmless to send a submission again, with what was sent. */
  public static @Nullable IdempotencyKey key(Call call) {
    String key = call.header("Idempotency-Key");
    return key == null ? null : key("Idempotency-Key", key, Digests.sha256(call.body()));
  }

  /** A key that came as {@code name}, for what has this digest. */
  public static IdempotencyKey key(String name, String key, String digest) {
    if (key.isBlank()
        || key.length() > MAX_KEY
        || !key.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw Refusal.invalid(name, "must have 1 to " + MAX_KEY + " printable ASCII characters");
    }
    return new IdempotencyKey(key, digest);
  }

  /** The answer to a submission that was sent again. */
  public static Reply replayed(Reply reply) {
    return reply.with("Idempotency-Replayed", "true");
  }

  public static Refusal keyConflict() {
    return Refusal.conflict(
        "idempotency_conflict",
        "this Idempotency-Key was used for another body; use a new key for a new job");
  }

  /** A payload has one bound, by whatever contract it comes; {@code name} is what it came in. */
  public static String payload(String name, String json) {
    return bounded(name, json, MAX_PAYLOAD_BYTES);
  }

  public static @Nullable String metadata(Fields fields) {
    String metadata = fields.optionalObjectJson("metadata");
    return metadata == null ? null : bounded("metadata", metadata, MAX_METADATA_BYTES);
  }

  /** The JSON, unless it is too long. */
  public static String bounded(String name, String json, int maxBytes) {
    // A character takes at least one byte, so most are known to be too long without encoding them.
    if (json.length() > maxBytes || json.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
      throw Refusal.tooLarge("`" + name + "` may have at most " + maxBytes / 1024 + " KB");
    }
    return json;
  }

  /**
   * Whether a payload is a command, whatever contract it came by, so that workers that run commands
   * and nothing else may have it: see {@link Needs#command()}.
   */
  public static boolean isCommand(String payload) {
    if (!payload.contains("\"command\"")) {
      return false;
    }
    Fields fields = Fields.ofKept(payload);
    try {
      return fields != null && CommandPayload.of(fields) != null;
    } catch (Refusal notAsItShouldBe) {
      return false;
    }
  }

  /** Too many wait already. */
  public static Refusal queueFull(Outcome.QueueFull full) {
    return Refusal.full(
        "queue_full",
        "%d jobs wait in queue %s; try again later".formatted(full.queued(), full.queue()),
        full.retryAfterSeconds());
  }
}
