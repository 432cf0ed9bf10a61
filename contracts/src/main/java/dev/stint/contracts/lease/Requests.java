package dev.stint.contracts.lease;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.Proof;
import dev.stint.engine.Skills;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Bodies of this contract as commands. */
final class Requests {
  static final long MAX_WAIT_MS = 60_000;
  static final int MAX_JOBS = 100;
  static final int MAX_REPORTS = 1_000;
  private static final int MAX_STREAMS = 100;
  private static final int MAX_CAPABILITIES = 100;
  private static final int MAX_MESSAGE = 2_000;
  private static final int MAX_REASON = 200;
  private static final int MAX_ERROR = 64 * 1024;
  private static final int MAX_ERROR_MESSAGE = 4 * 1024;
  private static final int MAX_ERROR_STACK = 24 * 1024;
  private static final int MAX_OUTPUT_BYTES = 64 * 1024;

  private Requests() {}

  static Command.Claim claim(String workerId, Fields fields, Command.Claim.Terms terms) {
    return new Command.Claim(
        workerId,
        fields.strings("streams", MAX_STREAMS),
        new Skills(false, Set.copyOf(fields.optionalStrings("capabilities", MAX_CAPABILITIES))),
        false,
        fields.optionalString("claim_id"),
        terms);
  }

  /** One claim for each job that is wanted; with a claim id, each has one of its own. */
  static List<Command.Claim> claims(String workerId, Fields fields, Command.Claim.Terms terms) {
    Command.Claim one = claim(workerId, fields, terms);
    long wanted = fields.integer("max_jobs", 1, 1, MAX_JOBS);
    String claimId = one.claimId();
    if (claimId == null) {
      return Collections.nCopies((int) wanted, one);
    }
    return LongStream.range(0, wanted).mapToObj(i -> one.withClaimId(claimId + "/" + i)).toList();
  }

  static long maxWaitMs(Fields fields) {
    return Math.min(fields.integer("max_wait_ms", 0, 0, Long.MAX_VALUE), MAX_WAIT_MS);
  }

  /** What is no UUID names no job, and is answered like any other unknown one. */
  static UUID jobId(Fields fields) {
    return Uuids.parseOrNothing(fields.string("job_id"));
  }

  static Command.Heartbeat heartbeat(UUID jobId, String workerId, Fields fields) {
    String attemptId = fields.optionalString("attempt_id");
    Proof proof =
        new Proof(
            workerId,
            attemptId == null ? null : attemptId(attemptId),
            fields.string("lease_token"),
            null,
            null);
    Progress progress =
        new Progress(
            fields.optionalPercent("progress"), fields.reportedWords("message", MAX_MESSAGE), null);
    return new Command.Heartbeat(jobId, proof, progress);
  }

  static Command.Complete complete(UUID jobId, String workerId, Fields fields) {
    return new Command.Complete(jobId, fullProof(workerId, fields), fields.json("result"), null);
  }

  /** A completion or, if there is an {@code error}, a failure. */
  static Command.Report<Outcome.OfReport> settlement(UUID jobId, String workerId, Fields fields) {
    if (fields.has("error") && !fields.has("result") && !isFailure(fields)) {
      throw Refusal.invalid("error", "must be a JSON object; a completion has `result`");
    }
    return isFailure(fields) ? fail(jobId, workerId, fields) : complete(jobId, workerId, fields);
  }

  static boolean isFailure(Fields fields) {
    return fields.json("error") != null;
  }

  static Command.Fail fail(UUID jobId, String workerId, Fields fields) {
    Fields error = fields.object("error");
    String code = error.reportedWords("code", MAX_REASON);
    String message = error.reportedWords("message", MAX_REASON);
    String reason = code != null ? code : Objects.requireNonNullElse(message, "failed");
    return new Command.Fail(
        jobId,
        fullProof(workerId, fields),
        error.bool("retryable", false),
        reason,
        errorJson(fields.objectJson("error"), error),
        null);
  }

  /** The error as it came. Of one that is too long what has a name here, and of that the begin. */
  private static String errorJson(String json, Fields error) {
    return json.length() <= MAX_ERROR
        ? json
        : new JsonWriter()
            .add("code", error.optionalReport("code", MAX_REASON))
            .add("message", error.optionalReport("message", MAX_ERROR_MESSAGE))
            .add("stack", error.optionalReport("stack", MAX_ERROR_STACK))
            .add("retryable", error.bool("retryable", false))
            .toJson();
  }

  /**
   * A part of the output. Its document names no worker, as attempt and token prove enough; one that
   * is named, or that the credential is for, has to be the right one all the same.
   */
  static Command.Output output(Call call, Fields fields, long maxBytes) {
    String named = fields.optionalString("worker_id");
    String worker =
        named != null || call.caller().role() != Access.Role.WORKER
            ? named
            : call.caller().subject();
    if (worker != null) {
      call.actingAs(worker);
    }
    String given = fields.optionalText("data", Integer.MAX_VALUE);
    if (given == null) {
      throw Refusal.invalid("data", "is missing; it must be a string");
    }
    String data = Submissions.bounded("data", given, MAX_OUTPUT_BYTES);
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(data)) {
      throw Refusal.invalid("data", "must not have half a surrogate pair");
    }
    long offset = fields.integer("offset", -1, 0, Long.MAX_VALUE);
    if (offset < 0) {
      throw Refusal.invalid("offset", "is missing; it must be a whole number");
    }
    return new Command.Output(jobId(fields), fullProof(worker, fields), offset, data, maxBytes);
  }

  private static Proof fullProof(@Nullable String workerId, Fields fields) {
    return new Proof(
        workerId, attemptId(fields.string("attempt_id")), fields.string("lease_token"), null, null);
  }

  /** What is no UUID fits no attempt, and is answered like any other wrong one. */
  private static UUID attemptId(String given) {
    return Uuids.parseOrNothing(given);
  }
}
