package dev.stint.engine;

import dev.stint.engine.Store.Ready;
import dev.stint.engine.Store.TallyKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that one transaction touches, and what it makes of them: the rules' decisions are put in
 * one after the other, each sees what the ones before it did, and each job is written once.
 */
final class Batch {
  private final Map<UUID, Slot> slots = new LinkedHashMap<>();
  private final List<Event> events = new ArrayList<>();
  private final List<ClaimReceipt> receipts = new ArrayList<>();
  private final List<Store.Sighting> sightings = new ArrayList<>();
  private final List<Ready> notLookedAt = new ArrayList<>();
  private final Map<String, Worker> workers = new LinkedHashMap<>();
  private final List<String> forgotten = new ArrayList<>();
  private final Map<String, Store.Pause> paused = new LinkedHashMap<>();
  private final Set<String> resumed = new LinkedHashSet<>();
  private final Map<UUID, OutputMark> outputs = new LinkedHashMap<>();
  private final List<Store.Range> relayed = new ArrayList<>();
  private final List<UUID> again = new ArrayList<>();
  private final List<Store.Fading> gone = new ArrayList<>();
  private @Nullable Map<String, Set<UUID>> byHolder;
  private boolean removesSome;

  /** One job: as it was stored, if it was, and as it is now, if it still is. */
  private static final class Slot {
    final @Nullable Job stored;
    @Nullable Job now;
    Command.@Nullable Submit submit;
    boolean changed;
    Store.@Nullable DeadLetter letter;
    final List<Attempt> ended = new ArrayList<>(0);

    Slot(@Nullable Job stored) {
      this.stored = stored;
      this.now = stored;
    }
  }

  /** Takes in a job as it is stored, unless it is known already. */
  void load(Job job) {
    if (slots.putIfAbsent(job.id(), new Slot(job)) == null) {
      remember(job);
    }
  }

  /** Who held a job at any moment in this batch is found by it, once somebody has asked. */
  private void remember(@Nullable Job job) {
    if (byHolder != null && job != null && job.lease() != null) {
      byHolder
          .computeIfAbsent(job.lease().workerId(), workerId -> new LinkedHashSet<>())
          .add(job.id());
    }
  }

  /** Takes out a job that is over and that no command here is about. */
  void remove(Store.Fading job) {
    gone.add(job);
  }

  /** The job as the decisions so far left it. */
  @Nullable Job job(UUID jobId) {
    Slot slot = slots.get(jobId);
    return slot == null ? null : slot.now;
  }

  /** The attempts at a job that ended in this batch. */
  List<Attempt> ended(UUID jobId) {
    Slot slot = slots.get(jobId);
    return slot == null ? List.of() : slot.ended;
  }

  /** The same as {@code stored}, or what decisions in this batch made of it. */
  @Nullable Job latest(Job stored) {
    load(stored);
    return job(stored.id());
  }

  /** The loaded jobs that a worker holds now. */
  List<Job> heldBy(String workerId) {
    if (byHolder == null) {
      byHolder = new HashMap<>();
      slots.values().forEach(slot -> remember(slot.now));
    }
    List<Job> held = new ArrayList<>();
    for (UUID jobId : byHolder.getOrDefault(workerId, Set.of())) {
      Job job = job(jobId);
      if (job != null && job.isHeldBy(workerId)) {
        held.add(job);
      }
    }
    return held;
  }

  void arrive(Command.Submit submit, Decision<?> decision, @Nullable String requestId) {
    Slot slot = new Slot(null);
    slot.submit = submit;
    slots.put(submit.jobId(), slot);
    apply(submit.jobId(), decision, requestId);
  }

  <T> T apply(UUID jobId, Decision<T> decision, @Nullable String requestId) {
    Slot slot = slots.get(jobId);
    if (slot == null) {
      throw new IllegalStateException("job " + jobId + " was not loaded");
    }
    Job before = slot.now;
    slot.changed |= slot.stored == null || !slot.stored.equals(decision.after());
    slot.now = decision.after();
    removesSome |= slot.now == null;
    remember(slot.now);
    if (decision.settled() != null) {
      slot.ended.add(decision.settled());
    }
    if (isDead(slot.now) && !isDead(before)) {
      slot.letter = letter(Objects.requireNonNull(slot.now), decision.settled());
    }
    addEvents(decision.events(), requestId);
    return decision.outcome();
  }

