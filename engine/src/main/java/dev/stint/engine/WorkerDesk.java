package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Carries out what one transaction has to do with workers and with all that they hold. */
final class WorkerDesk {
  /** How many jobs a worker may hold for a command about all of them to see all of them. */
  static final int HELD_LIMIT = 10_000;

  private final Rules rules;
  private final Batch batch;
  private final Map<String, Worker> workers;
  private final Map<String, List<UUID>> held;
  private final long now;

  /**
   * The desk of one transaction.
   *
   * @param workers those that commands are about, as far as they are known; kept up to date
   * @param held what those held that commands are about, before it was locked
   */
  WorkerDesk(
      Rules rules,
      Batch batch,
      Map<String, Worker> workers,
      Map<String, List<UUID>> held,
      long now) {
    this.rules = rules;
    this.batch = batch;
    this.workers = workers;
    this.held = held;
    this.now = now;
  }

  /** Whether a command touches the jobs that its worker holds. */
  static boolean isAboutJobs(Command.OfWorker<?> command) {
    return switch (command) {
      case Command.AbortHeldBy _, Command.Beat _, Command.Dismiss _, Command.Reconnect _ -> true;
      case Command.Register _, Command.Enrol _, Command.Drain _, Command.NoteRefusal _ -> false;
    };
  }

  @SuppressWarnings("unchecked") // each command's type says which outcomes it has
  void carryOut(Entry<?> entry) {
    String requestId = entry.requestId();
    switch ((Command.OfWorker<?>) entry.command()) {
      case Command.AbortHeldBy abort ->
          ((Entry<Outcome.Aborted>) entry).outcome(abortHeldBy(abort, requestId));
      case Command.Register register ->
          ((Entry<Outcome.OfRegister>) entry).outcome(register(register, requestId));
      case Command.Enrol enrol ->
          ((Entry<Outcome.Enrolled>) entry).outcome(enrol(enrol, requestId));
      case Command.Dismiss dismiss ->
          ((Entry<Outcome.OfDismiss>) entry).outcome(dismiss(dismiss, requestId));
      case Command.Drain drain -> ((Entry<Outcome.OfDrain>) entry).outcome(drain(drain, requestId));
      case Command.NoteRefusal refusal ->
          ((Entry<Outcome.Noted>) entry)
              .outcome(apply(refusal.workerId(), rules.workers.refuse(refusal, now), requestId));
      case Command.Beat beat -> ((Entry<Outcome.OfBeat>) entry).outcome(beat(beat, requestId));
      case Command.Reconnect reconnect ->
          ((Entry<Outcome.Reconnected>) entry).outcome(reconnect(reconnect, requestId));
    }
  }

  /** Lets time act on those whose moment has come. */
  void sweep(List<Worker> due) {
    for (Worker worker : due) {
      Worker latest = workers.getOrDefault(worker.id(), worker);
      if (latest.dueAt() <= now) {
        apply(latest.id(), rules.workers.tick(latest, now), null);
      }
    }
  }

  private Outcome.Aborted abortHeldBy(Command.AbortHeldBy abort, @Nullable String requestId) {
    List<UUID> aborted = new ArrayList<>();
    for (Job job : batch.heldBy(abort.workerId())) {
      Command.Abort one = new Command.Abort(job.id(), null, abort.reason());
      batch.apply(job.id(), rules.abort(job, one, now), requestId);
      aborted.add(job.id());
    }
    // Some of those may have ended before they were locked, and others be left all the same.
    boolean more = held.getOrDefault(abort.workerId(), List.of()).size() >= HELD_LIMIT;
    return new Outcome.Aborted(aborted, more);
  }

  private Outcome.OfRegister register(Command.Register register, @Nullable String requestId) {
    Worker known = workers.get(register.workerId());
    return apply(register.workerId(), rules.workers.register(known, register, now), requestId);
  }

  private Outcome.Enrolled enrol(Command.Enrol enrol, @Nullable String requestId) {
    Worker known = workers.get(enrol.workerId());
    return apply(enrol.workerId(), rules.workers.enrol(known, enrol, now), requestId);
  }

  private Outcome.OfDismiss dismiss(Command.Dismiss dismiss, @Nullable String requestId) {
    Worker known = workers.get(dismiss.workerId());
    if (known == null || known.revoked()) {
      return new Outcome.UnknownWorker();
    }
    apply(known.id(), rules.workers.dismiss(known, now), requestId);
    for (Job job : batch.heldBy(known.id())) {
      batch.apply(job.id(), rules.time.abandon(job, Reasons.WORKER_REVOKED, now), requestId);
    }
    return new Outcome.Dismissed();
  }

  private Outcome.OfDrain drain(Command.Drain drain, @Nullable String requestId) {
    Worker known = workers.get(drain.workerId());
    return known == null
        ? new Outcome.UnknownWorker()
        : apply(known.id(), rules.workers.drain(known, drain.isDraining(), now), requestId);
  }

  private Outcome.OfBeat beat(Command.Beat beat, @Nullable String requestId) {
    Worker known = workers.get(beat.workerId());
    if (known == null && !beat.mayBeNew()) {
      return new Outcome.UnknownWorker();
    }
    boolean applied =
        known == null
            ? see(beat)
            : apply(beat.workerId(), rules.workers.beat(known, beat, now), requestId);
    if (applied) {
      for (Job job : claimedBy(beat.workerId())) {
        batch.apply(job.id(), rules.reports.extend(job, now), requestId);
      }
    }
    return new Outcome.Beaten(applied, claimedBy(beat.workerId()));
  }

  private boolean see(Command.Beat beat) {
    long silentAt = Times.after(now, beat.silenceMs());
    batch.sighting(new Store.Sighting(beat.workerId(), Skills.NONE, now, silentAt));
    return true;
  }

  /** Without what somebody of the same name got by its message, who has another way to report. */
  private List<Job> claimedBy(String workerId) {
    List<Job> claimed = new ArrayList<>(batch.heldBy(workerId));
    claimed.removeIf(job -> job.lease() != null && job.lease().nativeMessage() != null);
    return claimed;
  }

  private Outcome.Reconnected reconnect(Command.Reconnect reconnect, @Nullable String requestId) {
    Worker known = workers.get(reconnect.workerId());
    if (known != null) {
      apply(reconnect.workerId(), rules.workers.reconnect(known, reconnect, now), requestId);
    }
    for (Job job : claimedBy(reconnect.workerId())) {
      Decision<Boolean> decision =
          reconnect.running().contains(job.id())
              ? rules.reports.goOn(job, now)
              : rules.time.abandon(job, Reasons.WORKER_RESTARTED, now);
      batch.apply(job.id(), decision, requestId);
    }
    return new Outcome.Reconnected(claimedBy(reconnect.workerId()));
  }

  private <T> T apply(String workerId, WorkerRules.Verdict<T> verdict, @Nullable String requestId) {
    if (verdict.after() != null) {
      workers.put(workerId, verdict.after());
    }
    return batch.apply(workerId, verdict, requestId);
  }
}
