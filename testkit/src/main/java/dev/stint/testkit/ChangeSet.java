package dev.stint.testkit;

import dev.stint.engine.Attempt;
import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.Event;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobState;
import dev.stint.engine.Skills;
import dev.stint.engine.Store.Arrival;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Sighting;
import dev.stint.engine.Store.TallyKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects {@link Changes} of which most parts are empty. */
public final class ChangeSet {
  private final List<Arrival> arrivals = new ArrayList<>();
  private final List<Job> updates = new ArrayList<>();
  private final List<UUID> removals = new ArrayList<>();
  private final List<Attempt> attempts = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();
  private final List<ClaimReceipt> receipts = new ArrayList<>();
  private final List<Sighting> sightings = new ArrayList<>();
  private final Map<TallyKey, Long> tally = new HashMap<>();

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

  public ChangeSet seen(String workerId, Skills skills, long at) {
    sightings.add(new Sighting(workerId, skills, at));
    return this;
  }

  public ChangeSet tally(String queue, JobState state, long delta) {
    tally.merge(new TallyKey(queue, state), delta, Long::sum);
    return this;
  }

  public Changes build() {
    return new Changes(arrivals, updates, removals, attempts, events, receipts, sightings, tally);
  }
}
