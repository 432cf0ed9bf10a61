package dev.stint.engine;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
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
    if (expected != null && !isSame(expected, register.nonceHash())) {
      Event refused = Event.ofWorker(now, EventType.WORKER_REFUSED, register.workerId(), "nonce");
      return new Verdict<>(
          new Outcome.NonceMismatch(register.workerId()), null, false, List.of(refused));
    }
    Worker worker =
        new Worker(
            register.workerId(),
            register.skills(),
            register.slots(),
            register.nonceHash(),
            known == null ? now : known.firstSeen(),
            now,
            now,
            0, // it counts anew
            null,
            true,
            Times.after(now, register.silenceMs()));
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
        seen(
            worker,
            now,
            beat.silenceMs(),
            seq == null ? worker.seq() : seq,
            beat.metrics() == null ? worker.metrics() : beat.metrics());
    return Verdict.of(true, after, ifBack(worker, now));
  }

  Verdict<Boolean> reconnect(Worker worker, Command.Reconnect reconnect, long now) {
    List<Event> events = new ArrayList<>(ifBack(worker, now));
    events.add(Event.ofWorker(now, EventType.WORKER_RECONNECTED, worker.id(), null));
    Worker after = seen(worker, now, reconnect.silenceMs(), worker.seq(), worker.metrics());
    return Verdict.of(true, after, events);
  }

  /** Silence makes it count as gone, and a long silence forgotten, unless it has a nonce. */
  Verdict<Boolean> tick(Worker worker, long now) {
    long forgetAt =
        worker.nonceHash() == null ? Times.after(worker.lastSeen(), retentionMs) : Times.NEVER;
    if (!worker.online() && forgetAt <= now) {
      return new Verdict<>(true, null, true, List.of());
    }
    Worker after =
        new Worker(
            worker.id(),
            worker.skills(),
            worker.slots(),
            worker.nonceHash(),
            worker.firstSeen(),
            worker.lastSeen(),
            worker.registeredAt(),
            worker.seq(),
            worker.metrics(),
            false,
            Math.max(forgetAt, now + 1));
    Event event = Event.ofWorker(now, EventType.WORKER_OFFLINE, worker.id(), null);
    return Verdict.of(true, after, worker.online() ? List.of(event) : List.of());
  }

  private static List<Event> ifBack(Worker worker, long now) {
    return worker.online()
        ? List.of()
        : List.of(Event.ofWorker(now, EventType.WORKER_ONLINE, worker.id(), null));
  }

  private static Worker seen(
      Worker worker, long now, long silenceMs, long seq, @Nullable String metrics) {
    return new Worker(
        worker.id(),
        worker.skills(),
        worker.slots(),
        worker.nonceHash(),
        worker.firstSeen(),
        now,
        worker.registeredAt(),
        seq,
        metrics,
        true,
        Times.after(now, silenceMs));
  }

  private static boolean isSame(String expected, @Nullable String given) {
    return given != null
        && MessageDigest.isEqual(
            expected.getBytes(StandardCharsets.UTF_8), given.getBytes(StandardCharsets.UTF_8));
  }
}
