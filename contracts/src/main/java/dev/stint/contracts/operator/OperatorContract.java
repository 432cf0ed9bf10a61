package dev.stint.contracts.operator;

import static dev.stint.contracts.Access.Role.ADMIN;
import static dev.stint.contracts.Access.Role.PRODUCER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.engine.Attempt;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Lookout;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Store;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/** Those who run a fleet: what it does, why a job waits, and the verbs that mend it. */
public final class OperatorContract implements Contract {
  private static final Access ADMINS = Access.to(ADMIN);
  private static final Access READERS = Access.orLocal(PRODUCER);
  private static final int JOBS = 50;
  private static final int MAX_JOBS = 200;
  private static final int WORKERS = 100;
  private static final int MAX_WORKERS = 1_000;
  private static final int GROUPS = 50;
  private static final int MAX_GROUPS = 200;
  private static final int MAX_EVENTS = 1_000;
  private static final int MAX_ATTEMPTS_SHOWN = 100;

  private final Engine engine;
  private final long commentMs;
  private final Batches batches;

  /**
   * The contract over an engine.
   *
   * @param cancelGraceMs how long a running job may take to stop
   * @param commentMs how often a stream shows that it is alive
   */
  public OperatorContract(Engine engine, long cancelGraceMs, long commentMs) {
    this.engine = engine;
    this.commentMs = commentMs;
    this.batches = new Batches(engine, cancelGraceMs);
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/v1/overview", ADMINS, this::overview),
        new Route("GET", "/v1/overview/stream", ADMINS, this::overviewStream),
        new Route("GET", "/v1/queues", ADMINS, this::queues),
        new Route("POST", "/v1/queues/{queue}/pause", ADMINS, this::pause),
        new Route("POST", "/v1/queues/{queue}/resume", ADMINS, this::resume),
        new Route("GET", "/v1/workers", ADMINS, this::workers),
        new Route("POST", "/v1/workers/{id}/drain", ADMINS, call -> drain(call, true)),
        new Route("POST", "/v1/workers/{id}/resume", ADMINS, call -> drain(call, false)),
        new Route("GET", "/v1/jobs", READERS, this::jobs),
        new Route("GET", "/v1/jobs/{id}/explain", READERS, this::explain),
        new Route("GET", "/v1/jobs/{id}/timeline", READERS, this::timeline),
        new Route("POST", "/v1/jobs/{id}/retry", ADMINS, this::retry),
        new Route("POST", "/v1/jobs/{id}/abort", ADMINS, this::abort),
        new Route("POST", "/v1/jobs/bulk", ADMINS, this::bulk),
        new Route("GET", "/v1/dead", ADMINS, this::dead),
        new Route("POST", "/v1/dead/replay", ADMINS, this::replay));
  }

  private Reply overview(Call call) {
    return Reply.json(200, Replies.overview(engine.lookout().overview()));
  }

  private Reply overviewStream(Call call) {
    try {
      Lookout lookout = engine.lookout();
      return Reply.events(
          new OverviewStream(lookout, lookout.watch(), call.watchClient(), commentMs));
    } catch (OverloadedException e) {
      throw Faults.tooManyReaders();
    }
  }

  private Reply queues(Call call) {
    return Reply.json(
        200, Replies.queues(new JsonWriter(), engine.lookout().queues(), engine.now()));
  }

  private Reply pause(Call call) {
    Fields fields = Fields.ofOptional(call.body());
    return set(new Command.PauseQueue(Requests.queue(call), Requests.reason(fields)), call);
  }

  private Reply resume(Call call) {
    return set(new Command.ResumeQueue(Requests.queue(call)), call);
  }

  private Reply set(Command.OfQueue command, Call call) {
    Outcome.QueueSet set = engine.execute(command, call.requestId());
    return Reply.json(
        200,
        new JsonWriter()
            .add("queue", set.queue())
            .add("paused", set.pause() != null)
            .add("changed", set.isChanged()));
  }

  private Reply workers(Call call) {
    int limit = Requests.limit(call, WORKERS, MAX_WORKERS);
    String after = Objects.requireNonNullElse(call.queryString("cursor"), "");
    List<Store.WorkerView> page = engine.lookout().workers(after, limit);
    long now = engine.now();
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("workers", page.stream().map(view -> Replies.worker(view, now)).toList())
            .add("next", page.size() < limit ? null : page.getLast().worker().id()));
  }

  private Reply drain(Call call, boolean isDraining) {
    var wish = new Command.Drain(call.path("id"), isDraining);
    return switch (engine.execute(wish, call.requestId())) {
      case Outcome.Drained drained ->
          Reply.json(
              200,
              new JsonWriter()
                  .add("worker_id", drained.worker().id())
                  .add("draining", drained.worker().draining())
                  .add("changed", drained.isChanged()));
      case Outcome.UnknownWorker _ -> throw Faults.unknownWorker();
    };
  }

  private Reply jobs(Call call) {
    Store.Page<Store.JobView, UUID> page =
        engine.list(
            Requests.filter(call), Requests.before(call), Requests.limit(call, JOBS, MAX_JOBS));
    UUID next = page.next();
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("jobs", page.items().stream().map(Replies::listed).toList())
            .add("next", next == null ? null : next.toString()));
  }

  private Reply explain(Call call) {
    return Reply.json(
        200,
        Replies.explanation(
            engine.lookout().explain(Requests.jobId(call)).orElseThrow(Faults::unknownJob)));
  }

  /** The newest events, told oldest first; {@code next} is where those before them begin. */
  private Reply timeline(Call call) {
    Store.JobView view = engine.find(Requests.jobId(call)).orElseThrow(Faults::unknownJob);
    Job job = view.job();
    List<Attempt> past = engine.lookout().attempts(job.id());
    Store.Page<Event, Long> page =
        engine.history(
            new Store.EventFilter(job.id(), null, null, null),
            call.queryInteger("cursor", Long.MAX_VALUE, 0, Long.MAX_VALUE),
            Requests.limit(call, MAX_EVENTS, MAX_EVENTS));
    return Reply.json(
        200,
        new JsonWriter()
            .addJson("job", Replies.job(view).toJson())
            .addObjects("attempts", Replies.attempts(job, lastOf(past)))
            .addObjects("events", Replies.events(job, past, page.items().reversed()))
            .addNumber("next", page.next()));
  }

  private static List<Attempt> lastOf(List<Attempt> past) {
    return past.subList(Math.max(0, past.size() - MAX_ATTEMPTS_SHOWN), past.size());
  }

  private Reply retry(Call call) {
    var wish = new Command.Replay(Requests.jobId(call), 0);
    return switch (engine.execute(wish, call.requestId())) {
      case Outcome.Revived revived -> state(revived.job());
      case Outcome.NotRevivable not -> Faults.notRevivable(not.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownJob();
    };
  }

  private Reply abort(Call call) {
    String reason = Requests.reason(Fields.ofOptional(call.body()));
    var wish =
        new Command.Abort(
            Requests.jobId(call), null, Objects.requireNonNullElse(reason, "aborted"));
    return switch (engine.execute(wish, call.requestId())) {
      case Outcome.Ended ended -> state(ended.job());
      case Outcome.AlreadyTerminal was -> Faults.alreadyTerminal(was.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownJob();
      case Outcome.NotHeld _ -> throw new IllegalStateException("no worker was named");
    };
  }

  private static Reply state(Job job) {
    return Reply.json(
        200, new JsonWriter().add("job_id", job.id().toString()).add("state", job.state().name()));
  }

  private Reply bulk(Call call) {
    Requests.Bulk bulk = Requests.bulk(Fields.of(call.body()));
    return Reply.json(
        200, bulk.isDryRun() ? batches.count(bulk) : batches.carryOut(bulk, call.requestId()));
  }

  private Reply dead(Call call) {
    int limit = Requests.limit(call, GROUPS, MAX_GROUPS);
    List<Store.DeadGroup> groups = engine.lookout().deadGroups(Requests.deadPlace(call), limit);
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("groups", groups.stream().map(Replies::deadGroup).toList())
            .add("next", groups.size() < limit ? null : Replies.deadCursor(groups.getLast())));
  }

  private Reply replay(Call call) {
    Requests.Replay replay = Requests.replay(Fields.of(call.body()));
    return Reply.json(200, batches.replay(replay, call.requestId()));
  }
}
