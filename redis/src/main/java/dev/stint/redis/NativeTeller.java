package dev.stint.redis;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Lease;
import dev.stint.engine.Progress;
import dev.stint.engine.Proof;
import dev.stint.engine.Reasons;
import dev.stint.engine.Store;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Tells the engine what one worker did with the job that it holds. */
final class NativeTeller {
  /** In request ids of what nobody said but was noticed: such events are to be told in Redis. */
  private static final String NOTICED = "native:";

  private final Engine engine;
  private final NativeReader reader;
  private final Stragglers stragglers;

  NativeTeller(Engine engine, NativeReader reader, Stragglers stragglers) {
    this.engine = engine;
    this.reader = reader;
    this.stragglers = stragglers;
  }

  /**
   * The job is held by who has its message.
   *
   * @param isNew since now, so that nothing can have been taken over from that worker
   */
  void hold(NativeJob job, Lease lease, boolean isNew) {
    UUID id = job.message().jobId();
    boolean isShared = stragglers.has(id);
    if (lease.fence() > 1 && !isShared) {
      isShared =
          engine.attempts(id).stream()
              .anyMatch(past -> past.nativeMessage() != null && !past.end().isReported());
    }
    StreamId passed = stragglers.cursor(id);
    if (passed != null) {
      job.knownUpTo(passed);
    }
    if (!isNew) {
      job.knownUpTo(lastTakenOver(id));
    }
    job.held(lease, isShared);
  }

  /** The last entry of its events that an event of the store was made of. */
  private StreamId lastTakenOver(UUID jobId) {
    Store.EventFilter emitted = new Store.EventFilter(jobId, null, EventType.EMITTED, null);
    for (Event event : engine.history(emitted, null, 1).items()) {
      String requestId = event.requestId();
      if (requestId != null && requestId.startsWith(Keys.TAKEN_OVER)) {
        return StreamId.parse(requestId.substring(Keys.TAKEN_OVER.length()));
      }
    }
    return StreamId.ZERO;
  }

  /** Tells the engine what one worker did, in that order; whether the job has moved on with it. */
  boolean tell(NativeJob job, long nowNanos) {
    UUID id = job.message().jobId();
    NativeJob.Step step = job.next(nowNanos);
    List<Command.Emit.Saying> sayings = job.sayings();
    boolean beats = step == NativeJob.Step.NOTHING && job.wantsBeat(nowNanos);
    if (!sayings.isEmpty()) {
      StreamId last = job.sight().last(job.cursor());
      engine.execute(new Command.Emit(id, job.proof(), sayings), Keys.TAKEN_OVER + last);
    } else if (beats) {
      engine.execute(new Command.Heartbeat(id, job.proof(), Progress.NONE), null);
    }
    job.told(nowNanos, beats || !sayings.isEmpty());
    String noticed = NOTICED + job.message().id();
    return switch (step) {
      case NOTHING -> false;
      case SETTLE -> {
        NativeSight.Said end = job.end();
        engine.execute(
            NativeReports.end(id, job.proof(), job.ending(), end),
            end == null ? noticed : Keys.TAKEN_OVER + end.id());
        yield true;
      }
      case ABANDON -> {
        if (!reader.isThere(job.message())) {
          // Redis has lost it, and nobody knows what its worker did with it.
          job.messageIsLost();
          yield false;
        }
        engine.execute(
            new Command.Abandon(id, job.proof(), Reasons.ACKNOWLEDGED_WITHOUT_RESULT), noticed);
        yield true;
      }
      case PUT_RIGHT -> {
        putRight(job);
        yield false;
      }
    };
  }

  /** Somebody who lost the job has ended it in Redis; who holds it goes on. */
  private void putRight(NativeJob job) {
    UUID id = job.message().jobId();
    Proof former = formerProof(id);
    NativeSight.Said end = job.end();
    if (former != null) {
      engine.execute(
          NativeReports.end(id, former, job.ending(), end), NOTICED + job.message().id());
    }
    if (end != null) {
      reader.retract(id, end.id());
    }
    reader.restore(id, job.sight());
    job.wasPutRight();
  }

  private @Nullable Proof formerProof(UUID id) {
    Proof known = stragglers.proof(id);
    if (known != null) {
      return known;
    }
    return engine.attempts(id).reversed().stream()
        .filter(past -> past.nativeMessage() != null)
        .findFirst()
        .map(past -> new Proof(past.workerId(), past.attemptId(), past.leaseToken(), null, null))
        .orElse(null);
  }
}
