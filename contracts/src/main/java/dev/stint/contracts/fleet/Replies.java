package dev.stint.contracts.fleet;

import dev.stint.contracts.CommandPayload;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.JobSpec;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.engine.Worker;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Outcomes, jobs, workers and events as this contract shows them. Times are Unix seconds. */
final class Replies {
  private static final CommandPayload NO_COMMAND = new CommandPayload("", List.of(), null, 0);

  private Replies() {}

  static Reply submitted(int status, Job job) {
    return Reply.json(
        status,
        new JsonWriter()
            .add("job_id", job.id().toString())
            .add("status", Words.status(job.state())));
  }

  static Reply assigned(Outcome.Claimed claimed) {
    Job job = claimed.job();
    Lease lease = claimed.lease();
    CommandPayload command = CommandPayload.ofKept(claimed.content().payload());
    JsonWriter body = new JsonWriter().add("job_id", job.id().toString());
    (command == null ? NO_COMMAND : command).addTo(body);
    body.add("status", Words.status(job.state()))
        .add("priority", job.spec().priority())
        .add("assignment_id", lease.attemptId().toString())
        .add("assignment_expires_at", lease.until() / 1_000)
        .add("attempt_count", job.attempts())
        .add("max_attempts", job.spec().retry().maxAttempts())
        .add("attempt", lease.attempt())
        .add("fence", lease.fence())
        .add("queue", job.spec().queue());
    return Reply.json(200, withCancel(body, job));
  }

  static Reply registered(Worker worker, long heartbeatTimeoutMs) {
    return Reply.json(
        200,
        new JsonWriter()
            .add("ok", true)
            .add("worker_id", worker.id())
            .add("status", "ONLINE")
            .add("registered_at", worker.registeredAt() / 1_000)
            .addSeconds("heartbeat_timeout_seconds", heartbeatTimeoutMs));
  }

  static Reply running(Job job) {
    JsonWriter body =
        new JsonWriter()
            .add("ok", true)
            .add("job_id", job.id().toString())
            .add("status", Words.status(job.state()));
    return Reply.json(200, withCancel(body, job));
  }

  static Reply reported(UUID jobId, JobState state, boolean applied) {
    return Reply.json(
        200,
        new JsonWriter()
            .add("ok", true)
            .add("applied", applied)
            .add("job_id", jobId.toString())
            .add("status", Words.status(state)));
  }

  /**
   * Whether a worker still has what it says it runs: the first of them alone, and all. What it is
   * to stop is told also if it did not name it.
   */
  static JsonWriter running(JsonWriter body, String all, Iterable<String> named, List<Job> held) {
    List<JsonWriter> jobs = new ArrayList<>();
    List<Job> unnamed = new ArrayList<>(held);
    for (String name : named) {
      Job job =
          held.stream()
              .filter(h -> h.id().toString().equalsIgnoreCase(name))
              .findFirst()
              .orElse(null);
      JsonWriter one =
          new JsonWriter().add("job_id", name).add("action", job == null ? "abandon" : "continue");
      jobs.add(job == null ? one : withCancel(one, job));
      unnamed.remove(job);
    }
    for (Job job : unnamed) {
      if (job.cancel() != null) {
        String id = job.id().toString();
        jobs.add(withCancel(new JsonWriter().add("job_id", id).add("action", "continue"), job));
      }
    }
    return body.addJson("current_job", jobs.isEmpty() ? null : jobs.getFirst().toJson())
        .addObjects(all, jobs);
  }

  private static JsonWriter withCancel(JsonWriter body, Job job) {
    return job.cancel() == null
        ? body
        : body.add("cancel", true).add("cancel_reason", job.cancel().reason());
  }

  static Reply aborted(List<UUID> jobIds) {
    return Reply.json(
        200,
        new JsonWriter()
            .add("ok", true)
            .add("aborted", jobIds.stream().map(UUID::toString).toList()));
  }

  static JsonWriter job(Store.JobView view, long now) {
    Job job = view.job();
    JobSpec spec = job.spec();
    JsonWriter body =
        new JsonWriter()
            .add("job_id", job.id().toString())
            .add("status", Words.status(job.state()));
    command(body, view);
    SortedSet<String> requirements = spec.needs().requirements();
    boolean isScheduled = spec.notBefore() > spec.createdAt();
    body.add("priority", spec.priority())
        .add("scheduled_at", isScheduled ? spec.notBefore() / 1_000 : 0)
        .add("needs_gpu", requirements.contains(Words.GPU))
        .add("requirements", requirements)
        .add("created_at", spec.createdAt() / 1_000)
        .add("updated_at", job.updatedAt() / 1_000)
        .add("attempt_count", job.attempts())
        .add("max_attempts", spec.retry().maxAttempts());
    assignment(body, view, now);
    outcome(body, view);
    Integer percent = job.progress().percent();
    return body.add("queue", spec.queue())
        .addJson("metadata", view.content().metadata())
        .addNumber("progress", percent)
        .add("message", job.progress().message())
        .add("cancel_requested", job.cancel() != null && !job.state().isTerminal())
        .addNumber("fence", fence(view));
  }

  /** Of the attempt that has it, or had it last. */
  private static @Nullable Long fence(Store.JobView view) {
    Lease lease = view.job().lease();
    if (lease != null) {
      return lease.fence();
    }
    return view.last() == null ? null : (Long) view.last().fence();
  }

