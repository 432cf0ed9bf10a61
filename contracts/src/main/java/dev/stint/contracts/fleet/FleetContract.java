package dev.stint.contracts.fleet;

import static dev.stint.contracts.Access.Role.PRODUCER;
import static dev.stint.contracts.Access.Role.WORKER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.Uuids;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Outcome;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Machines that run commands: they register, poll, acknowledge, beat and report. */
public final class FleetContract implements Contract {
  private static final Access WORKERS = Access.to(WORKER);
  private static final Access PEOPLE = Access.to(PRODUCER);

  private final Engine engine;
  private final Settings settings;
  private final Command.Claim.Terms terms;

  /**
   * What is settled per server.
   *
   * @param heartbeatTimeoutMs a worker that is silent for so long has lost what it runs
   * @param reconcileIntervalMs how long a lost job waits before it is taken up again
   * @param assignmentTtlMs within which a worker must acknowledge
   * @param maxQueued refuse when this many are waiting in the queue
   */
  public record Settings(
      long heartbeatTimeoutMs, long reconcileIntervalMs, long assignmentTtlMs, long maxQueued) {}

  public FleetContract(Engine engine, Settings settings) {
    this.engine = engine;
    this.settings = settings;
    long timeoutMs = settings.heartbeatTimeoutMs();
    this.terms =
        new Command.Claim.Terms(timeoutMs, timeoutMs / 3, settings.assignmentTtlMs(), timeoutMs)
            .untold();
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("POST", "/jobs", PEOPLE, this::submit),
        new Route("GET", "/jobs", PEOPLE, this::jobs),
        new Route("GET", "/jobs/{id}", PEOPLE, this::job),
        new Route("POST", "/abort", PEOPLE, this::abort),
        new Route("GET", "/workers", PEOPLE, this::workers),
        new Route("GET", "/events", PEOPLE, this::events),
        new Route("POST", "/register", WORKERS, this::register),
        new Route("POST", "/reconnect", WORKERS, this::reconnect),
        new Route("GET", "/next-job", WORKERS, this::nextJob),
        new Route("POST", "/ack", WORKERS, this::ack),
        new Route("POST", "/heartbeat", WORKERS, this::heartbeat),
        new Route("POST", "/complete", WORKERS, this::complete),
        new Route("POST", "/fail", WORKERS, this::fail),
        new Route("POST", "/release", WORKERS, this::release));
  }

  private Reply submit(Call call) {
    var submit = Requests.submit(JobIds.next(), call, settings);
    return switch (engine.execute(submit, call.requestId())) {
      case Outcome.Submitted submitted -> Replies.submitted(201, submitted.job());
      case Outcome.QueueFull full -> throw Submissions.queueFull(full);
      case Outcome.Replayed replayed ->
          Submissions.replayed(
              Replies.submitted(
                  200, engine.find(replayed.jobId()).orElseThrow(Faults::unknownJob).job()));
      case Outcome.KeyConflict _ -> throw Submissions.keyConflict();
    };
  }

  private Reply jobs(Call call) {
    int limit = (int) call.queryInteger("limit", Requests.MAX_LIST, 1, Requests.MAX_LIST);
    Store.Page<Store.JobView, UUID> page =
        engine.list(Requests.jobFilter(call), Requests.before(call), limit);
    long now = engine.now();
    UUID next = page.next();
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("jobs", page.items().stream().map(job -> Replies.job(job, now)).toList())
            .add("next_cursor", next == null ? null : next.toString()));
  }

  private Reply job(Call call) {
    Store.JobView view = engine.find(Requests.jobId(call)).orElseThrow(Faults::unknownJob);
    return Reply.json(200, Replies.job(view, engine.now()));
  }

  private Reply workers(Call call) {
    long now = engine.now();
    List<JsonWriter> workers =
        engine.workers().stream().map(view -> Replies.worker(view, now)).toList();
    return Reply.json(200, new JsonWriter().addObjects("workers", workers));
  }

  private Reply events(Call call) {
    int limit = (int) call.queryInteger("limit", 100, 1, Requests.MAX_LIST);
    long before = call.queryInteger("cursor", Long.MAX_VALUE, 0, Long.MAX_VALUE);
    var page = engine.history(Requests.eventFilter(call), before, limit);
    Long next = page.next();
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("events", page.items().stream().map(Replies::event).toList())
            .add("next_cursor", next == null ? null : next.toString()));
  }

  private Reply abort(Call call) {
    Fields fields = Fields.of(call.body());
    String jobId = fields.filledString("job_id");
    String workerId = fields.filledString("worker_id");
    String reason = Requests.reason(fields);
    if (jobId != null) {
      var abort = new Command.Abort(Requests.jobId(fields), workerId, reason);
      return switch (engine.execute(abort, call.requestId())) {
        case Outcome.Ended ended -> Replies.aborted(List.of(ended.job().id()));
        case Outcome.AlreadyTerminal was -> Faults.alreadyTerminal(was.job());
        case Outcome.NotHeld _ -> throw Faults.notHeld();
        case Outcome.UnknownJob _ -> throw Faults.unknownJob();
      };
    }
    if (workerId == null) {
      throw Refusal.invalid("job_id", "or `worker_id` must be given");
    }
    List<UUID> aborted = new ArrayList<>();
    Outcome.Aborted some;
    do {
      some = engine.execute(new Command.AbortHeldBy(workerId, reason), call.requestId());
      aborted.addAll(some.jobIds());
    } while (some.more());
    if (aborted.isEmpty() && engine.worker(workerId).isEmpty()) {
      throw Faults.unknownWorker();
    }
    return Replies.aborted(aborted);
  }

  private Reply register(Call call) {
    var register = Requests.register(worker(call), settings.heartbeatTimeoutMs());
    return switch (engine.execute(register, call.requestId())) {
      case Outcome.Registered registered ->
          Replies.registered(registered.worker(), settings.heartbeatTimeoutMs());
      case Outcome.NonceMismatch _ -> throw Faults.nonceMismatch();
    };
  }

  /** The fields of a call by a worker, which must be the one that it says. */
  private static Fields worker(Call call) {
    Fields fields = Fields.of(call.body());
    call.actingAs(fields.string("worker_id"));
    return fields;
  }

  private Reply nextJob(Call call) {
    String workerId = call.actingAs(Requests.workerId(call));
    Set<String> capabilities =
        engine.worker(workerId).map(worker -> worker.skills().capabilities()).orElse(Set.of());
    var claim = Requests.claim(call, workerId, new Skills(true, capabilities), terms);
    return switch (engine.claim(
        claim, Requests.waitMs(call), call::watchClient, call.requestId())) {
      case Outcome.Claimed claimed -> Replies.assigned(claimed);
      case Outcome.NothingClaimable _ -> Reply.noContent().draining(engine.isDraining(workerId));
    };
  }

  private Reply ack(Call call) {
    return switch (engine.execute(Requests.ack(worker(call)), call.requestId())) {
      case Outcome.Held held -> Replies.running(held.job());
      case Outcome.Stale stale -> Faults.assignmentMismatch(stale.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownJob();
      case Outcome.Settled _ -> throw new IllegalStateException("a start settles nothing");
    };
  }

  private Reply heartbeat(Call call) {
    Fields fields = worker(call);
    Set<String> running = Requests.running(fields);
    var beat = Requests.beat(fields, settings.heartbeatTimeoutMs());
    return switch (engine.execute(beat, call.requestId())) {
      case Outcome.Beaten beaten -> {
        JsonWriter body =
            new JsonWriter()
                .add("ok", true)
                .add("applied", beaten.applied())
                .add("drain", engine.isDraining(beat.workerId()));
        yield Reply.json(200, Replies.running(body, "jobs", running, beaten.held()));
      }
      case Outcome.UnknownWorker _ -> throw Faults.unknownWorker();
    };
  }

  private Reply complete(Call call) {
    Fields fields = worker(call);
    return report(Requests.complete(fields, fields.string("worker_id")), call);
  }

  private Reply fail(Call call) {
    Fields fields = worker(call);
    return report(Requests.fail(fields, fields.string("worker_id")), call);
  }

  private Reply release(Call call) {
    return report(Requests.release(worker(call)), call);
  }

  /** A job that has ended takes no further report, and whoever sends one need not try again. */
  private Reply report(Command.Report<Outcome.OfReport> report, Call call) {
    return switch (engine.execute(report, call.requestId())) {
      case Outcome.Settled settled ->
          settled.repeated()
              ? again(settled)
              : Replies.reported(settled.jobId(), settled.next(), true);
      case Outcome.Stale stale ->
          stale.job().state().isTerminal()
              ? Replies.reported(stale.job().id(), stale.job().state(), false)
              : Faults.assignmentMismatch(stale.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownJob();
      case Outcome.Held _ -> throw new IllegalStateException("a report that ends holds nothing");
    };
  }

  /** Answered as the first time, unless the job has ended meanwhile. */
  private Reply again(Outcome.Settled settled) {
    Job now = engine.find(settled.jobId()).orElseThrow(Faults::unknownJob).job();
    return now.state().isTerminal()
        ? Replies.reported(now.id(), now.state(), false)
        : Replies.reported(now.id(), settled.next(), true);
  }

  private Reply reconnect(Call call) {
    Fields fields = worker(call);
    String workerId = fields.string("worker_id");
    Set<String> running = Requests.running(fields);
    List<JsonWriter> actions = new ArrayList<>();
    for (Fields completed : fields.optionalObjects("completed_jobs", Requests.MAX_JOBS)) {
      actions.add(replay(completed, workerId, call));
    }
    Set<UUID> ids = new HashSet<>();
    for (String name : running) {
      UUID id = Uuids.parse(name);
      if (id != null) {
        ids.add(id);
      }
    }
    var back = new Command.Reconnect(workerId, ids, settings.heartbeatTimeoutMs());
    List<Job> held = engine.execute(back, call.requestId()).held();
    JsonWriter body = new JsonWriter().add("ok", true).add("drain", engine.isDraining(workerId));
    Replies.running(body, "current_jobs", running, held);
    return Reply.json(200, body.addObjects("actions", actions));
  }

  /** One bad entry must not keep the worker from getting rid of the others. */
  private JsonWriter replay(Fields completed, String workerId, Call call) {
    JsonWriter action = new JsonWriter().add("job_id", completed.textOrNull("job_id"));
    try {
      return switch (engine.execute(Requests.kept(completed, workerId), call.requestId())) {
        case Outcome.Settled settled ->
            action
                .add("action", settled.repeated() ? "duplicate" : "accepted")
                .add("reason", (String) null);
        case Outcome.Stale _ ->
            action.add("action", "rejected").add("reason", "assignment_mismatch");
        case Outcome.UnknownJob _ -> action.add("action", "rejected").add("reason", "unknown_job");
        case Outcome.Held _ -> throw new IllegalStateException("a report that ends holds nothing");
      };
    } catch (Refusal refusal) {
      return action.add("action", "rejected").add("reason", refusal.getMessage());
    }
  }
}
