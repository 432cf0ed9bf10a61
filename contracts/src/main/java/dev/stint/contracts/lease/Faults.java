package dev.stint.contracts.lease;

import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Outcome;

/** Refusals of the engine as this contract tells them. */
final class Faults {
  private Faults() {}

  static Reply heartbeatLost() {
    return Reply.json(409, heartbeat(Words.LEASE_LOST));
  }

  static Reply heartbeatUnknown() {
    return Reply.json(404, heartbeat(Words.UNKNOWN_JOB).add("message", "there is no such job"));
  }

  /** The job has moved on, so the worker may drop its message. */
  static Reply lost() {
    return Reply.json(409, report(Words.LEASE_LOST));
  }

  static Reply unknown() {
    return Reply.json(404, report(Words.UNKNOWN_JOB).add("message", "there is no such job"));
  }

  static Reply gap(Outcome.OutputGap gap) {
    return Reply.json(
        409,
        output("offset_mismatch")
            .add("message", "go on at expected_offset")
            .add("expected_offset", gap.expectedOffset()));
  }

  static Reply full(Outcome.OutputFull full) {
    return Reply.json(
        413,
        output("output_full")
            .add("message", "a job may give at most " + full.maxBytes() + " bytes of output")
            .add("expected_offset", full.expectedOffset()));
  }

  static Reply outputLost() {
    return Reply.json(409, output(Words.LEASE_LOST));
  }

  static Reply outputUnknown() {
    return Reply.json(404, output(Words.UNKNOWN_JOB).add("message", "there is no such job"));
  }

  private static JsonWriter output(String error) {
    return new JsonWriter().add("ok", false).add("error", error);
  }

  private static JsonWriter heartbeat(String error) {
    return new JsonWriter().add("ok", false).addJson("lease_expires_at", null).add("error", error);
  }

  private static JsonWriter report(String error) {
    return new JsonWriter().add("ok", false).add("ack", true).add("error", error);
  }
}