  private static boolean isDead(@Nullable Job job) {
    return job != null && job.state() == JobState.FAILED;
  }

  private static Store.DeadLetter letter(Job job, @Nullable Attempt settled) {
    String error = settled == null ? null : settled.error();
    return new Store.DeadLetter(
        Fingerprint.of(job.reason(), error),
        new Store.DeadSample(
            job.id(),
            job.spec().queue(),
            Fingerprint.message(job.reason(), error),
            job.updatedAt()));
  }

  private void addEvents(List<Event> added, @Nullable String requestId) {
    for (Event event : added) {
      events.add(requestId == null ? event : event.causedBy(requestId));
    }
  }

  void output(OutputMark mark) {
    outputs.put(mark.jobId(), mark);
  }

  /** Which jobs have so many events of progress that old ones have to go, and how many. */
  private Map<UUID, Integer> faded() {
    Map<UUID, Integer> faded = new HashMap<>();
    for (Event event : events) {
      if (isOfProgress(event) && event.jobId() != null) {
        Job job = job(event.jobId());
        if (job != null && job.progress().told() > Progress.MAX_TOLD) {
          int tooMany = job.progress().told() - Progress.MAX_TOLD;
          faded.merge(job.id(), 1, (before, one) -> Math.min(before + one, tooMany));
        }
      }
    }
    return faded;
  }

  private static boolean isOfProgress(Event event) {
    return event.type() == EventType.PROGRESS || event.type() == EventType.EMITTED;
  }

  void relayed(List<Store.Range> notes) {
    relayed.addAll(notes);
  }

  /** A mirror has to look at these again, though nothing has happened to them. */
  void lookAgain(Collection<UUID> jobIds) {
    again.addAll(jobIds);
  }

  void receipt(ClaimReceipt receipt) {
    receipts.add(receipt);
  }

  void sighting(Store.Sighting sighting) {
    sightings.add(sighting);
  }

  void pause(Store.Pause pause, Event event, @Nullable String requestId) {
    resumed.remove(pause.queue());
    paused.put(pause.queue(), pause);
    addEvents(List.of(event), requestId);
  }

  void resume(String queue, Event event, @Nullable String requestId) {
    paused.remove(queue);
    resumed.add(queue);
    addEvents(List.of(event), requestId);
  }

  /** Takes in what the rules say of a worker. */
  <T> T apply(String workerId, WorkerRules.Verdict<T> verdict, @Nullable String requestId) {
    if (verdict.after() == null) {
      if (verdict.isForgotten()) {
        forgotten.add(workerId);
      }
    } else {
      workers.put(workerId, verdict.after());
    }
    addEvents(verdict.events(), requestId);
    return verdict.outcome();
  }

  /**
   * What is to be written.
   *
   * @param notes for a mirror; takes in what it has to be told
   */
  Store.Changes changes(long eventsBefore, Notes notes) {
    if (removesSome) {
      dropWhatIsOfRemoved();
    }
    List<Store.Arrival> arrivals = new ArrayList<>();
    List<Job> updates = new ArrayList<>();
    List<UUID> removals = new ArrayList<>();
    List<Store.DeadLetter> dead = new ArrayList<>();
    List<UUID> risen = new ArrayList<>();
    Map<TallyKey, Long> tally = new HashMap<>();
    List<Attempt> attempts = new ArrayList<>();
    for (Slot slot : slots.values()) {
      Job before = slot.stored;
      Job after = slot.now;
      if (after != null) {
        attempts.addAll(slot.ended);
      }
      if (!slot.changed) {
        continue;
      }
      if (after == null) {
        if (before != null) {
          removals.add(before.id());
          notes.gone(before.id(), before.spec().queue());
        }
      } else if (slot.submit != null) {
        arrivals.add(new Store.Arrival(after, slot.submit.content(), slot.submit.key()));
      } else {
        updates.add(after);
      }
      boolean stillDead = isDead(after) && slot.letter == null;
      if (before != null && isDead(before) && !stillDead) {
        risen.add(before.id());
      }
      if (isDead(after) && slot.letter != null) {
        dead.add(slot.letter);
      }
      count(tally, before, -1);
      count(tally, after, 1);
    }
    for (Store.Fading job : gone) {
      removals.add(job.id());
      notes.gone(job.id(), job.queue());
      if (job.state() == JobState.FAILED) {
        risen.add(job.id());
      }
      tally.merge(new TallyKey(job.queue(), job.state()), -1L, Long::sum);
    }
    tally.values().removeIf(change -> change == 0);
    tell(notes, arrivals, updates);
    return new Store.Changes(
        arrivals,
        updates,
        removals,
        attempts,
        events,
        receipts,
        sightings,
        List.copyOf(workers.values()),
        forgotten,
        List.copyOf(paused.values()),
        List.copyOf(resumed),
        dead,
        risen,
        List.copyOf(outputs.values()),
        faded(),
        eventsBefore,
        tally,
        notes.all(),
        List.copyOf(relayed));
  }

