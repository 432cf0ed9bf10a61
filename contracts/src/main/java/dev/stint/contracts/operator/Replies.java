package dev.stint.contracts.operator;

import dev.stint.contracts.JobJson;
import dev.stint.contracts.JsonWriter;
import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.Explanation;
import dev.stint.engine.Explanation.Lack;
import dev.stint.engine.Explanation.Reason;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Overview;
import dev.stint.engine.Store;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is looked at, as this contract shows it. Times are Unix milliseconds. */
final class Replies {
  private static final int MAX_JSON = 4_096;

  private Replies() {}

  static JsonWriter overview(Overview overview) {
    JsonWriter states = new JsonWriter();
    overview.states().forEach((state, n) -> states.add(state.name(), n));
    JsonWriter workers =
        new JsonWriter()
            .add("online", overview.workers().online())
            .add("offline", overview.workers().offline())
            .add("draining", overview.workers().draining());
    Store.Waiting oldest = overview.oldest();
    return queues(
            new JsonWriter().add("now_ms", overview.now()).addJson("states", states.toJson()),
            overview.queues(),
            overview.now())
        .addJson("workers", workers.toJson())
        .addJson(
            "oldest_waiting",
            oldest == null
                ? null
                : new JsonWriter()
                    .add("job_id", oldest.jobId().toString())
                    .add("queue", oldest.queue())
                    .add("since_ms", oldest.since())
                    .toJson())
        .addObjects("series", overview.series().stream().map(Replies::minute).toList());
  }

  private static JsonWriter minute(Overview.Minute minute) {
    return new JsonWriter()
        .add("at_ms", minute.at())
        .add("submitted", minute.submitted())
        .add("completed", minute.completed())
        .add("failed", minute.failed());
  }

  static JsonWriter queues(JsonWriter body, List<Overview.Queue> queues, long now) {
    return body.addObjects("queues", queues.stream().map(queue -> queue(queue, now)).toList());
  }

  private static JsonWriter queue(Overview.Queue queue, long now) {
    Store.Pause pause = queue.pause();
    Store.Waiting oldest = queue.oldest();
    return new JsonWriter()
        .add("queue", queue.name())
        .add("paused", pause != null)
        .add("paused_reason", pause == null ? null : pause.reason())
        .addNumber("paused_since_ms", pause == null ? null : pause.since())
        .add("depth", queue.count(JobState.PENDING) + queue.count(JobState.RETRYING))
        .add(
            "running",
            queue.count(JobState.ASSIGNED)
                + queue.count(JobState.RUNNING)
                + queue.count(JobState.LOST))
        .add("failed", queue.count(JobState.FAILED))
        .addNumber("oldest_wait_ms", oldest == null ? null : Math.max(0, now - oldest.since()))
        .add("completed_per_min", queue.completedPerMinute());
  }

  static JsonWriter worker(Store.WorkerView view, long now) {
    Worker worker = view.worker();
    return new JsonWriter()
        .add("worker_id", worker.id())
        .add("name", worker.name())
        .add("status", worker.isThere(now) ? "ONLINE" : "OFFLINE")
        .add("draining", worker.draining())
        .add("revoked", worker.revoked())
        .add("capabilities", worker.skills().capabilities().stream().sorted().toList())
        .add("commands_only", worker.skills().commandsOnly())
        .add("slots", worker.slots())
        .add("holds", view.holds().stream().map(UUID::toString).toList())
        .add("last_seen_ms", worker.lastSeen())
        .addJson("metrics", worker.metrics());
  }

  /** In lists long JSON is left out. */
  static JsonWriter listed(Store.JobView view) {
    return more(JobJson.brief(view, MAX_JSON), view);
  }

  static JsonWriter job(Store.JobView view) {
    return more(JobJson.of(view), view);
  }

  private static JsonWriter more(JsonWriter body, Store.JobView view) {
    Attempt last = view.last();
    return body.add("state", view.job().state().name())
        .add("attempt", view.job().attempts())
        .add("contract", view.content().contract())
        .add("last_worker_id", last == null ? null : last.workerId());
  }

  /** The attempts that are over, and the one under way. */
  static List<JsonWriter> attempts(Job job, List<Attempt> past) {
    List<JsonWriter> attempts = new ArrayList<>();
    for (Attempt attempt : past) {
      attempts.add(
          attempt(attempt.attempt(), attempt.fence(), attempt.workerId(), attempt.claimedAt())
              .addNumber("started_ms", attempt.startedAt() == 0 ? null : attempt.startedAt())
              .add("ended_ms", attempt.endedAt())
              .add("outcome", attempt.end().name())
              .addJson("result", attempt.result())
              .addJson("error", attempt.error())
              .addJson("metrics", attempt.metrics()));
    }
    Lease lease = job.lease();
    if (lease != null) {
      attempts.add(
          attempt(lease.attempt(), lease.fence(), lease.workerId(), lease.claimedAt())
              .addNumber("started_ms", lease.startedAt() == 0 ? null : lease.startedAt())
              .addJson("ended_ms", null)
              .addJson("outcome", null)
              .addJson("result", null)
              .addJson("error", null)
              .addJson("metrics", null));
    }
    return attempts;
  }

