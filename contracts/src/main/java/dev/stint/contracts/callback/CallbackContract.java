package dev.stint.contracts.callback;

import static dev.stint.contracts.Access.Role.PRODUCER;
import static dev.stint.contracts.Access.Role.TASK;
import static dev.stint.contracts.Access.Role.WORKER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.contracts.Submissions;
import dev.stint.contracts.TokenIssuer;
import dev.stint.contracts.TokenIssuer.TaskToken;
import dev.stint.engine.Attempt;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Event;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Tasks that are pulled or delivered, and whose workers report with a token for that task alone.
 */
public final class CallbackContract implements Contract {
  private static final Access PRODUCERS = Access.to(PRODUCER);
  private static final Access WORKERS = Access.to(WORKER);
  private static final Access TASKS = Access.to(TASK);
  private static final int MAX_EVENTS = 1_000;
  private static final int MAX_ATTEMPTS_SHOWN = 100;

  private final Engine engine;
  private final TokenIssuer issuer;
  private final Settings settings;
  private final Command.Claim.Terms terms;

  /**
   * What is settled per server.
   *
   * @param callbackBaseUrl where workers reach this server; asked when it listens
   * @param targets that tasks may be delivered to
   * @param startTimeoutMs within which a worker must say that it began
   * @param maxQueued refuse when this many are waiting in the queue
   * @param cancelGraceMs how long a running job of another contract may take to stop, if that has
   *     no time of its own
   */
  public record Settings(
      Supplier<String> callbackBaseUrl,
      AllowedTargets targets,
      long startTimeoutMs,
      long maxQueued,
      long cancelGraceMs) {}

  public CallbackContract(Engine engine, TokenIssuer issuer, Settings settings) {
    this.engine = engine;
    this.issuer = issuer;
    this.settings = settings;
    this.terms = terms(settings.startTimeoutMs());
  }

