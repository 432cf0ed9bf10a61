package dev.stint.contracts.fleet;

import dev.stint.contracts.Call;
import dev.stint.contracts.CommandPayload;
import dev.stint.contracts.Digests;
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
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Calls of this contract as commands. */
final class Requests {
  static final int MAX_JOBS = 1_000;
  static final int MAX_LIST = 1_000;
  private static final String DEFAULT_QUEUE = "commands";
  private static final int MAX_CAPABILITIES = 100;
  private static final int MAX_METRICS_BYTES = 16 * 1024;
  private static final int MAX_PATH = 4_096;
  private static final int MAX_REASON = 500;
  private static final int MAX_ERROR = 64 * 1024;
  private static final int MAX_SLOTS = 10_000;
  private static final long MAX_WAIT_MS = 60_000;

  private Requests() {}

  static Command.Submit submit(UUID jobId, Call call, FleetContract.Settings settings) {
    Fields fields = Fields.of(call.body());
    CommandPayload command = CommandPayload.of(fields);
    if (command == null) {
      throw Refusal.invalid("command", "is missing; it must be a string");
    }
    SortedSet<String> requirements = Submissions.requirements(fields);
    if (fields.bool("needs_gpu", false)) {
      requirements.add(Words.GPU);
    }
    Command.Submit.Draft draft =
        new Command.Submit.Draft(
            Objects.requireNonNullElse(fields.filledString("queue"), DEFAULT_QUEUE),
            new Needs(true, requirements),
            Submissions.priority(fields),
            Submissions.scheduledAt(fields),
            Times.NEVER,
            0,
            RetryPolicy.atOnce(Submissions.maxAttempts(fields)),
            new LeasePolicy(0, 0, 0, settings.reconcileIntervalMs()));
    JobContent content =
        new JobContent(
            "fleet",
            null,
            Submissions.payload("args", command.addTo(new JsonWriter()).toJson()),
            Submissions.metadata(fields),
            Scope.NONE,
            null);
    return new Command.Submit(jobId, draft, content, Submissions.key(call), settings.maxQueued());
  }

  static Command.Register register(Fields fields, long silenceMs) {
    String nonce = fields.filledString("nonce");
    return new Command.Register(
        fields.string("worker_id"),
        new Skills(
            true, Set.copyOf(fields.optionalStrings("worker_capabilities", MAX_CAPABILITIES))),
        (int) fields.integer("slots", 1, 1, MAX_SLOTS),
        nonce == null ? null : Digests.sha256(nonce),
        silenceMs);
  }

  static String workerId(Call call) {
    String workerId = call.queryString("worker_id");
    if (workerId == null) {
      throw Refusal.invalid("worker_id", "is missing; it must be in the query");
    }
    return workerId;
  }

  static Command.Claim claim(Call call, String workerId, Skills skills, Command.Claim.Terms terms) {
    String queue = Objects.requireNonNullElse(call.queryString("queue"), DEFAULT_QUEUE);
    return new Command.Claim(
        workerId, List.of(queue), skills, true, call.queryString("claim_id"), terms);
  }

  static long waitMs(Call call) {
    return Math.min(call.queryInteger("wait_ms", 0, 0, Long.MAX_VALUE), MAX_WAIT_MS);
  }

  /** What is no UUID names no job, and is answered like any other unknown one. */
  static UUID jobId(Fields fields) {
    return Uuids.parseOrNothing(fields.string("job_id"));
  }

  static UUID jobId(Call call) {
    return Uuids.parseOrNothing(call.path("id"));
  }

  private static Proof proof(Fields fields, String workerId) {
    return new Proof(
        workerId, Uuids.parseOrNothing(fields.string("assignment_id")), null, null, null);
  }

  static Command.Start ack(Fields fields) {
    return new Command.Start(jobId(fields), proof(fields, fields.string("worker_id")));
  }

  static Command.Release release(Fields fields) {
    return new Command.Release(jobId(fields), proof(fields, fields.string("worker_id")));
  }

  static Command.Complete complete(Fields fields, String workerId) {
    for (String field : List.of("artifact_id", "stdout_path", "stderr_path")) {
      if (fields.filledText(field, MAX_PATH) == null) {
        throw Refusal.invalid(field, "is missing; a completion must name its artifacts");
      }
    }
    return new Command.Complete(
        jobId(fields),
        proof(fields, workerId),
        artifacts(new JsonWriter(), fields, true).toJson(),
        metrics(fields));
  }

