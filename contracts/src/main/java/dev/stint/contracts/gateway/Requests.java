package dev.stint.contracts.gateway;

import dev.stint.contracts.Call;
import dev.stint.contracts.Digests;
import dev.stint.contracts.Fields;
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
  private static final String LAST_EVENT_ID = "Last-Event-ID";
  private static final String LAST_ID = "last_id";

  /** What stands before the first entry of a stream in Redis, which the document tails. */
  private static final String BEGINNING = "0-0";

  private static final Pattern EVENT_ID = Pattern.compile("[0-9]{1,18}");
  static final int MAX_JOBS = 1_000;
  private static final long MAX_TTL_SECONDS = 366L * 24 * 3_600;

  private Requests() {}

  static Command.Submit submit(UUID jobId, Call call, GatewayContract.Settings settings) {
    return submit(jobId, Fields.of(call.body()), Submissions.key(call), settings);
  }

  /** One job of several; its idempotency key is a field, as there is but one header for all. */
  static Command.Submit submit(UUID jobId, Fields fields, GatewayContract.Settings settings) {
    String key = fields.optionalString("idempotency_key");
    return submit(
        jobId,
        fields,
        key == null
            ? null
            : Submissions.key("idempotency_key", key, Digests.sha256(fields.toJson())),
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
    String id = given.strip();
    if (id.equals(BEGINNING)) {
      return 0;
    }
    if (!EVENT_ID.matcher(id).matches()) {
      throw Faults.noSuchEvent(name);
    }
    return Long.parseLong(id);
  }

  /**
   * What that id stands in. The header goes first: a browser that reconnects sets it, and leaves
   * the address as it was.
   */
  static String lastIdName(Call call) {
    String header = call.header(LAST_EVENT_ID);
    return header == null || header.isBlank() ? LAST_ID : LAST_EVENT_ID;
  }
}