  private static void command(JsonWriter body, Store.JobView view) {
    CommandPayload command =
        view.job().spec().needs().command()
            ? CommandPayload.ofKept(view.content().payload())
            : null;
    if (command != null) {
      command.addTo(body);
    } else {
      body.addJson("command", null)
          .addJson("args", null)
          .addJson("working_dir", null)
          .addJson("timeout_ms", null);
    }
  }

  private static void assignment(JsonWriter body, Store.JobView view, long now) {
    Job job = view.job();
    Lease lease = job.lease();
    body.add("worker_id", worker(view));
    if (lease == null) {
      body.add("assignment_id", (String) null)
          .addNumber("assignment_expires_at", null)
          .addNumber("heartbeat_age_seconds", null);
      return;
    }
    boolean isAssigned = job.state() == JobState.ASSIGNED;
    // A running lease was last extended one TTL before it ends.
    long heardAt = isAssigned ? lease.claimedAt() : lease.until() - lease.ttlMs();
    body.add("assignment_id", lease.attemptId().toString())
        .addNumber("assignment_expires_at", isAssigned ? lease.until() / 1_000 : null)
        .add("heartbeat_age_seconds", Math.max(0, now - heardAt) / 1_000);
  }

  /** Who has it, or had it when it ended; an aborted or waiting job belongs to nobody. */
  private static @Nullable String worker(Store.JobView view) {
    Lease lease = view.job().lease();
    if (lease != null) {
      return lease.workerId();
    }
    return switch (view.job().state()) {
      case COMPLETED, FAILED, LOST -> view.last() == null ? null : view.last().workerId();
      case PENDING, ASSIGNED, RUNNING, RETRYING, ABORTED -> null;
    };
  }

  private static void outcome(JsonWriter body, Store.JobView view) {
    Attempt last = view.last();
    Fields said = null;
    if (last != null) {
      said =
          switch (last.end()) {
            case COMPLETED -> Fields.ofKept(last.result());
            case FAILED -> Fields.ofKept(last.error());
            case STOPPED, LOST, EXPIRED, RELEASED, REVOKED -> null;
          };
    }
    String message = view.failure() == null ? null : kept(said, "message");
    boolean isFailure = view.job().state() != JobState.COMPLETED;
    String reason = view.job().reason();
    body.add("last_error", isFailure && reason != null && message != null ? message : reason)
        .add("result_path", kept(said, "result_path"))
        .add("artifact_id", kept(said, "artifact_id"));
    for (String stream : List.of("stdout", "stderr")) {
      for (String part : List.of("_tmp_path", "_path", "_sha256")) {
        body.add("artifact_" + stream + part, kept(said, stream + part));
      }
    }
    body.addJson("exit_code", said == null ? null : said.json("exit_code"))
        .add("updated_by", isByWorker(view) ? worker(view) : "control");
  }

  /** A field as it was kept, if another contract did not put something else there. */
  private static @Nullable String kept(@Nullable Fields said, String name) {
    return said == null ? null : said.textOrNull(name);
  }

  private static boolean isByWorker(Store.JobView view) {
    Attempt last = view.last();
    return switch (view.job().state()) {
      case ASSIGNED, RUNNING, COMPLETED -> true;
      case FAILED -> last != null && last.end() == Attempt.End.FAILED;
      case PENDING, LOST, RETRYING, ABORTED -> false;
    };
  }

  static JsonWriter worker(Store.WorkerView view, long now) {
    Worker worker = view.worker();
    List<String> holds = view.holds().stream().map(UUID::toString).toList();
    return new JsonWriter()
        .add("worker_id", worker.id())
        .add("status", worker.isThere(now) ? "ONLINE" : "OFFLINE")
        .add("draining", worker.draining())
        .add("last_seen", worker.lastSeen() / 1_000)
        .add("heartbeat_age_seconds", Math.max(0, now - worker.lastSeen()) / 1_000)
        .add("current_job_id", holds.isEmpty() ? null : holds.getFirst())
        .add("current_job_ids", holds)
        .addNumber(
            "registered_at", worker.registeredAt() == 0 ? null : worker.registeredAt() / 1_000)
        .add("worker_capabilities", worker.skills().capabilities().stream().sorted().toList())
        .add("slots", worker.slots())
        .addJson("heartbeat_metrics", worker.metrics());
  }

  static JsonWriter event(Event event) {
    JsonWriter details = new JsonWriter();
    if (event.to() != null) {
      details
          .add("from", event.from() == null ? null : Words.status(event.from()))
          .add("to", Words.status(event.to()))
          .add("fence", event.fence());
    }
    details.add("reason", event.reason());
    if (event.data() != null) {
      details.addJson("data", event.data());
    }
    UUID jobId = event.jobId();
    return new JsonWriter()
        .add("id", event.seq())
        .add("ts", event.at() / 1_000)
        .add("component", Words.component(event))
        .add("level", Words.level(event.type()))
        .add("event", event.type().word())
        .add("request_id", event.requestId())
        .add("worker_id", event.workerId())
        .add("job_id", jobId == null ? null : jobId.toString())
        .addJson("details", details.toJson());
  }
}
