package dev.stint.contracts.gateway;

import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.JobContent;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Times;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls of this contract as commands. */
final class Requests {
  private static final String DEFAULT_QUEUE = "jobs:stream";
  private static final int MAX_PAYLOAD_BYTES = 200 * 1024;
  private static final int MAX_METADATA_BYTES = 16 * 1024;
  private static final int MAX_REQUIREMENTS = 32;
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_KEY = 200;
  private static final long MAX_TTL_SECONDS = 366L * 24 * 3_600;
  private static final long END_OF_TIME_SECONDS = 253_402_300_799L; // the year 9999

  private Requests() {}

  static Command.Submit submit(UUID jobId, Call call, GatewayContract.Settings settings) {
    Fields fields = Fields.of(call.body());
    String task = fields.string("task");
    if (!settings.tasks().contains(task)) {
      throw Faults.unknownTask(settings.tasks());
    }
    JobContent content =
        new JobContent("gateway", task, payload(fields), metadata(fields), Scope.NONE, null);
    return new Command.Submit(
        jobId, draft(fields, settings), content, key(call), settings.maxQueued());
  }

  private static Command.Submit.Draft draft(Fields fields, GatewayContract.Settings settings) {
    return new Command.Submit.Draft(
        Objects.requireNonNullElse(fields.optionalString("queue"), DEFAULT_QUEUE),
        Needs.of(fields.optionalStrings("requirements", MAX_REQUIREMENTS)),
        (int) fields.integer("priority", 0, Integer.MIN_VALUE, Integer.MAX_VALUE),
        fields.integer("scheduled_at", 0, 0, END_OF_TIME_SECONDS) * 1_000,
        Times.NEVER,
        fields.integer("ttl_s", settings.jobTtlSeconds(), 1, MAX_TTL_SECONDS) * 1_000,
        RetryPolicy.attempts((int) fields.integer("max_attempts", 3, 1, MAX_ATTEMPTS)),
        LeasePolicy.OF_THE_CLAIMER);
  }

  static UUID jobId(Call call) {
    UUID id = Uuids.parse(call.path("id"));
    if (id == null) {
      throw Faults.unknownJob();
    }
    return id;
  }

  static Command.RequestCancel cancel(
      UUID jobId, Fields fields, GatewayContract.Settings settings) {
    String reason = fields.optionalWords("reason", 200);
    return new Command.RequestCancel(
        jobId, Objects.requireNonNullElse(reason, "cancelled"), settings.cancelGraceMs());
  }

  private static String payload(Fields fields) {
    return bounded("payload", fields.objectJson("payload"), MAX_PAYLOAD_BYTES);
  }

  private static @Nullable String metadata(Fields fields) {
    String metadata = fields.optionalObjectJson("metadata");
    return metadata == null ? null : bounded("metadata", metadata, MAX_METADATA_BYTES);
  }

  private static String bounded(String name, String json, int maxBytes) {
    // A character takes at least one byte, so most are known to be too long without encoding them.
    if (json.length() > maxBytes || json.getBytes(StandardCharsets.UTF_8).length > maxBytes) {
      throw Refusal.tooLarge("`" + name + "` may have at most " + maxBytes / 1024 + " KB");
    }
    return json;
  }

  private static @Nullable IdempotencyKey key(Call call) {
    String key = call.header("Idempotency-Key");
    if (key == null) {
      return null;
    }
    if (key.isBlank()
        || key.length() > MAX_KEY
        || !key.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw Refusal.invalid(
          "Idempotency-Key", "must have 1 to " + MAX_KEY + " printable ASCII characters");
    }
    return new IdempotencyKey(key, HexFormat.of().formatHex(sha256(call.body())));
  }

  private static byte[] sha256(byte[] bytes) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(bytes);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
