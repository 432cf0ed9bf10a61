package dev.stint.contracts.gateway;

import static dev.stint.contracts.Access.Role.PRODUCER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Bulk;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.contracts.Submissions;
import dev.stint.engine.Engine;
import dev.stint.engine.Following;
import dev.stint.engine.Job;
import dev.stint.engine.JobIds;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Store;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** Clients that submit jobs for named tasks, read them and cancel them. */
public final class GatewayContract implements Contract {
  private static final Access PRODUCERS = Access.orLocal(PRODUCER);

  private final Engine engine;
  private final Settings settings;

  /**
   * What is settled per server.
   *
   * @param tasks that may be submitted
   * @param maxQueued refuse when this many are waiting in the queue
   * @param jobTtlSeconds for jobs that do not bring their own
   * @param cancelGraceMs how long a running job may take to stop
   * @param commentMs how often a stream of events says that it is still there
   */
  public record Settings(
      Set<String> tasks, long maxQueued, long jobTtlSeconds, long cancelGraceMs, long commentMs) {
    public Settings {
      tasks = Set.copyOf(tasks);
    }
  }

  public GatewayContract(Engine engine, Settings settings) {
    this.engine = engine;
    this.settings = settings;
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("POST", "/v1/jobs", PRODUCERS, this::submit),
        new Route("POST", "/v1/jobs/batch", PRODUCERS, this::submitMany),
        new Route("GET", "/v1/jobs/{id}", PRODUCERS, this::read),
        new Route("GET", "/v1/jobs/{id}/events", PRODUCERS, this::events),
        new Route("POST", "/v1/jobs/{id}/cancel", PRODUCERS, this::cancel));
  }

  private Reply submit(Call call) {
    var submit = Requests.submit(JobIds.next(), call, settings);
    return submitted(engine.execute(submit, call.requestId()));
  }

  private Reply submitMany(Call call) {
    Bulk jobs =
        Bulk.send(
            engine,
            Fields.of(call.body()).objects("jobs", Requests.MAX_JOBS),
            job -> Requests.submit(JobIds.next(), job, settings),
            (_, outcome) ->
                outcome instanceof Outcome.Replayed replayed
                    ? Replies.replayedInBrief(view(replayed.jobId()))
                    : submitted(outcome),
            call.requestId());
    return Reply.json(200, new JsonWriter().addJson("results", jobs.results()));
  }

  private Reply submitted(Outcome.OfSubmit outcome) {
    return switch (outcome) {
      case Outcome.Submitted submitted ->
          Replies.job(201, new Store.JobView(submitted.job(), submitted.content(), null));
      case Outcome.Replayed replayed -> Replies.replayed(view(replayed.jobId()));
      case Outcome.KeyConflict _ -> throw Submissions.keyConflict();
      case Outcome.QueueFull full -> throw Submissions.queueFull(full);
    };
  }

  private Reply read(Call call) {
    return Replies.job(200, view(Requests.jobId(call)));
  }

  private Reply events(Call call) {
    UUID jobId = Requests.jobId(call);
    Job job = view(jobId).job();
    long lastId = Requests.lastId(call);
    if (lastId > 0 && lastId > engine.lastEventSeq(jobId)) {
      throw Faults.noSuchEvent(Requests.lastIdName(call));
    }
    BooleanSupplier clientIsThere = call.watchClient();
    try {
      Following following = engine.follow(job, lastId);
      return Reply.events(new EventStream(job, following, clientIsThere, settings.commentMs()));
    } catch (OverloadedException e) {
      throw Faults.tooManyReaders();
    }
  }

  private Reply cancel(Call call) {
    var wish = Requests.cancel(Requests.jobId(call), Fields.ofOptional(call.body()), settings);
    return switch (engine.execute(wish, call.requestId())) {
      case Outcome.Ended ended -> Replies.job(200, view(ended.job().id()));
      case Outcome.AlreadyTerminal was -> Replies.job(200, view(was.job().id()));
      case Outcome.CancelAsked asked -> Replies.job(202, view(asked.job().id()));
      case Outcome.UnknownJob _ -> throw Faults.unknownJob();
    };
  }

  private Store.JobView view(UUID jobId) {
    return engine.find(jobId).orElseThrow(Faults::unknownJob);
  }
}
