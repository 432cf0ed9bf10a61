package dev.stint.testkit;

import dev.stint.engine.Attempt;
import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.Event;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobState;
import dev.stint.engine.OutputMark;
import dev.stint.engine.Skills;
import dev.stint.engine.Store;
import dev.stint.engine.Store.Arrival;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.DeadLetter;
import dev.stint.engine.Store.Note;
import dev.stint.engine.Store.Pause;
import dev.stint.engine.Store.Range;
import dev.stint.engine.Store.Sighting;
import dev.stint.engine.Store.TallyKey;
import dev.stint.engine.Worker;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects {@link Changes} of which most parts are empty. */
public final class ChangeSet {
  /** How long after a sighting its worker counts as gone. */
  public static final long SILENCE_MS = 60_000;

  private final List<Arrival> arrivals = new ArrayList<>();
  private List<Job> updates = new ArrayList<>();
  private final List<UUID> removals = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<ClaimReceipt> receipts = new ArrayList<>();
  private final List<Sighting> sightings = new ArrayList<>();
  private final List<Worker> workers = new ArrayList<>();
  private final List<String> forgotten = new ArrayList<>();
  private final List<Pause> paused = new ArrayList<>();
  private final List<String> resumed = new ArrayList<>();
  private final List<DeadLetter> dead = new ArrayList<>();
  private final List<UUID> risen = new ArrayList<>();
  private final List<OutputMark> outputs = new ArrayList<>();
  private final Map<UUID, Integer> faded = new HashMap<>();
  private final Map<TallyKey, Long> tally = new HashMap<>();
  private final List<Note> notes = new ArrayList<>();
  private final List<Range> relayed = new ArrayList<>();
  private long eventsBefore;

  public ChangeSet arrive(Job... jobs) {
    for (Job job : jobs) {
      arrive(job, SampleJobs.CONTENT, null);
    }
    return this;
  }

  public ChangeSet arrive(Job job, JobContent content, @Nullable IdempotencyKey key) {
    arrivals.add(new Arrival(job, content, key));
    return this;
  }

  public ChangeSet update(Job job) {
    updates.add(job);
    return this;
  }

  /** All updates at once, in a list of the test's own. */
  ChangeSet updates(List<Job> jobs) {
    updates = jobs;
    return this;
  }

  public ChangeSet remove(UUID jobId) {
    removals.add(jobId);
    return this;
  }

  public ChangeSet attempt(Attempt attempt) {
    attempts.add(attempt);
    return this;
  }

  public ChangeSet event(Event event) {
    events.add(event);
    return this;
  }

  public ChangeSet receipt(ClaimReceipt receipt) {
    receipts.add(receipt);
    return this;
  }

  public ChangeSet seen(String workerId, @Nullable Skills skills, long at) {
    sightings.add(new Sighting(workerId, skills, at, at + SILENCE_MS));
    return this;
  }

  public ChangeSet worker(Worker worker) {
    workers.add(worker);
    return this;
  }

  public ChangeSet forget(String workerId) {
    forgotten.add(workerId);
    return this;
  }

  public ChangeSet pause(String queue, @Nullable String reason, long since) {
    paused.add(new Pause(queue, reason, since));
    return this;
  }

  public ChangeSet resume(String queue) {
    resumed.add(queue);
    return this;
  }

  public ChangeSet dead(DeadLetter letter) {
    dead.add(letter);
    return this;
  }

  public ChangeSet risen(UUID jobId) {
    risen.add(jobId);
    return this;
  }

  public ChangeSet output(OutputMark mark) {
    outputs.add(mark);
    return this;
  }

  /** So many of its oldest events of progress may go. */
  public ChangeSet fade(UUID jobId, int events) {
    faded.put(jobId, events);
    return this;
  }

  /** Events of workers from before then may go. */
  public ChangeSet eventsBefore(long at) {
    eventsBefore = at;
    return this;
  }

  public ChangeSet tally(String queue, JobState state, long delta) {
    tally.merge(new TallyKey(queue, state), delta, Long::sum);
    return this;
  }

  public ChangeSet note(Note note) {
    notes.add(note);
    return this;
  }

  /** Notes with these numbers may go. */
  public ChangeSet relayed(long first, long last) {
    relayed.add(new Range(first, last));
    return this;
  }

  /** Saves it in a transaction of its own. */
  public void saveIn(Store store) {
    store.transact(transaction -> {
      transaction.lockWorkers(workers.stream().map(Worker::id).toList());
      transaction.save(build());
      return true;
    });
  }

  public Changes build() {
    return new Changes(
        arrivals,
        updates,
        removals,
        attempts,
        events,
        receipts,
        sightings,
        workers,
        forgotten,
        paused,
        resumed,
        dead,
        risen,
        outputs,
        faded,
        eventsBefore,
        tally,
        notes,
        relayed);
  }
}
