package dev.stint.contracts.lease;

import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;

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

  private static JsonWriter heartbeat(String error) {
    return new JsonWriter().add("ok", false).addJson("lease_expires_at", null).add("error", error);
  }

  private static JsonWriter report(String error) {
    return new JsonWriter().add("ok", false).add("ack", true).add("error", error);
  }
}
