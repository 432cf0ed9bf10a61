package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What may happen to a worker. Pure, like {@link Rules}. */
final class WorkerRules {
  private final long retentionMs;

  WorkerRules(long retentionMs) {
    this.retentionMs = retentionMs;
  }

  /**
   * What the rules say about one worker.
   *
   * @param after the worker from now on; null if nothing changes or it is forgotten
   */
  record Verdict<O>(O outcome, @Nullable Worker after, boolean isForgotten, List<Event> events) {
    static <O> Verdict<O> of(O outcome, Worker after, List<Event> events) {
      return new Verdict<>(outcome, after, false, events);
    }
  }

  /** Events about workers that are older than this are no longer kept. */
  long eventsBefore(long now) {
    return now - retentionMs;
  }

  Verdict<Outcome.OfRegister> register(
      @Nullable Worker known, Command.Register register, long now) {
    String expected = known == null ? null : known.nonceHash();
    String given = register.nonceHash();
    if (expected != null && (given == null || !Proof.sameSecret(given, expected))) {
      Event refused = Event.ofWorker(now, EventType.WORKER_REFUSED, register.workerId(), "nonce");
      return new Verdict<>(new Outcome.NonceMismatch(), null, false, List.of(refused));
    }
    Worker worker =
        new Worker(
            register.workerId(),
            register.skills(),
            register.slots(),
            register.nonceHash(),
            known == null ? null : known.name(),
            known == null ? null : known.tokenHash(),
            known != null && known.revoked(),
            known == null ? now : known.firstSeen(),
            now,
            now,
            0, // it counts anew
            null,
            true,
            Times.after(now, register.silenceMs()),
            known != null && known.draining());
    Event event = Event.ofWorker(now, EventType.WORKER_REGISTERED, worker.id(), null);
    return Verdict.of(new Outcome.Registered(worker), worker, List.of(event));
  }

  /** The outcome says whether it counted. */
  Verdict<Boolean> beat(Worker worker, Command.Beat beat, long now) {
    Long seq = beat.seq();
    if (seq != null && seq <= worker.seq()) {
      return new Verdict<>(false, null, false, List.of());
    }
    Worker after =
        worker.seen(
            now,
            beat.silenceMs(),
            seq == null ? worker.seq() : seq,
            beat.metrics() == null ? worker.metrics() : beat.metrics());
    return Verdict.of(true, after, ifBack(worker, now));
  }

  Verdict<Boolean> reconnect(Worker worker, Command.Reconnect reconnect, long now) {
    List<Event> events = new ArrayList<>(ifBack(worker, now));
    events.add(Event.ofWorker(now, EventType.WORKER_RECONNECTED, worker.id(), null));
    Worker after = worker.seen(now, reconnect.silenceMs(), worker.seq(), worker.metrics());
    return Verdict.of(true, after, events);
  }

  /** Gives a worker the one token that is valid for it from now on. */
  Verdict<Outcome.Enrolled> enrol(@Nullable Worker known, Command.Enrol enrol, long now) {
    Worker worker =
        new Worker(
            enrol.workerId(),
            known == null ? Skills.NONE : known.skills(),
            known == null ? 1 : known.slots(),
            known == null ? null : known.nonceHash(),
            enrol.name(),
            enrol.tokenHash(),
            false,
            known == null ? now : known.firstSeen(),
            known == null ? now : known.lastSeen(),
            now,
            0,
            known == null ? null : known.metrics(),
            known != null && known.online(),
            known == null ? Times.NEVER : known.dueAt(),
            known != null && known.draining());
    Event event = Event.ofWorker(now, EventType.WORKER_REGISTERED, worker.id(), null);
    return Verdict.of(new Outcome.Enrolled(worker), worker, List.of(event));
  }

  /** No token is valid for it any more. It stays known, so that none becomes valid again. */
  Verdict<Boolean> dismiss(Worker worker, long now) {
    Event event = Event.ofWorker(now, EventType.WORKER_REVOKED, worker.id(), null);
    return Verdict.of(true, worker.gone(true, Times.NEVER), List.of(event));
  }

  /** Lets it get jobs or none; what it has it keeps. */
  Verdict<Outcome.OfDrain> drain(Worker worker, boolean isDraining, long now) {
    if (worker.draining() == isDraining) {
      return new Verdict<>(new Outcome.Drained(worker, false), null, false, List.of());
    }
    Worker after = worker.draining(isDraining);
    EventType type = isDraining ? EventType.WORKER_DRAINING : EventType.WORKER_RESUMED;
    Event event = Event.ofWorker(now, type, worker.id(), null);
    return Verdict.of(new Outcome.Drained(after, true), after, List.of(event));
  }

  /** Somebody who is this worker did what this worker may not. */
  Verdict<Outcome.Noted> refuse(Command.NoteRefusal refusal, long now) {
    Event event =
        Event.ofWorker(now, EventType.WORKER_REFUSED, refusal.workerId(), refusal.reason());
    return new Verdict<>(new Outcome.Noted(), null, false, List.of(event));
  }

  /** Silence makes it count as gone, and a long silence forgotten, unless it has credentials. */
  Verdict<Boolean> tick(Worker worker, long now) {
    boolean hasCredentials =
        worker.nonceHash() != null || worker.tokenHash() != null || worker.revoked();
    long forgetAt = hasCredentials ? Times.NEVER : Times.after(worker.lastSeen(), retentionMs);
    if (!worker.online() && forgetAt <= now) {
      return new Verdict<>(true, null, true, List.of());
    }
    Worker after = worker.gone(worker.revoked(), Math.max(forgetAt, now + 1));
    Event event = Event.ofWorker(now, EventType.WORKER_OFFLINE, worker.id(), null);
    return Verdict.of(true, after, worker.online() ? List.of(event) : List.of());
  }

  private static List<Event> ifBack(Worker worker, long now) {
    return worker.online()
        ? List.of()
        : List.of(Event.ofWorker(now, EventType.WORKER_ONLINE, worker.id(), null));
  }
}
