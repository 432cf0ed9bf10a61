package dev.stint.contracts.workerapi;

import dev.stint.contracts.JobJson;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import dev.stint.engine.Worker;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tasks and workers as this contract's keys in Redis have them, where all is text. */
public final class TaskRecord {
  /** The queue whose jobs the keys are about. */
  public static final String QUEUE = Requests.DEFAULT_QUEUE;

  /**
   * The field of {@code worker:{id}} that no other program's key of that name is likely to have.
   */
  public static final String WORKER_MARK = "jwt_hash";

  private TaskRecord() {}

  /** In which of the three lists a task is. */
  public enum Place {
    PENDING,
    PROCESSING,
    FAILED,
    NONE
  }

  public static Place place(JobState state) {
    return switch (state) {
      case PENDING, RETRYING -> Place.PENDING;
      case ASSIGNED, RUNNING, LOST -> Place.PROCESSING;
      case FAILED -> Place.FAILED;
      case COMPLETED, ABORTED -> Place.NONE;
    };
  }

  /** The time that goes with its place, in milliseconds: when it began, or when it failed. */
  public static long since(Store.JobView view) {
    Job job = view.job();
    return switch (place(job.state())) {
      case PROCESSING ->
          job.lease() == null
              ? Replies.startedAt(view)
              : Math.max(job.lease().claimedAt(), job.lease().startedAt());
      case FAILED -> Replies.completedAt(view);
      case PENDING, NONE -> 0;
    };
  }

  /** The fields of {@code task:{id}}, in the order of the document. */
  public static Map<String, String> hash(Store.JobView view) {
    Job job = view.job();
    Map<String, String> hash = new LinkedHashMap<>();
    hash.put("task_id", job.id().toString());
    hash.put("status", Words.status(job));
    hash.put("payload", view.content().payload());
    hash.put("created_at", Replies.time(job.spec().createdAt()));
    hash.put("started_at", timeOrEmpty(Replies.startedAt(view)));
    hash.put("completed_at", timeOrEmpty(Replies.completedAt(view)));
    hash.put("retries", Integer.toString(job.failures()));
    hash.put("traceback", textOrEmpty(Replies.traceback(view)));
    hash.put("worker_id", textOrEmpty(Replies.workerId(view)));
    hash.put("result", textOrEmpty(JobJson.result(view)));
    return hash;
  }

  /** The fields of {@code worker:{id}}, or none if the worker was not registered here. */
  public static Map<String, String> hash(Worker worker) {
    Map<String, String> hash = new LinkedHashMap<>();
    if (worker.tokenHash() != null && !worker.revoked()) {
      hash.put("worker_id", worker.id());
      hash.put("name", textOrEmpty(worker.name()));
      hash.put(WORKER_MARK, worker.tokenHash());
      hash.put("registered_at", Replies.time(Math.max(worker.registeredAt(), worker.firstSeen())));
      hash.put("last_active", Replies.time(worker.lastSeen()));
    }
    return hash;
  }

  private static String timeOrEmpty(long millis) {
    return millis == 0 ? "" : Replies.time(millis);
  }

  private static String textOrEmpty(@Nullable String text) {
    return Objects.requireNonNullElse(text, "");
  }
}