  /** For jobs that do not bring their own, and the time to begin for all. */
  public static Command.Claim.Terms terms(long startTimeoutMs) {
    return new Command.Claim.Terms(
        Requests.DEFAULT_TIMEOUT_MS,
        Requests.DEFAULT_INTERVAL_MS,
        startTimeoutMs,
        Requests.DEFAULT_TIMEOUT_MS + Requests.MAX_WAIT_MS);
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("POST", "/v1/tasks", PRODUCERS, this::submit),
        new Route("POST", "/v1/tasks/claim", WORKERS, this::claim),
        new Route("GET", "/v1/tasks/{id}", PRODUCERS, this::read),
        new Route("GET", "/v1/tasks/{id}/events", PRODUCERS, this::events),
        new Route("POST", "/v1/tasks/{id}/cancel", PRODUCERS, this::cancel),
        new Route("POST", "/v1/tasks/{id}/started", TASKS, this::started),
        new Route("POST", "/v1/tasks/{id}/heartbeat", TASKS, this::heartbeat),
        new Route("POST", "/v1/tasks/{id}/completed", TASKS, this::completed));
  }

  private Reply submit(Call call) {
    var submit =
        Requests.submit(JobIds.next(), call, settings.targets(), engine::now, settings.maxQueued());
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

  private Reply claim(Call call) {
    Fields fields = Fields.of(call.body());
    call.actingAs(fields.string("workerId"));
    var claim = Requests.claim(fields, terms);
    long maxWaitMs = Requests.maxWaitMs(fields);
    return switch (engine.claim(claim, maxWaitMs, call::watchClient, call.requestId())) {
      case Outcome.Claimed claimed -> Reply.json(200, envelope(claimed));
      case Outcome.NothingClaimable _ ->
          Reply.noContent().draining(engine.isDraining(claim.workerId()));
    };
  }

  /** What whoever runs a claimed task is sent, with a token for it. */
  public JsonWriter envelope(Outcome.Claimed claimed) {
    TaskToken token =
        issuer.issueTask(
            claimed.content().scope(),
            claimed.job().id(),
            claimed.lease(),
            Duration.ofSeconds(tokenSeconds(claimed)));
    return Replies.envelope(claimed, settings, token);
  }

  private static long tokenSeconds(Outcome.Claimed claimed) {
    Fields own = Replies.own(claimed.content());
    return own == null
        ? Requests.DEFAULT_TOKEN_SECONDS
        : own.integer("tokenTtlSeconds", Requests.DEFAULT_TOKEN_SECONDS, 1, Integer.MAX_VALUE);
  }

  /** Where a claimed task is to be delivered, or null if it is to be pulled. */
  public static @Nullable String dispatchUrl(Outcome.Claimed claimed) {
    Fields own = Replies.own(claimed.content());
    return own == null ? null : own.textOrNull("dispatchUrl");
  }

  private Reply read(Call call) {
    UUID taskId = Requests.taskId(call);
    Store.JobView view = engine.find(taskId).orElseThrow(Faults::unknownTask);
    List<Attempt> attempts = engine.attempts(taskId);
    int first = Math.max(0, attempts.size() - MAX_ATTEMPTS_SHOWN);
    List<Attempt> shown = attempts.subList(first, attempts.size());
    return Reply.json(200, Replies.view(view, settings, shown));
  }

  private Reply events(Call call) {
    UUID taskId = Requests.taskId(call);
    long after = call.queryInteger("after", 0, 0, Long.MAX_VALUE);
    int limit = (int) call.queryInteger("limit", 100, 1, MAX_EVENTS);
    if (engine.find(taskId).isEmpty()) {
      throw Faults.unknownTask();
    }
    List<Event> events = engine.events(taskId, after, limit);
    Long next = Event.mayBeFollowed(events, limit) ? Long.valueOf(events.getLast().seq()) : null;
    return Reply.json(
        200,
        new JsonWriter()
            .addObjects("events", events.stream().map(Replies::event).toList())
            .addNumber("next", next));
  }

  private Reply cancel(Call call) {
    var wish =
        Requests.cancel(
            Requests.taskId(call), Fields.ofOptional(call.body()), settings.cancelGraceMs());
    return switch (engine.execute(wish, call.requestId())) {
      case Outcome.Ended ended -> Replies.cancelled(ended.job());
      case Outcome.CancelAsked asked -> Replies.cancelled(asked.job());
      case Outcome.AlreadyTerminal was ->
          was.job().state() == JobState.ABORTED
              ? Replies.cancelled(was.job())
              : Faults.alreadyTerminal(was.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
    };
  }

  private Reply started(Call call) {
    Report report = Report.of(Report.Kind.STARTED, call);
    return switch (engine.execute(Requests.started(report), call.requestId())) {
      case Outcome.Held held -> Replies.started(held.job(), engine.now());
      case Outcome.Stale stale -> Faults.stale(report, stale.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
      case Outcome.Settled _ -> throw new IllegalStateException("a start settles nothing");
    };
  }

  private Reply heartbeat(Call call) {
    Report report = Report.of(Report.Kind.HEARTBEAT, call);
    return switch (engine.execute(Requests.heartbeat(report), call.requestId())) {
      case Outcome.Held held -> Replies.beaten(held.job(), renewed(report), engine.now());
      case Outcome.Stale stale -> Faults.stale(report, stale.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
      case Outcome.Settled _ -> throw new IllegalStateException("a heartbeat settles nothing");
    };
  }

  private @Nullable TaskToken renewed(Report report) {
    return report.pass() == null ? null : issuer.renew(report.pass());
  }

  private Reply completed(Call call) {
    Report report = Report.of(Report.Kind.COMPLETED, call);
    return switch (engine.execute(Requests.completed(report), call.requestId())) {
      case Outcome.Settled settled -> Replies.completed(settled, engine.now());
      case Outcome.Stale stale -> Faults.stale(report, stale.job());
      case Outcome.UnknownJob _ -> throw Faults.unknownTask();
      case Outcome.Held _ -> throw new IllegalStateException("a report that ends holds nothing");
    };
  }
}
