package dev.stint.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/** What one transaction has to tell a mirror of the jobs: each job, worker and queue once. */
final class Notes {
  private final boolean wanted;
  private final Unseen unseen;
  private final long now;
  private final Map<UUID, Store.Note> jobs = new LinkedHashMap<>();
  private final Set<String> workers = new LinkedHashSet<>();
  private final Set<String> queues = new LinkedHashSet<>();

  /**
   * Notes of one transaction.
   *
   * @param wanted whether there is a mirror; without one nothing is noted
   * @param unseen of what it need not be told again
   */
  Notes(boolean wanted, Unseen unseen, long now) {
    this.wanted = wanted;
    this.unseen = unseen;
    this.now = now;
  }

  void came(UUID jobId) {
    changed(jobId, true);
  }

  void changed(UUID jobId) {
    changed(jobId, false);
  }

  private void changed(UUID jobId, boolean isNew) {
    if (wanted && !jobs.containsKey(jobId) && unseen.isToBeTold(jobId, isNew)) {
      jobs.put(jobId, new Store.Note(0, now, jobId, null, null));
    }
  }

  /** The job is removed; with it goes what only its row could tell. */
  void gone(Job job) {
    if (wanted) {
      jobs.put(job.id(), new Store.Note(0, now, job.id(), null, job.spec().queue()));
    }
  }

  void happened(Event event) {
    if (event.jobId() != null) {
      changed(event.jobId());
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
