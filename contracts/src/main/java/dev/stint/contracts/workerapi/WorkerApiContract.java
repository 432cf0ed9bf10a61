package dev.stint.contracts.workerapi;

import static dev.stint.contracts.Access.Role.ADMIN;
import static dev.stint.contracts.Access.Role.PRODUCER;
import static dev.stint.contracts.Access.Role.WORKER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Digests;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.TokenIssuer;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.JobIds;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import java.time.Duration;
import java.util.List;
import java.util.Objects;

/** Workers that poll with tokens of their own, and the admins who give them those. */
public final class WorkerApiContract implements Contract {
  private static final Access WORKERS = Access.to(WORKER);
  private static final Access PRODUCERS = Access.to(PRODUCER);
  private static final Access ADMINS = Access.to(ADMIN);
  private static final long DEFAULT_TOKEN_SECONDS = Duration.ofDays(90).toSeconds();
  private static final long MAX_TOKEN_SECONDS = Duration.ofDays(3_660).toSeconds();

  private final Engine engine;
  private final TokenIssuer issuer;
  private final long maxQueued;
  private final long silenceMs;
  private final Command.Claim.Terms terms;

  /**
   * The contract over an engine.
   *
   * @param leaseTtlMs what a worker holds is recovered when it is silent for so long
   * @param maxQueued refuse when this many are waiting in the queue
   */
  public WorkerApiContract(Engine engine, TokenIssuer issuer, long leaseTtlMs, long maxQueued) {
    this.engine = engine;
    this.issuer = issuer;
    this.maxQueued = maxQueued;
    this.silenceMs = leaseTtlMs;
    this.terms =
        new Command.Claim.Terms(
                leaseTtlMs, leaseTtlMs / 3, leaseTtlMs, leaseTtlMs + Requests.MAX_WAIT_MS)
            .untold();
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/api/v1/worker/tasks/next", WORKERS, this::next),
        new Route("PATCH", "/api/v1/worker/tasks/{id}/status", WORKERS, this::status),
        new Route("POST", "/api/v1/worker/tasks/{id}/complete", WORKERS, this::complete),
        new Route("POST", "/api/v1/worker/tasks/{id}/fail", WORKERS, this::fail),
        new Route("POST", "/api/v1/worker/heartbeat", WORKERS, this::heartbeat),
        new Route("POST", "/api/v1/tasks", PRODUCERS, this::submit),
        new Route("GET", "/api/v1/tasks/{id}", PRODUCERS, this::task),
        new Route("POST", "/api/v1/admin/workers", ADMINS, this::enrol),
        new Route("GET", "/api/v1/admin/workers", ADMINS, this::workers),
        new Route("DELETE", "/api/v1/admin/workers/{id}", ADMINS, this::dismiss),
        new Route("GET", "/api/v1/admin/queue/stats", ADMINS, this::stats));
  }

  private Reply next(Call call) {
    Command.Claim claim = Requests.claim(call, terms);
    return switch (engine.claim(
        claim, Requests.waitMs(call), call::watchClient, call.requestId())) {
      case Outcome.Claimed claimed -> Replies.claimed(claimed);
      case Outcome.NothingClaimable _ ->
          Reply.noContent().draining(engine.isDraining(claim.workerId()));
    };
  }

  private Reply status(Call call) {
    var heartbeat = Requests.status(call, Fields.of(call.body()));
    return switch (engine.execute(heartbeat, call.requestId())) {
      case Outcome.Held held -> Replies.updated(held.job());
      case Outcome.Stale _, Outcome.Settled _ -> throw Faults.notHeld();
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
    };
  }

  private Reply complete(Call call) {
    return end("Task completed", Requests.complete(call, Fields.ofOptional(call.body())), call);
  }

  private Reply fail(Call call) {
    return end("Task marked as failed", Requests.fail(call, Fields.ofOptional(call.body())), call);
  }

  private Reply end(String message, Command.Report<Outcome.OfReport> report, Call call) {
    return switch (engine.execute(report, call.requestId())) {
      case Outcome.Settled settled -> Replies.ended(message, settled);
      case Outcome.Stale _, Outcome.Held _ -> throw Faults.notHeld();
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
    };
  }

  private Reply heartbeat(Call call) {
    String workerId = Requests.worker(call);
    // Its token says that there is such a worker, also before its first poll.
    var beat = new Command.Beat(workerId, null, null, silenceMs, true);
    return switch (engine.execute(beat, call.requestId())) {
      case Outcome.Beaten beaten ->
          Replies.heard(workerId, beaten.held(), engine.isDraining(workerId));
      case Outcome.UnknownWorker _ -> throw Faults.unknownWorker();
    };
  }

  private Reply submit(Call call) {
    var submit = Requests.submit(JobIds.next(), call, maxQueued);
    return switch (engine.execute(submit, call.requestId())) {
      case Outcome.Submitted submitted -> Replies.submitted(201, submitted.job());
      case Outcome.QueueFull full -> throw Submissions.queueFull(full);
      case Outcome.Replayed replayed ->
          Submissions.replayed(
              Replies.submitted(
                  200, engine.find(replayed.jobId()).orElseThrow(Faults::unknownTask).job()));
      case Outcome.KeyConflict _ -> throw Submissions.keyConflict();
    };
  }

  private Reply task(Call call) {
    Store.JobView view = engine.find(Requests.taskId(call)).orElseThrow(Faults::unknownTask);
    return Reply.json(200, Replies.task(view));
  }

  /** Only the hash of the token is kept, so this answer is the only place where it is seen. */
  private Reply enrol(Call call) {
    Fields fields = Fields.of(call.body());
    String name = fields.string("name");
    String workerId =
        Objects.requireNonNullElseGet(
            fields.optionalString("worker_id"), () -> "worker-" + JobIds.next());
    Duration life =
        Duration.ofSeconds(
            fields.integer("ttl_seconds", DEFAULT_TOKEN_SECONDS, 1, MAX_TOKEN_SECONDS));
    String token = issuer.issue(WORKER, workerId, life);
    String hash = Digests.sha256(token);
    Outcome.Enrolled enrolled =
        engine.execute(new Command.Enrol(workerId, name, hash), call.requestId());
    return Replies.enrolled(enrolled.worker(), token);
  }

  private Reply workers(Call call) {
    long now = engine.now();
    List<JsonWriter> workers =
        engine.workers().stream()
            .map(Store.WorkerView::worker)
            .filter(worker -> !worker.revoked())
            .map(worker -> Replies.worker(worker, now))
            .toList();
    return Reply.json(200, new JsonWriter().addObjects("workers", workers));
  }

  private Reply dismiss(Call call) {
    String workerId = call.path("id");
    return switch (engine.execute(new Command.Dismiss(workerId), call.requestId())) {
      case Outcome.Dismissed _ ->
          Reply.json(
              200, new JsonWriter().add("message", "Worker revoked").add("worker_id", workerId));
      case Outcome.UnknownWorker _ -> throw Faults.unknownWorker();
    };
  }

  private Reply stats(Call call) {
    String queue = Objects.requireNonNullElse(call.queryString("queue"), Requests.DEFAULT_QUEUE);
    return Reply.json(
        200,
        Replies.stats(queue, engine.tally(), engine.completedPerMinute(), engine.onlineWorkers()));
  }
}
