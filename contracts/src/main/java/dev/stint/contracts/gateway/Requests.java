package dev.stint.contracts.gateway;

import dev.stint.contracts.Call;
import dev.stint.contracts.Digests;
import dev.stint.contracts.Fields;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.JobContent;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Times;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Calls of this contract as commands. */
final class Requests {
  private static final String DEFAULT_QUEUE = "jobs:stream";
  private static final int MAX_KEY = 200;
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String LAST_ID = "last_id";
  private static final Pattern EVENT_ID = Pattern.compile("[0-9]{1,18}");
  static final int MAX_JOBS = 1_000;
  private static final long MAX_TTL_SECONDS = 366L * 24 * 3_600;

  private Requests() {}

  static Command.Submit submit(UUID jobId, Call call, GatewayContract.Settings settings) {
    return submit(jobId, Fields.of(call.body()), key(call), settings);
  }

  /** One job of several; its idempotency key is a field, as there is but one header for all. */
  static Command.Submit submit(UUID jobId, Fields fields, GatewayContract.Settings settings) {
    String key = fields.optionalString("idempotency_key");
    return submit(
        jobId,
        fields,
        key == null ? null : key("idempotency_key", key, Digests.sha256(fields.toJson())),
        settings);
  }

  private static Command.Submit submit(
      UUID jobId, Fields fields, @Nullable IdempotencyKey key, GatewayContract.Settings settings) {
    String task = fields.string("task");
    if (!settings.tasks().contains(task)) {
      throw Faults.unknownTask(settings.tasks());
    }
    String payload = Submissions.payload("payload", fields.objectJson("payload"));
    JobContent content =
        new JobContent("gateway", task, payload, Submissions.metadata(fields), Scope.NONE, null);
    return new Command.Submit(
        jobId, draft(fields, payload, settings), content, key, settings.maxQueued());
  }

  private static Command.Submit.Draft draft(
      Fields fields, String payload, GatewayContract.Settings settings) {
    return new Command.Submit.Draft(
        Submissions.queue(fields, DEFAULT_QUEUE),
        new Needs(Submissions.isCommand(payload), Submissions.requirements(fields)),
        Submissions.priority(fields),
        Submissions.scheduledAt(fields),
        Times.NEVER,
        fields.integer("ttl_s", settings.jobTtlSeconds(), 1, MAX_TTL_SECONDS) * 1_000,
        RetryPolicy.attempts(Submissions.maxAttempts(fields)),
        LeasePolicy.OF_THE_CLAIMER);
  }

  static UUID jobId(Call call) {
    return Uuids.parseOrNothing(call.path("id"));
  }

  static Command.RequestCancel cancel(
      UUID jobId, Fields fields, GatewayContract.Settings settings) {
    String reason = fields.optionalWords("reason", 200);
    return new Command.RequestCancel(
        jobId, Objects.requireNonNullElse(reason, "cancelled"), settings.cancelGraceMs());
  }

  /** The id of the last event that the reader has, or 0. */
  static long lastId(Call call) {
    String name = lastIdName(call);
    String given = name.equals(LAST_ID) ? call.query(name) : call.header(name);
    if (given == null || given.isBlank()) {
      return 0;
    }
    if (!EVENT_ID.matcher(given.strip()).matches()) {
      throw Faults.noSuchEvent(name);
    }
    return Long.parseLong(given.strip());
  }

  /**
   * What that id stands in. The header goes first: a browser that reconnects sets it, and leaves
   * the address as it was.
   */
  static String lastIdName(Call call) {
    String header = call.header(LAST_EVENT_ID);
    return header == null || header.isBlank() ? LAST_ID : LAST_EVENT_ID;
  }

  private static @Nullable IdempotencyKey key(Call call) {
    String key = call.header("Idempotency-Key");
    return key == null ? null : key("Idempotency-Key", key, Digests.sha256(call.body()));
  }

  private static IdempotencyKey key(String name, String key, String digest) {
    if (key.isBlank()
        || key.length() > MAX_KEY
        || !key.chars().allMatch(c -> c >= ' ' && c < 127)) {
      throw Refusal.invalid(name, "must have 1 to " + MAX_KEY + " printable ASCII characters");
    }
    return new IdempotencyKey(key, digest);
  }
}
