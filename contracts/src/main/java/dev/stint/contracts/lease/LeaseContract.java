package dev.stint.contracts.lease;

import static dev.stint.contracts.Access.Role.WORKER;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Fields;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Outcome;
import java.util.List;

/** Workers that claim jobs, keep them by heartbeat, and complete or fail them. */
public final class LeaseContract implements Contract {
  private static final Access WORKERS = Access.orLocal(WORKER);

  private final Engine engine;
  private final Command.Claim.Terms terms;
  private final long maxOutputBytes;
  private final ManyLeases many;

  /**
   * The contract over an engine.
   *
   * @param leaseTtlMs of a claim, for jobs that do not bring their own; a heartbeat is due every
   *     third of it
   * @param maxOutputBytes how much output a job may give before it is done
   */
  public LeaseContract(Engine engine, long leaseTtlMs, long maxOutputBytes) {
    this.engine = engine;
    this.maxOutputBytes = maxOutputBytes;
    // A worker is silent while its claim waits, and has a lease's time to claim again after that.
    long silenceMs = leaseTtlMs + Requests.MAX_WAIT_MS;
    this.terms = new Command.Claim.Terms(leaseTtlMs, leaseTtlMs / 3, leaseTtlMs, silenceMs);
    this.many = new ManyLeases(engine, terms);
  }

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("POST", "/internal/worker/claim", WORKERS, this::claim),
        new Route("POST", "/internal/worker/heartbeat", WORKERS, this::heartbeat),
        new Route("POST", "/internal/worker/complete", WORKERS, this::complete),
        new Route("POST", "/internal/worker/fail", WORKERS, this::fail),
        new Route("POST", "/internal/worker/output", WORKERS, this::output),
        new Route("POST", "/v1/leases/claim", WORKERS, many::claim),
        new Route("POST", "/v1/leases/heartbeat", WORKERS, many::heartbeat),
        new Route("POST", "/v1/leases/settle", WORKERS, many::settle));
  }

  private Reply claim(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Command.Claim claim = Requests.claim(workerId, fields, terms);
    long maxWaitMs = Requests.maxWaitMs(fields);
    return switch (engine.claim(claim, maxWaitMs, call::watchClient, call.requestId())) {
      case Outcome.Claimed claimed -> Reply.json(200, Replies.claimed(claimed));
      case Outcome.NothingClaimable _ -> Replies.nothingClaimed(engine.isDraining(workerId));
    };
  }

  private Reply heartbeat(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Command.Heartbeat beat = Requests.heartbeat(Requests.jobId(fields), workerId, fields);
    Outcome.OfReport outcome = engine.execute(beat, call.requestId());
    return Replies.heartbeat(outcome, engine.isDraining(workerId));
  }

  private Reply complete(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Command.Complete done = Requests.complete(Requests.jobId(fields), workerId, fields);
    return Replies.completion(engine.execute(done, call.requestId()));
  }

  private Reply fail(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Command.Fail failed = Requests.fail(Requests.jobId(fields), workerId, fields);
    return Replies.failure(engine.execute(failed, call.requestId()));
  }

  private Reply output(Call call) {
    Fields fields = Fields.of(call.body());
    Command.Output output = Requests.output(call, fields, maxOutputBytes);
    return switch (engine.execute(output, call.requestId())) {
      case Outcome.OutputTaken taken -> Replies.taken(taken);
      case Outcome.OutputGap gap -> Faults.gap(gap);
      case Outcome.OutputFull full -> Faults.full(full);
      case Outcome.Stale _ -> Faults.outputLost();
      case Outcome.UnknownJob _ -> Faults.outputUnknown();
    };
  }
}
