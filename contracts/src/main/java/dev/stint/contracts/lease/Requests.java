package dev.stint.contracts.lease;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.Progress;
import dev.stint.engine.Proof;
import dev.stint.engine.Skills;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Bodies of this contract as commands. */
final class Requests {
  static final long MAX_WAIT_MS = 60_000;
  private static final int MAX_STREAMS = 100;
  private static final int MAX_CAPABILITIES = 100;
  private static final int MAX_MESSAGE = 2_000;
  private static final int MAX_REASON = 200;
  private static final int MAX_OUTPUT_BYTES = 64 * 1024;

  private Requests() {}

  static Command.Claim claim(Fields fields, Command.Claim.Terms terms) {
    return new Command.Claim(
        fields.string("worker_id"),
        fields.strings("streams", MAX_STREAMS),
        new Skills(false, Set.copyOf(fields.optionalStrings("capabilities", MAX_CAPABILITIES))),
        false,
        fields.optionalString("claim_id"),
        terms);
  }

  static long maxWaitMs(Fields fields) {
    return Math.min(fields.integer("max_wait_ms", 0, 0, Long.MAX_VALUE), MAX_WAIT_MS);
  }

  /** What is no UUID names no job, and is answered like any other unknown one. */
  static UUID jobId(Fields fields) {
    return Objects.requireNonNullElse(Uuids.parse(fields.string("job_id")), Uuids.OF_NOTHING);
  }

  static Command.Heartbeat heartbeat(UUID jobId, Fields fields) {
    String attemptId = fields.optionalString("attempt_id");
    Proof proof =
        new Proof(
            fields.string("worker_id"),
            attemptId == null ? null : attemptId(attemptId),
            fields.string("lease_token"),
            null,
            null);
    Progress progress =
        new Progress(
            fields.optionalInteger("progress", 0, 100),
            fields.optionalWords("message", MAX_MESSAGE),
            null);
    return new Command.Heartbeat(jobId, proof, progress);
  }

  static Command.Complete complete(UUID jobId, Fields fields) {
    return new Command.Complete(jobId, fullProof(fields), fields.json("result"), null);
  }

  static Command.Fail fail(UUID jobId, Fields fields) {
    Fields error = fields.object("error");
    String code = error.optionalWords("code", MAX_REASON);
    String message = error.optionalWords("message", MAX_REASON);
    error.optionalWords("stack", 1);
    String reason = code != null ? code : Objects.requireNonNullElse(message, "failed");
    return new Command.Fail(
        jobId,
        fullProof(fields),
        error.bool("retryable", false),
        reason,
        fields.objectJson("error"),
        null);
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
    Proof proof =
        new Proof(
            worker,
            attemptId(fields.string("attempt_id")),
            fields.string("lease_token"),
            null,
            null);
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
    return new Command.Output(jobId(fields), proof, offset, data, maxBytes);
  }

  private static Proof fullProof(Fields fields) {
    return new Proof(
        fields.string("worker_id"),
        attemptId(fields.string("attempt_id")),
        fields.string("lease_token"),
        null,
        null);
  }

  /** What is no UUID fits no attempt, and is answered like any other wrong one. */
  private static UUID attemptId(String given) {
    return Objects.requireNonNullElse(Uuids.parse(given), Uuids.OF_NOTHING);
  }
}