  static Command.Fail fail(Fields fields, String workerId) {
    String reason = fields.reportedWords("error", MAX_REASON);
    JsonWriter error = new JsonWriter().add("message", fields.optionalReport("error", MAX_ERROR));
    return new Command.Fail(
        jobId(fields),
        proof(fields, workerId),
        fields.bool("retryable", false),
        Objects.requireNonNullElse(reason, "failed"),
        artifacts(error, fields, false).toJson(),
        metrics(fields));
  }

  /** What a worker says of the files it wrote. */
  private static JsonWriter artifacts(JsonWriter said, Fields fields, boolean required) {
    said.addNumber("exit_code", exitCode(fields));
    said.add("artifact_id", fields.filledText("artifact_id", MAX_PATH));
    for (String stream : List.of("stdout", "stderr")) {
      String path = fields.filledText(stream + "_path", MAX_PATH);
      String tmpPath = fields.filledText(stream + "_tmp_path", MAX_PATH);
      boolean isNamedWell = path != null && (path + ".tmp").equals(tmpPath);
      if (!isNamedWell && (required || tmpPath != null)) {
        throw Refusal.invalid(stream + "_tmp_path", "must be " + stream + "_path with .tmp after");
      }
      said.add(stream + "_tmp_path", tmpPath)
          .add(stream + "_path", path)
          .add(stream + "_sha256", fields.filledString(stream + "_sha256"));
    }
    said.add("result_path", fields.filledText("result_path", MAX_PATH));
    long seq = fields.integer("completion_seq", -1, 0, Long.MAX_VALUE);
    return said.addNumber("completion_seq", seq < 0 ? null : Long.valueOf(seq));
  }

  /** On some systems it has no sign and 32 bits. */
  private static @Nullable Long exitCode(Fields fields) {
    return fields.json("exit_code") == null
        ? null
        : Long.valueOf(fields.integer("exit_code", 0, Integer.MIN_VALUE, 0xFFFF_FFFFL));
  }

  private static @Nullable String metrics(Fields fields) {
    String metrics = fields.optionalObjectJson("metrics");
    return metrics == null ? null : Submissions.bounded("metrics", metrics, MAX_METRICS_BYTES);
  }

  /** A number of 0 is none: nothing could be older. */
  static Command.Beat beat(Fields fields, long silenceMs) {
    long seq = fields.integer("seq", 0, 0, Long.MAX_VALUE);
    return new Command.Beat(
        fields.string("worker_id"),
        seq == 0 ? null : Long.valueOf(seq),
        metrics(fields),
        silenceMs,
        false);
  }

  /** The jobs that a worker says it runs, by the names it gave. */
  static Set<String> running(Fields fields) {
    Set<String> running = new LinkedHashSet<>();
    String one = fields.filledString("current_job_id");
    if (one != null) {
      running.add(one);
    }
    running.addAll(fields.optionalStrings("current_job_ids", MAX_JOBS));
    return running;
  }

  /** What a worker kept while it could not say it: each as it would have been said at the time. */
  static Command.Report<Outcome.OfReport> kept(Fields completed, String workerId) {
    return switch (completed.string("status")) {
      case "COMPLETED" -> complete(completed, workerId);
      case "FAILED" -> fail(completed, workerId);
      default -> throw Refusal.invalid("status", "must be COMPLETED or FAILED");
    };
  }

  static String reason(Fields fields) {
    return Objects.requireNonNullElse(fields.optionalWords("reason", MAX_REASON), "aborted");
  }

  static Store.JobFilter jobFilter(Call call) {
    String status = call.queryString("status");
    return new Store.JobFilter(
        status == null ? Set.of() : Set.of(Words.state(status)),
        call.queryString("queue"),
        call.queryString("task"),
        call.queryString("worker_id"),
        call.queryInteger("since", 0, 0, Submissions.END_OF_TIME_SECONDS) * 1_000,
        until(call),
        call.queryString("text"));
  }

  /** To the end of the second. */
  private static long until(Call call) {
    long seconds = call.queryInteger("until", -1, 0, Submissions.END_OF_TIME_SECONDS);
    return seconds < 0 ? Times.NEVER : seconds * 1_000 + 999;
  }

  static @Nullable UUID before(Call call) {
    String cursor = call.queryString("cursor");
    UUID before = cursor == null ? null : Uuids.parse(cursor);
    if (cursor != null && before == null) {
      throw Refusal.invalid("cursor", "must be the next_cursor of an answer");
    }
    return before;
  }

  static Store.EventFilter eventFilter(Call call) {
    String job = call.queryString("job_id");
    String event = call.queryString("event");
    String component = call.queryString("component");
    return new Store.EventFilter(
        job == null ? null : Uuids.parseOrNothing(job),
        call.queryString("worker_id"),
        event == null ? null : Words.eventType(event),
        component == null ? null : Boolean.valueOf(Words.isTime(component)));
  }
}
