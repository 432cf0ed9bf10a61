package dev.stint.redis;

import io.lettuce.core.Consumer;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XGroupCreateArgs;
import io.lettuce.core.XReadArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A worker as the gateway's document describes it: it knows Redis and nothing else. */
final class NativeWorker {
  private final RedisCommands<String, String> redis;
  private final String stream;
  private final String name;

  NativeWorker(RedisLink link, String stream, String name) {
    this.redis = link.sync();
    this.stream = stream;
    this.name = name;
    try {
      redis.xgroupCreate(
          XReadArgs.StreamOffset.from(stream, "0"), "workers", XGroupCreateArgs.Builder.mkstream());
    } catch (RedisBusyException e) {
      // Another one made it.
    }
  }

  /** A message that this worker has got. */
  final class Task {
    final String messageId;
    final UUID jobId;
    final Map<String, String> fields;

    private Task(StreamMessage<String, String> message) {
      messageId = message.getId();
      fields = message.getBody();
      jobId = UUID.fromString(Objects.requireNonNull(fields.get("job_id")));
    }

    Task running() {
      status("running");
      return emit("running", "worker.start", "{}");
    }

    private void status(String status) {
      redis.hset(
          key(), Map.of("status", status, "updated_ts", Long.toString(System.currentTimeMillis())));
    }

    Task emit(String type, String step, String data) {
      redis.xadd(
          key() + ":events",
          "type",
          type,
          "ts",
          Long.toString(System.currentTimeMillis()),
          "step",
          step,
          "data",
          data);
      return this;
    }

    /** Writes the result, and does not tell of it yet. */
    Task write(String status, String field, String json) {
      redis.hset(
          key(),
          Map.of(
              "status",
              status,
              field,
              json,
              "updated_ts",
              Long.toString(System.currentTimeMillis())));
      return this;
    }

    Task done(String result) {
      return write("done", "result", result).emit("done", "worker.done", "{}");
    }

    Task error(String error) {
      return write("error", "error", error).emit("error", "worker.error", "{}");
    }

    void acknowledge() {
      redis.xack(stream, "workers", messageId);
    }

    private String key() {
      return "job:" + jobId;
    }
  }

  @SuppressWarnings("unchecked") // as the client wants it
  private List<StreamMessage<String, String>> read(XReadArgs how) {
    return redis.xreadgroup(
        Consumer.from("workers", name), how, XReadArgs.StreamOffset.lastConsumed(stream));
  }

  /** The next message, or null if there is none within this time. */
  @Nullable Task take(long blockMs) {
    XReadArgs wait = blockMs > 0 ? XReadArgs.Builder.block(blockMs) : new XReadArgs();
    List<StreamMessage<String, String>> messages = read(wait.count(1));
    return messages == null || messages.isEmpty() ? null : new Task(messages.getFirst());
  }

  Task next() {
    return Objects.requireNonNull(take(0), "no message");
  }
}
