package dev.stint.contracts.lease;

import dev.stint.contracts.Call;
import dev.stint.contracts.Fields;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.StoreUnavailableException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * A worker's wish for several jobs: as many claims as it wants jobs. If there is nothing for any of
 * them one waits, and when that is woken the others look again.
 */
record Claims(List<Command.Claim> each, long maxWaitMs) {

  static Claims read(String workerId, Fields fields, Command.Claim.Terms terms) {
    return new Claims(Requests.claims(workerId, fields, terms), Requests.maxWaitMs(fields));
  }

  /** Sends the claims, so that they share commits with what else is sent now. */
  Supplier<List<Outcome.Claimed>> begin(Engine engine, Call call) {
    List<Supplier<Outcome.OfClaim>> first = engine.executeAll(each, call.requestId());
    return () -> {
      List<Outcome.Claimed> claimed = claimed(first);
      return claimed.isEmpty() && maxWaitMs > 0 ? await(engine, call) : claimed;
    };
  }

  private List<Outcome.Claimed> await(Engine engine, Call call) {
    Outcome.OfClaim outcome =
        engine.claim(each.getFirst(), maxWaitMs, call::watchClient, call.requestId());
    List<Supplier<Outcome.OfClaim>> outcomes = new ArrayList<>();
    outcomes.add(() -> outcome);
    if (outcome instanceof Outcome.Claimed) {
      outcomes.addAll(engine.executeAll(each.subList(1, each.size()), call.requestId()));
    }
    return claimed(outcomes);
  }

  /** What was claimed must reach the worker, also if the store went away in between. */
  private static List<Outcome.Claimed> claimed(List<Supplier<Outcome.OfClaim>> outcomes) {
    List<Outcome.Claimed> claimed = new ArrayList<>();
    RuntimeException failure = null;
    for (Supplier<Outcome.OfClaim> outcome : outcomes) {
      try {
        if (outcome.get() instanceof Outcome.Claimed one) {
          claimed.add(one);
        }
      } catch (OverloadedException | StoreUnavailableException e) {
        failure = e;
      }
    }
    if (claimed.isEmpty() && failure != null) {
      throw failure;
    }
    return claimed;
  }
}
