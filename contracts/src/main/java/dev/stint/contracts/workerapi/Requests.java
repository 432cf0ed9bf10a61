package dev.stint.contracts.workerapi;

import dev.stint.contracts.Access;
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
import dev.stint.engine.Progress;
import dev.stint.engine.Proof;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Scope;
import dev.stint.engine.Skills;
import dev.stint.engine.Times;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Calls of this contract as commands. */
final class Requests {
  static final String DEFAULT_QUEUE = "tasks";
  static final long MAX_WAIT_MS = 60_000;
  private static final int MAX_LOSSES = 3;
  private static final int MAX_RETRIES = 999;
  private static final int MAX_REASON = 500;
  private static final int MAX_ERROR = 64 * 1024;
  private static final int MAX_MESSAGE = 2_000;
  private static final int MAX_CAPABILITIES = 100;

  private Requests() {}

  static Command.Submit submit(UUID jobId, Call call, long maxQueued) {
    Fields fields = Fields.of(call.body());
    String payload = Submissions.payload("payload", fields.objectJson("payload"));
    int retries = (int) fields.integer("max_retries", 0, 0, MAX_RETRIES);
    RetryPolicy backoff = RetryPolicy.attempts(1 + retries);
    Command.Submit.Draft draft =
        new Command.Submit.Draft(
            Submissions.queue(fields, DEFAULT_QUEUE),
            new Needs(Submissions.isCommand(payload), Submissions.requirements(fields)),
            Submissions.priority(fields),
            Submissions.scheduledAt(fields),
            Times.NEVER,
            0,
            new RetryPolicy(
                1 + retries, MAX_LOSSES, backoff.backoffInitialMs(), backoff.backoffCapMs()),
            LeasePolicy.OF_THE_CLAIMER);
    long eta = fields.integer("eta", -1, 0, Integer.MAX_VALUE);
    String attributes =
        new JsonWriter().addNumber("eta", eta < 0 ? null : Long.valueOf(eta)).toJson();
    JobContent content =
        new JobContent(
            "worker-api", null, payload, Submissions.metadata(fields), Scope.NONE, attributes);
    return new Command.Submit(jobId, draft, content, Submissions.key(call), maxQueued);
  }

  /** The worker that calls; an admin, who is none, says which one is meant. */
  static String worker(Call call) {
    String subject = call.caller().subject();
    if (call.caller().role() == Access.Role.WORKER && subject != null) {
      return subject;
    }
    String named = call.header("X-Worker-Id");
    if (named == null || named.isBlank() || named.length() > 200) {
      throw Refusal.invalid(
          "X-Worker-Id", "must name the worker, as this credential is not a worker's own");
    }
    return named;
  }

  static Command.Claim claim(Call call, Command.Claim.Terms terms) {
    String queue = Objects.requireNonNullElse(call.queryString("queue"), DEFAULT_QUEUE);
    Skills skills =
        new Skills(false, Set.copyOf(call.queryStrings("capabilities", MAX_CAPABILITIES)));
    return new Command.Claim(
        worker(call), List.of(queue), skills, false, call.queryString("claim_id"), terms);
  }

  static long waitMs(Call call) {
    return Math.min(call.queryInteger("wait_ms", 0, 0, Long.MAX_VALUE), MAX_WAIT_MS);
  }

  /** What is no UUID names no task, and is answered like any other unknown one. */
  static UUID taskId(Call call) {
    return Uuids.parseOrNothing(call.path("id"));
  }

  /**
   * The worker is proof enough; who was told its fence may add it, and is then safe from itself.
   */
  private static Proof proof(Call call, Fields fields) {
    long fence = fields.integer("fence", 0, 1, Long.MAX_VALUE);
    return new Proof(worker(call), null, null, null, fence == 0 ? null : Long.valueOf(fence));
  }

  static Command.Heartbeat status(Call call, Fields fields) {
    Progress progress =
        new Progress(
            fields.optionalPercent("progress"),
            fields.reportedWords("message", MAX_MESSAGE),
            Words.progress(fields.string("status")));
    return new Command.Heartbeat(taskId(call), proof(call, fields), progress);
  }

  static Command.Complete complete(Call call, Fields fields) {
    return new Command.Complete(taskId(call), proof(call, fields), fields.json("result"), null);
  }

  static Command.Fail fail(Call call, Fields fields) {
    String error = Objects.requireNonNullElse(fields.optionalReport("error", MAX_ERROR), "failed");
    String reason = Objects.requireNonNullElse(fields.reportedWords("error", MAX_REASON), "failed");
    String json = new JsonWriter().add("message", error).toJson();
    return new Command.Fail(taskId(call), proof(call, fields), true, reason, json, null);
  }
}
