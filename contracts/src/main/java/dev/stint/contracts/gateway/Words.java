package dev.stint.contracts.gateway;

import dev.stint.contracts.JobJson;
import dev.stint.engine.JobState;

/** The engine's states in this contract's words. */
final class Words {
  private Words() {}

  static String status(JobState state) {
    return JobJson.status(state);
  }
}