  private static JsonWriter attempt(int number, long fence, String worker, long claimedAt) {
    return new JsonWriter()
        .add("attempt", number)
        .add("fence", fence)
        .add("worker_id", worker)
        .add("claimed_ms", claimedAt);
  }

  static List<JsonWriter> events(Job job, List<Attempt> past, List<Event> events) {
    Map<Long, Integer> numbers = new HashMap<>();
    past.forEach(attempt -> numbers.put(attempt.fence(), attempt.attempt()));
    if (job.lease() != null) {
      numbers.put(job.lease().fence(), job.lease().attempt());
    }
    return events.stream().map(event -> event(event, numbers.get(event.fence()))).toList();
  }

  private static JsonWriter event(Event event, @Nullable Integer attempt) {
    return new JsonWriter()
        .add("seq", event.seq())
        .add("at_ms", event.at())
        .add("type", event.type().word())
        .add("from", event.from() == null ? null : event.from().name())
        .add("to", event.to() == null ? null : event.to().name())
        .add("worker_id", event.workerId())
        .addNumber("attempt", attempt)
        .addNumber("fence", event.fence() == 0 ? null : event.fence())
        .add("reason", event.reason())
        .addJson("data", event.data())
        .add("request_id", event.requestId());
  }

  static JsonWriter explanation(Explanation explanation) {
    return new JsonWriter()
        .add("job_id", explanation.job().id().toString())
        .add("state", explanation.job().state().name())
        .addObjects("reasons", explanation.reasons().stream().map(Replies::reason).toList());
  }

  private static JsonWriter reason(Reason reason) {
    JsonWriter body =
        new JsonWriter().add("code", Words.code(reason)).add("sentence", Words.sentence(reason));
    return switch (reason) {
      case Explanation.NotBefore early -> at(body, "at_ms", early.at());
      case Explanation.QueuePaused paused ->
          body.add("queue", paused.pause().queue())
              .add("reason", paused.pause().reason())
              .add("since_ms", paused.pause().since());
      case Explanation.NoWorkerEver none ->
          lacks(body.add("requirements", none.needs().requirements()), none.lacks());
      case Explanation.NoWorkerMatches none ->
          lacks(body.add("requirements", none.needs().requirements()), none.lacks())
              .add("offline", none.away());
      case Explanation.WorkersBusy busy ->
          body.add("count", busy.count()).add("workers", busy.workers());
      case Explanation.WorkersDraining draining -> body.add("workers", draining.workers());
      case Explanation.Backoff wait ->
          at(body, "until_ms", wait.until())
              .add("attempt", wait.attempt())
              .add("max_attempts", wait.maxAttempts())
              .add("reason", wait.why());
      case Explanation.Exhausted over ->
          at(body, "until_ms", over.until()).add("reason", over.why());
      case Explanation.Held held ->
          at(body.add("worker_id", held.workerId()), "lease_until_ms", held.until())
              .add("acknowledged", held.acknowledged());
      case Explanation.CancelRequested asked ->
          at(
              body.add("reason", asked.cancel().reason())
                  .add("requested_ms", asked.cancel().requestedAt()),
              "grace_until_ms",
              asked.cancel().graceUntil());
      case Explanation.BehindOthers others ->
          body.add("ahead", others.ahead()).add("or_more", others.orMore());
      case Explanation.Delivery delivery -> body.add("target", delivery.target());
      case Explanation.Claimable free -> body.add("waiting_claims", free.parked());
      case Explanation.Finished over -> body.add("reason", over.why()).add("at_ms", over.at());
    };
  }

  private static JsonWriter at(JsonWriter body, String name, long millis) {
    return body.addNumber(name, millis == Times.NEVER ? null : Long.valueOf(millis));
  }

  private static JsonWriter lacks(JsonWriter body, List<Lack> lacks) {
    return body.addObjects(
        "workers",
        lacks.stream()
            .map(lack ->
                new JsonWriter()
                    .add("worker_id", lack.workerId())
                    .add("online", lack.isThere())
                    .add("lacks", lack.lacks())
                    .add("commands_only", lack.noPayload()))
            .toList());
  }

  static JsonWriter deadGroup(Store.DeadGroup group) {
    Store.DeadSample sample = group.sample();
    return new JsonWriter()
        .add("fingerprint", group.fingerprint())
        .add("code", group.code())
        .add("message", group.shape())
        .add("count", group.count())
        .add("first_ms", group.first())
        .add("last_ms", sample.at())
        .addJson(
            "sample",
            new JsonWriter()
                .add("job_id", sample.jobId().toString())
                .add("queue", sample.queue())
                .add("message", sample.message())
                .toJson());
  }

  static String deadCursor(Store.DeadGroup last) {
    return last.sample().at() + ":" + last.fingerprint();
  }
}
