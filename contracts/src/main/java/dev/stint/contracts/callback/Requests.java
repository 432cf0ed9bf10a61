package dev.stint.contracts.callback;

import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.JobContent;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Times;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Calls of this contract as commands. */
final class Requests {
  static final String DEFAULT_QUEUE = "callbacks";
  static final long DEFAULT_INTERVAL_MS = 30_000;
  static final long DEFAULT_TIMEOUT_MS = 90_000;
  private static final long DEFAULT_GRACE_MS = 30_000;
  static final long DEFAULT_TOKEN_SECONDS = 3_600;
  static final long MAX_WAIT_MS = 60_000;
  private static final long MAX_TOKEN_SECONDS = 7_200;
  private static final int MAX_ATTEMPTS = 1_000;
  private static final int MAX_JSON_BYTES = 16 * 1024;
  private static final int MAX_ERROR_BYTES = 64 * 1024;
  private static final int MAX_PROGRESS_BYTES = 64 * 1024;
  private static final int MAX_URL = 2_000;
  private static final int MAX_MESSAGE = 2_000;
  private static final int MAX_REASON = 200;

  private Requests() {}

  /**
   * A new task.
   *
   * @param targets that it may be delivered to
   * @param now the store's clock, asked only if it is needed
   */
  static Command.Submit submit(
      UUID taskId, Call call, AllowedTargets targets, LongSupplier now, long maxQueued) {
    Fields fields = Fields.of(call.body());
    String given = fields.optionalObjectJson("payload");
    String payload = Submissions.payload("payload", given == null ? "{}" : given);
    Scope scope =
        new Scope(
            fields.optionalString("tenantId"),
            fields.optionalString("workspaceId"),
            fields.optionalString("runId"));
    String dispatchUrl = fields.optionalText("dispatchUrl", MAX_URL);
    long tokenSeconds = tokenSeconds(fields);
    Command.Submit.Draft draft =
        new Command.Submit.Draft(
            Submissions.queue(fields, DEFAULT_QUEUE),
            needs(scope, payload, dispatchUrl, targets),
            Submissions.priority(fields),
            0,
            deadline(fields, tokenSeconds, now),
            0,
            RetryPolicy.attempts((int) fields.integer("maxAttempts", 3, 1, MAX_ATTEMPTS)),
            lease(fields));
    JobContent content =
        new JobContent(
            Words.CONTRACT,
            null,
            payload,
            Submissions.metadata(fields),
            scope,
            attributes(fields, tokenSeconds, dispatchUrl));
    return new Command.Submit(taskId, draft, content, Submissions.key(call), maxQueued);
  }

  private static Needs needs(
      Scope scope, String payload, @Nullable String dispatchUrl, AllowedTargets targets) {
    if (dispatchUrl != null) {
      return Needs.delivery(targets.check(dispatchUrl));
    }
    return new Needs(
        Submissions.isCommand(payload),
        Collections.emptySortedSet(),
        scope.tenant(),
        scope.workspace(),
        null);
  }

  private static LeasePolicy lease(Fields fields) {
    long intervalMs =
        fields.integer("heartbeatIntervalMs", DEFAULT_INTERVAL_MS, 1, Integer.MAX_VALUE);
    long timeoutMs = fields.integer("heartbeatTimeoutMs", DEFAULT_TIMEOUT_MS, 1, Integer.MAX_VALUE);
    if (timeoutMs < 2 * intervalMs) {
      throw Refusal.invalid(
          "heartbeatTimeoutMs",
          "must be at least twice heartbeatIntervalMs, which is " + intervalMs);
    }
    long graceMs = fields.integer("cancelGracePeriodMs", DEFAULT_GRACE_MS, 1, Integer.MAX_VALUE);
    return new LeasePolicy(timeoutMs, intervalMs, graceMs, 0);
  }

  private static long tokenSeconds(Fields fields) {
    return fields.integer("tokenTtlSeconds", DEFAULT_TOKEN_SECONDS, 1, MAX_TOKEN_SECONDS);
  }

  private static long deadline(Fields fields, long tokenSeconds, LongSupplier now) {
    String given = fields.optionalString("deadline");
    if (given == null) {
      return Times.NEVER;
    }
    Instant deadline = parsed(given);
    if (deadline == null) {
      throw noTime("deadline");
    }
    long leftMs = deadline.toEpochMilli() - now.getAsLong();
    if (leftMs <= 0) {
      throw Refusal.invalid("deadline", "has passed");
    }
    if (leftMs > tokenSeconds * 1_000) {
      throw Refusal.invalid(
          "deadline",
          "is later than a token of %d s (tokenTtlSeconds, at most %d) can cover"
              .formatted(tokenSeconds, MAX_TOKEN_SECONDS));
    }
    return deadline.toEpochMilli();
  }

  private static String attributes(Fields fields, long tokenSeconds, @Nullable String dispatchUrl) {
    String resources = fields.json("resources");
    String taskKey = fields.json("taskKey");
    return new JsonWriter()
        .add("assetId", fields.optionalString("assetId"))
        .addJson("taskKey", taskKey == null ? null : Submissions.bounded("taskKey", taskKey, 4_096))
        .addJson(
            "resources",
            resources == null ? null : Submissions.bounded("resources", resources, MAX_JSON_BYTES))
        .add("tokenTtlSeconds", tokenSeconds)
        .add("dispatchUrl", dispatchUrl)
        .toJson();
  }