  private void tell(Notes notes, List<Store.Arrival> arrivals, List<Job> updates) {
    arrivals.forEach(arrival -> notes.came(arrival.job().id()));
    updates.forEach(job -> notes.changed(job.id(), stored(job.id())));
    for (Event event : events) {
      if (event.jobId() != null) {
        notes.changed(event.jobId(), stored(event.jobId()));
      }
    }
    again.forEach(id -> notes.changed(id, null));
    workers.keySet().forEach(notes::ofWorker);
    forgotten.forEach(notes::ofWorker);
    sightings.forEach(sighting -> notes.ofWorker(sighting.workerId()));
    paused.keySet().forEach(notes::ofQueue);
    resumed.forEach(notes::ofQueue);
  }

  /** Nothing may be kept of a job that is removed: nobody would ever take it away. */
  private void dropWhatIsOfRemoved() {
    events.removeIf(event -> event.jobId() != null && isRemoved(event.jobId()));
    receipts.removeIf(receipt -> isRemoved(receipt.jobId()));
    outputs.keySet().removeIf(this::isRemoved);
  }

  private boolean isRemoved(UUID jobId) {
    Slot slot = slots.get(jobId);
    return slot != null && slot.now == null;
  }

  private @Nullable Job stored(UUID jobId) {
    Slot slot = slots.get(jobId);
    return slot == null ? null : slot.stored;
  }

  private static void count(Map<TallyKey, Long> tally, @Nullable Job job, long by) {
    if (job != null) {
      tally.merge(new TallyKey(job.spec().queue(), job.state()), by, Long::sum);
    }
  }

  /** Claims have not looked at all that may be there, so that they have to be woken for it. */
  void mayHaveMore(Ready notLooked) {
    notLookedAt.add(notLooked);
  }

  /**
   * The jobs that claims can find from now on: also those that were claimable before, since claims
   * of other writers have passed them over while this transaction had them locked.
   */
  List<Ready> ready() {
    Map<Map.Entry<String, Needs>, Integer> counts = new HashMap<>();
    for (Slot slot : slots.values()) {
      Job after = slot.now;
      if (after != null && after.claimable()) {
        counts.merge(Map.entry(after.spec().queue(), after.spec().needs()), 1, Integer::sum);
      }
    }
    List<Ready> ready = new ArrayList<>(notLookedAt);
    counts.forEach((kind, count) -> ready.add(new Ready(kind.getKey(), kind.getValue(), count)));
    return ready;
  }

  /** How many jobs became COMPLETED, by queue. */
  Map<String, Integer> completions() {
    Map<String, Integer> completions = new HashMap<>();
    for (Slot slot : slots.values()) {
      Job after = slot.now;
      boolean wasCompleted = slot.stored != null && slot.stored.state() == JobState.COMPLETED;
      if (after != null && after.state() == JobState.COMPLETED && !wasCompleted) {
        completions.merge(after.spec().queue(), 1, Integer::sum);
      }
    }
    return completions;
  }

  /** How many jobs waited and do so no longer, by queue. */
  Map<String, Integer> departures() {
    Map<String, Integer> departures = new HashMap<>();
    for (Slot slot : slots.values()) {
      Job before = slot.stored;
      boolean waits = slot.now != null && Tally.isQueued(slot.now.state());
      if (before != null && Tally.isQueued(before.state()) && !waits) {
        departures.merge(before.spec().queue(), 1, Integer::sum);
      }
    }
    return departures;
  }

  /** The earliest due time among the jobs that changed. */
  long earliestDueAt() {
    long earliest = Times.NEVER;
    for (Slot slot : slots.values()) {
      if (slot.now != null && slot.changed) {
        earliest = Math.min(earliest, slot.now.dueAt());
      }
    }
    return earliest;
  }
}
