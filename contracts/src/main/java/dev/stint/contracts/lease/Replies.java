package dev.stint.contracts.lease;

import dev.stint.contracts.Fields;
import dev.stint.contracts.JsonWriter;
import dev.stint.contracts.Reply;
import dev.stint.engine.Cancel;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.Lease;
import dev.stint.engine.Outcome;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Outcomes as this contract tells them, where all went well. */
final class Replies {
  private Replies() {}

  static JsonWriter claimed(Outcome.Claimed claimed) {
    Job job = claimed.job();
    Lease lease = claimed.lease();
    JobContent content = claimed.content();
    JsonWriter body =
        new JsonWriter()
            .add("claimed", true)
            .add("job_id", job.id().toString())
            .add("attempt_id", lease.attemptId().toString())
            .add("lease_token", lease.token())
            .add("attempt", lease.attempt())
            .add("fence", lease.fence())
            .add("stream", job.spec().queue())
            .add("message_id", claimed.messageId())
            .addJson("payload", content.payload())
            .addSeconds("lease_ttl_seconds", told(lease.ttlMs()))
            .addSeconds("heartbeat_interval_seconds", told(lease.heartbeatIntervalMs()));
    if (content.task() != null) {
      // A job that came by another contract may need its task's name to be done at all.
      body.add("task", content.task());
    }
    return withCancel(body, job.cancel());
  }

  /** Whole seconds, as workers may expect, from one on; who beats a little sooner loses nothing. */
  private static long told(long millis) {
    return millis < 1_000 ? millis : millis - millis % 1_000;
  }

  static Reply nothingClaimed(boolean isDraining) {
    return Reply.json(200, withDrain(new JsonWriter().add("claimed", false), isDraining));
  }

  static Reply heartbeat(Outcome.OfReport outcome, boolean isDraining) {
    return switch (outcome) {
      case Outcome.Held held -> held(held, isDraining);
      case Outcome.Settled _, Outcome.Stale _ -> Faults.heartbeatLost();
      case Outcome.UnknownJob _ -> Faults.heartbeatUnknown();
    };
  }

  /** Of a report that may be a completion or a failure. */
  static Reply settlement(Fields report, Outcome.OfReport outcome) {
    return Requests.isFailure(report) ? failure(outcome) : completion(outcome);
  }

  static Reply completion(Outcome.OfReport outcome) {
    return switch (outcome) {
      case Outcome.Settled _ -> completed();
      case Outcome.Held _, Outcome.Stale _ -> Faults.lost();
      case Outcome.UnknownJob _ -> Faults.unknown();
    };
  }

  static Reply failure(Outcome.OfReport outcome) {
    return switch (outcome) {
      case Outcome.Settled settled -> failed(settled);
      case Outcome.Held _, Outcome.Stale _ -> Faults.lost();
      case Outcome.UnknownJob _ -> Faults.unknown();
    };
  }

  private static Reply held(Outcome.Held held, boolean isDraining) {
    JsonWriter body =
        new JsonWriter()
            .add("ok", true)
            .add("lease_expires_at", Instant.ofEpochMilli(held.lease().until()).toString());
    return Reply.json(200, withDrain(withCancel(body, held.job().cancel()), isDraining));
  }

  private static Reply completed() {
    return Reply.json(200, new JsonWriter().add("ok", true).add("ack", true));
  }

  private static Reply failed(Outcome.Settled settled) {
    return Reply.json(
        200,
        new JsonWriter()
            .add("ok", true)
            .add("ack", true)
            .add("requeued", Words.isRequeued(settled.next()))
            .add("dlq", Words.isDeadLetter(settled.next())));
  }

  /** Tells a worker that it gets nothing more. */
  static JsonWriter withDrain(JsonWriter body, boolean isDraining) {
    return isDraining ? body.add("drain", true) : body;
  }

  static Reply taken(Outcome.OutputTaken taken) {
    JsonWriter body =
        new JsonWriter()
            .add("ok", true)
            .add("offset", taken.offset())
            .add("lease_expires_at", Instant.ofEpochMilli(taken.lease().until()).toString());
    return Reply.json(200, withCancel(body, taken.job().cancel()));
  }

  private static JsonWriter withCancel(JsonWriter body, @Nullable Cancel cancel) {
    return cancel == null ? body : body.add("cancel", true).add("cancel_reason", cancel.reason());
  }
}
