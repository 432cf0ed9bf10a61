package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.Store.Arrival;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Work;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The live jobs that this process committed last, as they are stored. Whoever is claimed or reports
 * now was nearly always written a moment ago, so it need not be read back. Each has the version
 * under which it was written: who asks for it says which version is stored now.
 */
final class JobCache {
  private static final int MAX_JOBS = 20_000;

  /** What is larger is read when it is needed, so that the memory for all is bounded. */
  private static final int MAX_CONTENT_CHARS = 2_048;

  private final Map<UUID, Known> jobs =
      new LinkedHashMap<>(1_024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Known> eldest) {
          return size() > MAX_JOBS;
        }
      };

  private record Known(Job job, @Nullable JobContent content, long version) {}

  /** Whether all of these are there, of whatever version. */
  synchronized boolean hasAll(Collection<UUID> ids) {
    return jobs.keySet().containsAll(ids);
  }

  synchronized @Nullable Job job(UUID id, long version) {
    Known known = jobs.get(id);
    return known == null || known.version != version ? null : known.job;
  }

  synchronized @Nullable Work work(UUID id, long version) {
    Known known = jobs.get(id);
    return known == null || known.version != version || known.content == null
        ? null
        : new Work(known.job, known.content);
  }

  /** Takes over what has been committed under a version. */
  synchronized void learn(Changes changes, long version) {
    changes.removals().forEach(jobs::remove);
    for (Arrival arrival : changes.arrivals()) {
      JobContent content = arrival.content();
      put(arrival.job(), isSmall(content) ? content : null, version);
    }
    for (Job job : changes.updates()) {
      Known before = jobs.get(job.id());
      put(job, before == null ? null : before.content, version);
    }
  }

  private void put(Job job, @Nullable JobContent content, long version) {
    if (job.state().isTerminal()) {
      jobs.remove(job.id());
    } else {
      jobs.put(job.id(), new Known(job, content, version));
    }
  }

  private static boolean isSmall(JobContent content) {
    return ContentTable.length(content) <= MAX_CONTENT_CHARS;
  }

  /** Forgets everything: what is stored may be something else now. */
  synchronized void forget() {
    jobs.clear();
  }
}
