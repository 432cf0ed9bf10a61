package dev.stint.storage;

import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.Needs;
import dev.stint.engine.OutputMark;
import dev.stint.engine.Store.Arrival;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.DeadLetter;
import dev.stint.engine.Store.Pause;
import dev.stint.engine.Store.Sighting;
import dev.stint.engine.Store.TallyKey;
import dev.stint.engine.Worker;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Takes changes apart into the rows of each {@link Part}. */
final class Saving {
  /** What goes with a job. */
  static final List<Part> REMOVALS =
      List.of(
          Part.REMOVED_JOBS,
          Part.REMOVED_CONTENTS,
          Part.REMOVED_KEYS,
          Part.REMOVED_ATTEMPTS,
          Part.REMOVED_EVENTS,
          Part.REMOVED_RECEIPTS,
          Part.REMOVED_OUTPUTS);

  /** Where the rows of a part go; asked for only if there is a row. */
  interface Sinks {
    RowSink of(Part part) throws SQLException;
  }

  /** Gives the id of a class of needs, interning it if it is new. */
  interface NeedsIds {
    long of(Needs needs) throws SQLException;
  }

  /**
   * What a transaction has read or written so far.
   *
   * @param jobs as they are stored
   * @param receipts those that are there
   * @param workers those that are known
   */
  record Seen(Map<UUID, Job> jobs, Set<ClaimReceipt.Key> receipts, Set<String> workers) {}

  private final Sinks sinks;
  private final NeedsIds needsIds;

  Saving(Sinks sinks, NeedsIds needsIds) {
    this.sinks = sinks;
    this.needsIds = needsIds;
  }

  /** Hands jobs that go to the sinks. */
  void remove(Collection<UUID> jobIds) throws SQLException {
    for (UUID id : jobIds) {
      for (Part part : REMOVALS) {
        sinks.of(part).uuid(id).endRow();
      }
    }
  }

  /**
   * Hands all other rows to the sinks.
   *
   * @param seen what of it this transaction has seen
   */
  void write(Changes changes, Seen seen, long now, int shard) throws SQLException {
    for (Arrival arrival : changes.arrivals()) {
      writeArrival(arrival);
    }
    for (Job job : changes.updates()) {
      writeUpdate(seen.jobs().get(job.id()), job);
    }
    for (var attempt : changes.attempts()) {
      AttemptTable.write(sinks.of(Part.ATTEMPTS), attempt);
    }
    writeEvents(changes);
    writeOutputs(changes);
    writeReceipts(changes.receipts(), seen.receipts(), now);
    writeDead(changes, shard);
    writeQueues(changes);
    writeWorkers(changes, seen.workers());
    for (var range : changes.relayed()) {
      sinks.of(Part.RELAYED).number(range.first()).number(range.last()).endRow();
    }
    for (var note : changes.notes()) {
      OutboxTable.write(sinks.of(Part.NOTES), note);
    }
    writeTally(changes.tally(), shard);
  }

  private void writeArrival(Arrival arrival) throws SQLException {
    Job job = arrival.job();
    Part part = job.state().isTerminal() ? Part.NEW_ENDED_JOBS : Part.NEW_JOBS;
    JobTable.writeNew(sinks.of(part), job, needsIds.of(job.spec().needs()));
    ContentTable.write(sinks.of(Part.NEW_CONTENTS), job.id(), arrival.content());
    IdempotencyKey key = arrival.key();
    if (key != null) {
      sinks.of(Part.NEW_KEYS).text(key.key()).text(key.requestHash()).uuid(job.id()).endRow();
    }
  }

  private void writeUpdate(@Nullable Job before, Job after) throws SQLException {
    if (before == null || before.state().isTerminal()) {
      JobTable.writeMoved(sinks.of(Part.REVISED_JOBS), after);
    } else if (after.state().isTerminal()) {
      JobTable.writeMoved(sinks.of(Part.ENDED_JOBS), after);
    } else if (JobTable.isOnlyAlive(before, after)) {
      JobTable.writeAlive(sinks.of(Part.ALIVE_JOBS), after);
    } else {
      Part part = after.lease() == null ? Part.MOVED_JOBS : Part.HELD_JOBS;
      JobTable.writeMoved(sinks.of(part), after);
    }
  }

  /**
   * Writes them in the order of their keys, and with every few lets some go that have expired. A
   * receipt may replace one that has expired or that this transaction has seen. Any other was given
   * by another writer for the same claim at the same time: that is a conflict.
   */
  private void writeReceipts(List<ClaimReceipt> receipts, Set<ClaimReceipt.Key> seen, long now)
      throws SQLException {
    if (receipts.isEmpty()) {
      return;
    }
    sinks.of(Part.EXPIRED_RECEIPTS).number(now).number(2L * receipts.size() + 8).endRow();
    SortedMap<ClaimReceipt.Key, ClaimReceipt> newest =
        new TreeMap<>(
            Comparator.comparing(ClaimReceipt.Key::workerId)
                .thenComparing(ClaimReceipt.Key::claimId));
    receipts.forEach(receipt -> newest.put(receipt.key(), receipt));
    for (ClaimReceipt receipt : newest.values()) {
      sinks
          .of(Part.REPLACED_RECEIPTS)
          .text(receipt.key().workerId())
          .text(receipt.key().claimId())
          .number(seen.contains(receipt.key()) ? Long.MAX_VALUE : now)
          .endRow();
      sinks
          .of(Part.RECEIPTS)
          .text(receipt.key().workerId())
          .text(receipt.key().claimId())
          .uuid(receipt.jobId())
          .number(receipt.fence())
          .number(receipt.expiresAt())
          .endRow();
    }
  }

