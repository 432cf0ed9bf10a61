package dev.stint.contracts.callback;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.TokenIssuer.TaskToken;
import dev.stint.engine.Attempt;
import dev.stint.engine.Cancel;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Outcome;
import dev.stint.engine.Scope;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Outcomes, tasks and events as this contract shows them. Times are ISO 8601. */
final class Replies {
  private Replies() {}

  static Reply submitted(int status, Job job) {
    return Reply.json(status, state(job));
  }

  static Reply cancelled(Job job) {
    return Reply.json(202, state(job));
  }

  private static JsonWriter state(Job job) {
    return new JsonWriter()
        .add("taskId", job.id().toString())
        .add("state", Words.state(job.state()));
  }

  /** All that a worker needs to run the task and to report on it. */
  static JsonWriter envelope(
      Outcome.Claimed claimed, CallbackContract.Settings settings, TaskToken token) {
    Job job = claimed.job();
    Lease lease = claimed.lease();
    JsonWriter body = task(new JsonWriter(), job, claimed.content(), lease.attempt(), true);
    if (claimed.content().task() != null) {
      // A job that came by another contract may need its task's name to be done at all.
      body.add("task", claimed.content().task());
    }
    body.addJson("payload", claimed.content().payload())
        .add("callbackBaseUrl", settings.callbackBaseUrl().get())
        .add("taskToken", token.token())
        .add("tokenExpiresAt", token.expiresAt().toString())
        .add("heartbeatIntervalMs", lease.heartbeatIntervalMs())
        .add("heartbeatTimeoutMs", lease.ttlMs())
        .add("cancelGracePeriodMs", graceMs(job.spec().lease(), settings));
    return job.cancel() == null ? body : withCancel(body, job.cancel());
  }

  /**
   * The fields that say which task it is, in the document's order.
   *
   * @param isForWorker whose types, by the document, have no null where nothing was given
   */
  private static JsonWriter task(
      JsonWriter body, Job job, JobContent content, int attempt, boolean isForWorker) {
    JobSpec spec = job.spec();
    Scope scope = content.scope();
    Fields own = own(content);
    String noText = isForWorker ? "" : null;
    String noName = isForWorker ? "\"\"" : null;
    return body.add("taskId", job.id().toString())
        .add("runId", scope.run() == null ? noText : scope.run())
        .addJson("assetId", json(own, "assetId", noName))
        .addJson("taskKey", json(own, "taskKey", noName))
        .add("tenantId", scope.tenant() == null ? noText : scope.tenant())
        .add("workspaceId", scope.workspace() == null ? noText : scope.workspace())
        .add("attempt", attempt)
        .addJson("resources", json(own, "resources", isForWorker ? "{}" : null))
        .add("enqueuedAt", time(spec.createdAt()))
        .add("deadline", spec.deadlineAt() == Times.NEVER ? null : time(spec.deadlineAt()));
  }

  private static @Nullable String json(@Nullable Fields own, String name, @Nullable String absent) {
    String given = own == null ? null : own.json(name);
    return given == null ? absent : given;
  }

  /** What only this contract knows of a task; null for jobs that came by another. */
  static @Nullable Fields own(JobContent content) {
    return content.contract().equals(Words.CONTRACT) ? Fields.ofKept(content.attributes()) : null;
  }

  /** A job of a contract that has no time to stop of its own has the server's. */
  private static long graceMs(LeasePolicy policy, CallbackContract.Settings settings) {
    return policy.cancelGraceMs() > 0 ? policy.cancelGraceMs() : settings.cancelGraceMs();
  }

  static Reply started(Job job, long now) {
    JsonWriter body = new JsonWriter().add("acknowledged", true).add("serverTime", time(now));
    return Reply.json(200, job.cancel() == null ? body : withCancel(body, job.cancel()));
  }

  static Reply beaten(Job job, @Nullable TaskToken renewed, long now) {
    JsonWriter body = withCancel(new JsonWriter().add("acknowledged", true), job.cancel());
    if (renewed != null) {
      body.add("taskToken", renewed.token()).add("tokenExpiresAt", renewed.expiresAt().toString());
    }
    return Reply.json(200, body.add("serverTime", time(now)));
  }

  private static JsonWriter withCancel(JsonWriter body, @Nullable Cancel cancel) {
    body.add("shouldCancel", cancel != null);
    return cancel == null ? body : body.add("cancelReason", cancel.reason());
  }

  static Reply completed(Outcome.Settled settled, long now) {
    return Reply.json(
        200,
        new JsonWriter()
            .add("acknowledged", true)
            .add("finalState", Words.state(settled.next()))
            .add("serverTime", time(now)));
  }

