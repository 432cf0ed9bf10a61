package dev.stint.engine;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What one transaction has to tell a mirror of the jobs: each job, worker and queue once. */
final class Notes {
  private final boolean wanted;
  private final Unseen.Turn turn;
  private final long now;
  private final Set<UUID> asked = new HashSet<>();
  private final Map<UUID, Store.Note> jobs = new LinkedHashMap<>();
  private final Set<String> workers = new LinkedHashSet<>();
  private final Set<String> queues = new LinkedHashSet<>();

  /**
   * Notes of one transaction.
   *
   * @param wanted whether there is a mirror; without one nothing is noted
   * @param turn knows what it need not be told again
   */
  Notes(boolean wanted, Unseen.Turn turn, long now) {
    this.wanted = wanted;
    this.turn = turn;
    this.now = now;
  }

  void came(UUID jobId) {
    if (wanted && asked.add(jobId)) {
      turn.comes(jobId);
      note(jobId);
    }
  }

  /**
   * Something happened to a job.
   *
   * @param stored as it was before, if that is known
   */
  void changed(UUID jobId, @Nullable Job stored) {
    if (wanted && asked.add(jobId) && turn.changes(jobId, stored)) {
      note(jobId);
    }
  }

  private void note(UUID jobId) {
    jobs.put(jobId, new Store.Note(0, now, jobId, null, null));
  }

  /** The job is removed; with it goes what only its row could tell. */
  void gone(UUID jobId, String queue) {
    if (wanted) {
      asked.add(jobId);
      turn.changes(jobId, null);
      jobs.put(jobId, new Store.Note(0, now, jobId, null, queue));
    }
  }

  void ofWorker(String workerId) {
    if (wanted) {
      workers.add(workerId);
    }
  }

  void ofQueue(String queue) {
    if (wanted) {
      queues.add(queue);
    }
  }

  List<Store.Note> all() {
    List<Store.Note> all = new ArrayList<>(jobs.values());
    workers.forEach(id -> all.add(new Store.Note(0, now, null, id, null)));
    queues.forEach(queue -> all.add(new Store.Note(0, now, null, null, queue)));
    return all;
  }
}
