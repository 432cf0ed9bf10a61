package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.Store.Arrival;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Work;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The live jobs that this process committed last, as they are stored. Whoever is claimed or reports
 * now was nearly always written a moment ago, and with only one process writing, what was written
 * is what is there: so it need not be read back. Used by the writing thread alone.
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

  private record Known(Job job, @Nullable JobContent content) {}

  @Nullable Job job(UUID id) {
    Known known = jobs.get(id);
    return known == null ? null : known.job;
  }

  @Nullable Work work(UUID id) {
    Known known = jobs.get(id);
    return known == null || known.content == null ? null : new Work(known.job, known.content);
  }

  /** Takes over what has been committed. */
  void learn(Changes changes) {
    changes.removals().forEach(jobs::remove);
    for (Arrival arrival : changes.arrivals()) {
      JobContent content = arrival.content();
      put(arrival.job(), isSmall(content) ? content : null);
    }
    for (Job job : changes.updates()) {
      Known before = jobs.get(job.id());
      put(job, before == null ? null : before.content);
    }
  }

  private void put(Job job, @Nullable JobContent content) {
    if (job.state().isTerminal()) {
      jobs.remove(job.id());
    } else {
      jobs.put(job.id(), new Known(job, content));
    }
  }

  private static boolean isSmall(JobContent content) {
    return content.payload().length() + length(content.metadata()) + length(content.attributes())
        <= MAX_CONTENT_CHARS;
  }

  private static int length(@Nullable String text) {
    return text == null ? 0 : text.length();
  }

  /** Forgets everything: what is stored may be something else now. */
  void forget() {
    jobs.clear();
  }
}