  static JsonWriter view(
      Store.JobView view, CallbackContract.Settings settings, List<Attempt> attempts) {
    Job job = view.job();
    JobSpec spec = job.spec();
    LeasePolicy lease = spec.lease();
    Fields own = own(view.content());
    JsonWriter body = task(new JsonWriter(), job, view.content(), job.attempts(), false);
    body.addJson("payload", view.content().payload())
        .add("callbackBaseUrl", settings.callbackBaseUrl().get())
        .add("heartbeatIntervalMs", heartbeatIntervalMs(job))
        .add("heartbeatTimeoutMs", heartbeatTimeoutMs(job))
        .add("cancelGracePeriodMs", graceMs(lease, settings))
        .addJson("tokenTtlSeconds", own == null ? null : own.json("tokenTtlSeconds"))
        .add("maxAttempts", spec.retry().maxAttempts())
        .add("queue", spec.queue())
        .addJson("metadata", view.content().metadata())
        .addJson("dispatchUrl", own == null ? null : own.json("dispatchUrl"))
        .add("state", Words.state(job.state()))
        .add("reason", job.reason());
    outcome(body, view);
    return body.addObjects("attempts", attempts.stream().map(Replies::attempt).toList());
  }

  private static long heartbeatIntervalMs(Job job) {
    long own = job.spec().lease().heartbeatIntervalMs();
    return own > 0 ? own : Requests.DEFAULT_INTERVAL_MS;
  }

  private static long heartbeatTimeoutMs(Job job) {
    long own = job.spec().lease().leaseTtlMs();
    return own > 0 ? own : Requests.DEFAULT_TIMEOUT_MS;
  }

  private static void outcome(JsonWriter body, Store.JobView view) {
    Job job = view.job();
    Lease lease = job.lease();
    Attempt last = view.last();
    boolean isOver = job.state().isTerminal();
    Fields stopped =
        last != null && last.end() == Attempt.End.STOPPED ? Fields.ofKept(last.error()) : null;
    long startedAt = lease != null ? lease.startedAt() : last == null ? 0 : last.startedAt();
    Integer percent = job.progress().percent();
    Attempt failure = view.failure();
    body.addJson("error", failure == null ? null : failure.error())
        .addJson("output", job.state() == JobState.COMPLETED && last != null ? last.result() : null)
        .addJson("metrics", last == null ? null : last.metrics())
        .addNumber("progressPct", percent)
        .add("message", job.progress().message())
        .addJson(
            "cancelledDuringPhase", stopped == null ? null : stopped.json("cancelledDuringPhase"))
        .addJson("partialProgress", stopped == null ? null : stopped.json("partialProgress"))
        .add("shouldCancel", job.cancel() != null && !isOver)
        .add("cancelReason", job.cancel() == null ? null : job.cancel().reason())
        .add("workerId", lease != null ? lease.workerId() : last == null ? null : last.workerId())
        .add("createdAt", time(job.spec().createdAt()))
        .add("startedAt", startedAt == 0 ? null : time(startedAt))
        .add("lastHeartbeatAt", lastHeartbeatAt(job))
        .add("completedAt", isOver ? time(job.updatedAt()) : null);
  }

  /** A running lease was last extended one TTL before it ends. */
  private static @Nullable String lastHeartbeatAt(Job job) {
    Lease lease = job.lease();
    return lease == null || job.state() != JobState.RUNNING
        ? null
        : time(lease.until() - lease.ttlMs());
  }

  private static JsonWriter attempt(Attempt attempt) {
    return new JsonWriter()
        .add("attempt", attempt.attempt())
        .add("fence", attempt.fence())
        .add("workerId", attempt.workerId())
        .add("dispatchedAt", time(attempt.claimedAt()))
        .add("startedAt", attempt.startedAt() == 0 ? null : time(attempt.startedAt()))
        .add("endedAt", time(attempt.endedAt()))
        .add("end", attempt.end().name())
        .add("finalState", Words.state(attempt.next()))
        .addJson("error", attempt.end() == Attempt.End.FAILED ? attempt.error() : null)
        .addJson("metrics", attempt.metrics());
  }

  static JsonWriter event(Event event) {
    return new JsonWriter()
        .add("seq", event.seq())
        .add("at", time(event.at()))
        .add("event", event.type().word())
        .add("from", event.from() == null ? null : Words.state(event.from()))
        .add("to", event.to() == null ? null : Words.state(event.to()))
        .add("fence", event.fence())
        .add("workerId", event.workerId())
        .add("reason", event.reason())
        .addJson("data", event.data())
        .add("requestId", event.requestId());
  }

  private static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}
