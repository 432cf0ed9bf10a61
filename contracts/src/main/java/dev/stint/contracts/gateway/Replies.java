package dev.stint.contracts.gateway;

import dev.stint.contracts.JobJson;
import dev.stint.contracts.Reply;
import dev.stint.engine.Store;

/** Jobs as this contract shows them. */
final class Replies {
  private Replies() {}

  static Reply replayed(Store.JobView view) {
    return job(200, view).with("Idempotency-Replayed", "true");
  }

  static Reply job(int status, Store.JobView view) {
    return Reply.json(status, JobJson.of(view));
  }
}