  /**
   * With every few events of workers that come, some go that are too old; jobs take theirs along.
   */
  private void writeEvents(Changes changes) throws SQLException {
    long ofWorkers = 0;
    for (var event : changes.events()) {
      EventTable.write(sinks.of(Part.EVENTS), event);
      ofWorkers += event.jobId() == null ? 1 : 0;
    }
    if (ofWorkers > 0) {
      sinks
          .of(Part.EXPIRED_EVENTS)
          .number(changes.eventsBefore())
          .number(2 * ofWorkers + 8)
          .endRow();
    }
  }

  /** Each job by itself, but each group once; empty groups go as soon as one may be. */
  private void writeDead(Changes changes, int shard) throws SQLException {
    for (UUID id : changes.risen()) {
      sinks.of(Part.RISEN_COUNTS).number(shard).uuid(id).endRow();
      sinks.of(Part.RISEN).uuid(id).endRow();
    }
    SortedMap<String, List<DeadLetter>> groups = new TreeMap<>();
    for (DeadLetter letter : changes.dead()) {
      String fingerprint = letter.fingerprint().id();
      sinks.of(Part.DEAD).uuid(letter.sample().jobId()).text(fingerprint).endRow();
      groups.computeIfAbsent(fingerprint, f -> new ArrayList<>()).add(letter);
    }
    for (List<DeadLetter> group : groups.values()) {
      DeadTable.write(sinks.of(Part.DEAD_GROUPS), group, shard);
    }
    if (!changes.risen().isEmpty()) {
      sinks.of(Part.EMPTY_GROUPS).number(shard).endRow();
    }
  }

  private void writeQueues(Changes changes) throws SQLException {
    for (String queue : changes.resumed()) {
      sinks.of(Part.RESUMED_QUEUES).text(queue).endRow();
    }
    for (Pause pause : changes.paused()) {
      sinks
          .of(Part.PAUSED_QUEUES)
          .text(pause.queue())
          .text(pause.reason())
          .number(pause.since())
          .endRow();
    }
  }

  private void writeOutputs(Changes changes) throws SQLException {
    for (Map.Entry<UUID, Integer> faded : changes.faded().entrySet()) {
      sinks
          .of(Part.FADED_EVENTS)
          .uuid(faded.getKey())
          .number(faded.getValue().longValue())
          .endRow();
    }
    for (OutputMark mark : changes.outputs()) {
      sinks
          .of(Part.OUTPUTS)
          .uuid(mark.jobId())
          .number(mark.fence())
          .number(mark.offset())
          .number(mark.bytes())
          .endRow();
    }
  }

  /**
   * In the order of their ids, so that two writers do not wait for each other. A worker that this
   * transaction has not seen is new. If another writer has made it known meanwhile that is a
   * conflict: one of two who register under one name at the same time has to be refused.
   */
  private void writeWorkers(Changes changes, Set<String> known) throws SQLException {
    for (String id : changes.forgotten()) {
      sinks.of(Part.FORGOTTEN_WORKERS).text(id).endRow();
    }
    SortedMap<String, Worker> workers = new TreeMap<>();
    changes.workers().forEach(worker -> workers.put(worker.id(), worker));
    for (Worker worker : workers.values()) {
      Part part = known.contains(worker.id()) ? Part.WORKERS : Part.NEW_WORKERS;
      WorkerTable.write(sinks.of(part), worker);
    }
    SortedMap<String, Sighting> withSkills = new TreeMap<>();
    SortedMap<String, Sighting> without = new TreeMap<>();
    for (Sighting sighting : changes.sightings()) {
      (sighting.skills() == null ? without : withSkills).put(sighting.workerId(), sighting);
    }
    for (Sighting sighting : withSkills.values()) {
      WorkerTable.writeSighting(sinks.of(Part.SIGHTINGS), sighting);
    }
    for (Sighting sighting : without.values()) {
      WorkerTable.writeSeen(sinks.of(Part.SEEN), sighting);
    }
  }

  private void writeTally(Map<TallyKey, Long> tally, int shard) throws SQLException {
    List<TallyKey> keys =
        tally.keySet().stream()
            .sorted(Comparator.comparing(TallyKey::queue).thenComparing(TallyKey::state))
            .toList();
    for (TallyKey key : keys) {
      long delta = tally.getOrDefault(key, 0L);
      if (delta != 0) {
        sinks
            .of(Part.TALLY)
            .text(key.queue())
            .text(key.state().name())
            .number(shard)
            .number(delta)
            .endRow();
      }
    }
  }
}