  /** What is no UUID names no task, and is answered like any other unknown one. */
  static UUID taskId(Call call) {
    return Uuids.parseOrNothing(call.path("id"));
  }

  static Command.Claim claim(Fields fields, Command.Claim.Terms terms) {
    return new Command.Claim(
        fields.string("workerId"),
        List.of(Submissions.queue(fields, DEFAULT_QUEUE)),
        Skills.within(fields.optionalString("tenantId"), fields.optionalString("workspaceId")),
        true,
        fields.optionalString("claimId"),
        terms);
  }

  static long maxWaitMs(Fields fields) {
    return Math.min(fields.integer("maxWaitMs", 0, 0, Long.MAX_VALUE), MAX_WAIT_MS);
  }

  /** A job of a contract that has no time to stop of its own has the server's. */
  static Command.RequestCancel cancel(UUID taskId, Fields fields, long cancelGraceMs) {
    String reason = fields.optionalWords("reason", MAX_REASON);
    return new Command.RequestCancel(
        taskId, Objects.requireNonNullElse(reason, Words.USER_REQUESTED), cancelGraceMs);
  }

  static int attempt(Fields fields) {
    Integer attempt = fields.optionalInteger("attempt", 1, Integer.MAX_VALUE);
    if (attempt == null) {
      throw Refusal.invalid("attempt", "is missing; it must be the number of the attempt");
    }
    return attempt;
  }

  static Command.Start started(Report report) {
    return new Command.Start(report.taskId(), report.proof(), note(report, "startedAt"));
  }

  static Command.Heartbeat heartbeat(Report report) {
    Fields fields = report.fields();
    Progress progress =
        new Progress(
            fields.optionalPercent("progressPct"),
            fields.reportedWords("message", MAX_MESSAGE),
            null);
    return new Command.Heartbeat(
        report.taskId(), report.proof(), progress, workersTime(fields, "heartbeatAt"));
  }

  static Command.Report<Outcome.OfReport> completed(Report report) {
    Fields fields = report.fields();
    return switch (Words.result(fields.string("outcome"))) {
      case SUCCEEDED ->
          new Command.Complete(
              report.taskId(),
              report.proof(),
              fields.json("output"),
              metrics(fields),
              note(report, "completedAt"));
      case FAILED -> failed(report);
      case CANCELLED -> stopped(report);
    };
  }

  private static Command.Fail failed(Report report) {
    Fields fields = report.fields();
    Fields error = fields.object("error");
    Words.Category category = Words.category(error.string("category"));
    boolean retryable = error.bool("retryable", category.isRetryable());
    String json = Submissions.bounded("error", fields.objectJson("error"), MAX_ERROR_BYTES);
    return new Command.Fail(
        report.taskId(),
        report.proof(),
        retryable,
        category.name(),
        json,
        metrics(fields),
        withTime(json, error, workersTime(fields, "completedAt")));
  }

  /** An error, and when it came about by the worker's own clock, as the event tells it. */
  private static String withTime(String json, Fields error, @Nullable String at) {
    if (at == null || error.json("completedAt") != null) {
      return json;
    }
    String time = new JsonWriter().add("completedAt", at).toJson();
    return time.substring(0, time.length() - 1) + "," + json.substring(1);
  }

  private static Command.Stop stopped(Report report) {
    Fields fields = report.fields();
    String partial = fields.json("partialProgress");
    JsonWriter said =
        new JsonWriter()
            .add("cancelledDuringPhase", fields.reportedWords("cancelledDuringPhase", MAX_REASON))
            .addJson(
                "partialProgress",
                partial == null
                    ? null
                    : Submissions.bounded("partialProgress", partial, MAX_PROGRESS_BYTES))
            .add("completedAt", workersTime(fields, "completedAt"));
    return new Command.Stop(
        report.taskId(),
        report.proof(),
        Words.Category.CANCELLED.name(),
        said.toJson(),
        metrics(fields));
  }

  private static @Nullable String metrics(Fields fields) {
    String metrics = fields.optionalObjectJson("metrics");
    return metrics == null ? null : Submissions.bounded("metrics", metrics, MAX_JSON_BYTES);
  }

  /** The worker's own time, for the event that tells of it. */
  private static @Nullable String note(Report report, String name) {
    String time = workersTime(report.fields(), name);
    return time == null ? null : new JsonWriter().add(name, time).toJson();
  }

  /**
   * What a worker's own clock said. Nothing goes by it, so that one that leaves out where it stands
   * is kept as it is.
   */
  private static @Nullable String workersTime(Fields fields, String name) {
    String said = fields.optionalString(name);
    if (said == null) {
      return null;
    }
    Instant time = parsed(said);
    if (time != null) {
      return time.toString();
    }
    try {
      return LocalDateTime.parse(said).toString();
    } catch (DateTimeException e) {
      throw noTime(name);
    }
  }

  private static Refusal noTime(String name) {
    return Refusal.invalid(name, "must be a time like 2025-01-15T10:00:00Z");
  }

  private static @Nullable Instant parsed(String time) {
    try {
      return Instant.ofEpochMilli(OffsetDateTime.parse(time).toInstant().toEpochMilli());
    } catch (DateTimeException | ArithmeticException e) {
      return null;
    }
  }
}
