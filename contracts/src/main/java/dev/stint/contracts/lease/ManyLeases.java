package dev.stint.contracts.lease;

import dev.stint.contracts.Bulk;
import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import java.util.List;
import java.util.function.Supplier;

/**
 * The calls of this contract for many leases of one worker at once. Each lease is fenced, and may
 * be told of again, as with the call for one; what is sent together shares commits.
 */
final class ManyLeases {
  private final Engine engine;
  private final Command.Claim.Terms terms;

  ManyLeases(Engine engine, Command.Claim.Terms terms) {
    this.engine = engine;
    this.terms = terms;
  }

  Reply claim(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Claims claims = Claims.read(workerId, fields, terms);
    return answer(jobs(new JsonWriter(), claims.begin(engine, call).get()), workerId);
  }

  Reply heartbeat(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    Bulk beats =
        Bulk.send(
            engine,
            fields.objects("leases", Requests.MAX_REPORTS),
            lease -> Requests.heartbeat(Requests.jobId(lease), workerId, lease),
            (_, outcome) -> Replies.heartbeat(outcome, false),
            call.requestId());
    return answer(new JsonWriter().addJson("results", beats.results()), workerId);
  }

  /** Ends many attempts, and claims the next jobs with them if asked to. */
  Reply settle(Call call) {
    Fields fields = Fields.of(call.body());
    String workerId = call.actingAs(fields.string("worker_id"));
    List<Fields> reports = fields.objects("reports", Requests.MAX_REPORTS);
    Fields wish = fields.optionalObject("claim");
    // All is read before anything is done.
    Claims claims = wish == null ? null : Claims.read(workerId, wish, terms);
    Bulk settled =
        Bulk.send(
            engine,
            reports,
            report -> Requests.settlement(Requests.jobId(report), workerId, report),
            Replies::settlement,
            call.requestId());
    Supplier<List<Outcome.Claimed>> claimed = claims == null ? null : claims.begin(engine, call);
    JsonWriter body = new JsonWriter().addJson("results", settled.results());
    return answer(claimed == null ? body : jobs(body, orNone(claimed)), workerId);
  }

  private Reply answer(JsonWriter body, String workerId) {
    return Reply.json(200, Replies.withDrain(body, engine.isDraining(workerId)));
  }

  private static JsonWriter jobs(JsonWriter body, List<Outcome.Claimed> claimed) {
    return body.addObjects("jobs", claimed.stream().map(Replies::claimed).toList());
  }

  /** The reports are settled, and that must be told even if nothing could be claimed. */
  private static List<Outcome.Claimed> orNone(Supplier<List<Outcome.Claimed>> claimed) {
    try {
      return claimed.get();
    } catch (OverloadedException | StoreUnavailableException e) {
      return List.of();
    }
  }
}
