package dev.stint.contracts.workerapi;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Attempt;
import dev.stint.engine.Cancel;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.engine.Worker;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Outcomes, tasks and workers as this contract shows them. Times are ISO 8601. */
final class Replies {
  private Replies() {}

  static Reply submitted(int status, Job job) {
    return Reply.json(
        status,
        new JsonWriter().add("task_id", job.id().toString()).add("status", Words.status(job)));
  }

  static Reply claimed(Outcome.Claimed claimed) {
    Job job = claimed.job();
    JsonWriter body =
        new JsonWriter()
            .add("task_id", job.id().toString())
            .addJson("payload", claimed.content().payload())
            .add("created_at", time(job.spec().createdAt()))
            .addJson("eta", eta(claimed.content()))
            .add("attempt", claimed.lease().attempt())
            .add("fence", claimed.lease().fence());
    withTask(body, claimed.content());
    return Reply.json(200, withCancel(body, job.cancel()));
  }

  /** A job that came by another contract may need its task's name to be done at all. */
  private static JsonWriter withTask(JsonWriter body, JobContent content) {
    return content.task() == null ? body : body.add("task", content.task());
  }

  private static @Nullable String eta(JobContent content) {
    Fields attributes =
        content.contract().equals("worker-api") ? Fields.ofKept(content.attributes()) : null;
    return attributes == null ? null : attributes.json("eta");
  }

  static Reply updated(Job job) {
    JsonWriter body =
        new JsonWriter()
            .add("message", "Status updated")
            .add("task_id", job.id().toString())
            .add("status", Words.status(job));
    return Reply.json(200, withCancel(body, job.cancel()));
  }

  private static JsonWriter withCancel(JsonWriter body, @Nullable Cancel cancel) {
    return cancel == null ? body : body.add("cancel", true).add("cancel_reason", cancel.reason());
  }

  static Reply ended(String message, Outcome.Settled settled) {
    return Reply.json(
        200, new JsonWriter().add("message", message).add("task_id", settled.jobId().toString()));
  }

  static Reply heard(String workerId, List<Job> held, boolean isDraining) {
    JsonWriter body =
        new JsonWriter().add("message", "Heartbeat received").add("worker_id", workerId);
    List<String> cancelled =
        held.stream().filter(job -> job.cancel() != null).map(job -> job.id().toString()).toList();
    if (isDraining) {
      body.add("drain", true);
    }
    return Reply.json(200, cancelled.isEmpty() ? body : body.add("cancel", cancelled));
  }

  static JsonWriter task(Store.JobView view) {
    Job job = view.job();
    Attempt last = view.last();
    long startedAt = startedAt(view);
    long completedAt = completedAt(view);
    JsonWriter body =
        new JsonWriter()
            .add("task_id", job.id().toString())
            .add("status", Words.status(job))
            .addJson("payload", view.content().payload())
            .add("created_at", time(job.spec().createdAt()))
            .add("started_at", startedAt == 0 ? null : time(startedAt))
            .add("completed_at", completedAt == 0 ? null : time(completedAt))
            .add("retries", job.failures())
            .add("traceback", traceback(view))
            .add("worker_id", workerId(view))
            .addJson(
                "result", job.state() == JobState.COMPLETED && last != null ? last.result() : null)
            .addJson("eta", eta(view.content()))
            .add("queue", job.spec().queue())
            .addJson("metadata", view.content().metadata())
            .addNumber("progress", job.progress().percent());
    return withTask(body, view.content());
  }

  /** When its newest attempt began, or 0. */
  static long startedAt(Store.JobView view) {
    Lease lease = view.job().lease();
    Attempt last = view.last();
    return lease != null ? lease.startedAt() : last == null ? 0 : last.startedAt();
  }

  /** When it ended, or 0. */
  static long completedAt(Store.JobView view) {
    return view.job().state().isTerminal() ? view.job().updatedAt() : 0;
  }

  /** Who has it, or had it last. */
  static @Nullable String workerId(Store.JobView view) {
    Lease lease = view.job().lease();
    Attempt last = view.last();
    return lease != null ? lease.workerId() : last == null ? null : last.workerId();
  }

  /** What went wrong, as its worker told it, or else why it is where it is. */
  static @Nullable String traceback(Store.JobView view) {
    if (view.job().state() == JobState.COMPLETED) {
      return null;
    }
    Attempt failure = view.failure();
    Fields error = failure == null ? null : Fields.ofKept(failure.error());
    if (error == null) {
      return view.job().reason();
    }
    String said =
        Stream.of("message", "stack", "stackTrace")
            .map(error::textOrNull)
            .filter(Objects::nonNull)
            .collect(Collectors.joining("\n"));
    return said.isEmpty() ? view.job().reason() : said;
  }

  static Reply enrolled(Worker worker, String token) {
    return Reply.json(201, new JsonWriter().add("worker_id", worker.id()).add("token", token));
  }

  static JsonWriter worker(Worker worker, long now) {
    return new JsonWriter()
        .add("worker_id", worker.id())
        .add("name", worker.name())
        .add("registered_at", time(Math.max(worker.registeredAt(), worker.firstSeen())))
        .add("last_active", time(worker.lastSeen()))
        .add("active", worker.isThere(now));
  }

  /** The six figures, from what is kept with each commit. */
  static JsonWriter stats(
      String queue,
      Map<Store.TallyKey, Long> tally,
      Map<String, Long> completedPerMinute,
      long activeWorkers) {
    long total = 0;
    for (JobState state : JobState.values()) {
      total += count(tally, queue, state);
    }
    long failed = count(tally, queue, JobState.FAILED);
    double errorRate = total == 0 ? 0 : Math.round(10_000.0 * failed / total) / 10_000.0;
    return new JsonWriter()
        .add(
            "pending",
            count(tally, queue, JobState.PENDING) + count(tally, queue, JobState.RETRYING))
        .add(
            "processing",
            count(tally, queue, JobState.ASSIGNED)
                + count(tally, queue, JobState.RUNNING)
                + count(tally, queue, JobState.LOST))
        .add("failed", failed)
        .add("active_workers", activeWorkers)
        .add("throughput_per_min", completedPerMinute.getOrDefault(queue, 0L))
        .addNumber("error_rate", errorRate);
  }

  private static long count(Map<Store.TallyKey, Long> tally, String queue, JobState state) {
    return tally.getOrDefault(new Store.TallyKey(queue, state), 0L);
  }

  static String time(long millis) {
    return Instant.ofEpochMilli(millis).toString();
  }
}
