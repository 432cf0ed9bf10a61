package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Job;
import dev.stint.engine.Outbox;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Every key in Redis that is named as one of ours, to find those of jobs and workers that are not
 * there. A key whose id could not be one of ours belongs to somebody else and is left alone.
 */
final class KeyStage implements Stage<String> {
  private static final int PAGE = 1_000;

  private final Outbox outbox;
  private final RedisLink link;

  KeyStage(Outbox outbox, RedisLink link) {
    this.outbox = outbox;
    this.link = link;
  }

  @Override
  public Page<String> page(@Nullable String place) {
    ScanCursor from = place == null ? ScanCursor.INITIAL : ScanCursor.of(place);
    KeyScanCursor<String> page = link.sync().scan(from, ScanArgs.Builder.limit(PAGE));
    List<String> ours = page.getKeys().stream().filter(KeyStage::mayBeOurs).toList();
    return new Page<>(ours, page.isFinished() ? null : page.getCursor());
  }

  private static boolean mayBeOurs(String key) {
    return jobId(key) != null || key.startsWith(Keys.IDEMPOTENCY) || key.startsWith(Keys.WORKER);
  }

  /** The job or task that a key is about. */
  private static @Nullable UUID jobId(String key) {
    if (key.startsWith(Keys.TASK)) {
      return uuid(key.substring(Keys.TASK.length()));
    }
    if (!key.startsWith(Keys.JOB)) {
      return null;
    }
    int end = key.endsWith(Keys.EVENTS) ? key.length() - Keys.EVENTS.length() : key.length();
    return uuid(key.substring(Keys.JOB.length(), Math.max(Keys.JOB.length(), end)));
  }

  /** An id as this program makes them. */
  static @Nullable UUID uuid(@Nullable String text) {
    try {
      UUID id = text == null || text.length() != 36 ? null : UUID.fromString(text);
      return id == null || id.version() != 7 ? null : id;
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  @Override
  public Map<String, List<Difference>> look(Collection<String> keys) {
    Map<String, UUID> jobIds = new LinkedHashMap<>();
    List<String> names = new ArrayList<>();
    List<String> workers = new ArrayList<>();
    for (String key : keys) {
      UUID jobId = jobId(key);
      if (jobId != null) {
        jobIds.put(key, jobId);
      } else if (key.startsWith(Keys.WORKER)) {
        workers.add(key);
      } else {
        names.add(key);
      }
    }
    Map<String, List<Difference>> wrong = new LinkedHashMap<>();
    lookAtJobs(jobIds, wrong);
    lookAtNames(owners(names), wrong);
    lookAtWorkers(workers, wrong);
    wrong.keySet().removeIf(key -> link.sync().exists(key) == 0);
    return wrong;
  }

  /** The jobs that keys name, as far as they do. */
  private Map<String, UUID> owners(List<String> keys) {
    Map<String, UUID> owners = new LinkedHashMap<>();
    if (!keys.isEmpty()) {
      for (KeyValue<String, String> named : link.sync().mget(keys.toArray(String[]::new))) {
        UUID owner = uuid(named.getValueOrElse(""));
        if (owner != null) {
          owners.put(named.getKey(), owner);
        }
      }
    }
    return owners;
  }

  private void lookAtJobs(Map<String, UUID> keys, Map<String, List<Difference>> wrong) {
    Map<UUID, Job> jobs = keys.isEmpty() ? Map.of() : outbox.states(Set.copyOf(keys.values()));
    keys.forEach((key, id) -> {
      Job job = jobs.get(id);
      boolean isForeign = key.startsWith(Keys.TASK) && job != null && !isTask(job);
      if (job == null || isForeign) {
        add(wrong, key, "is of no job");
      }
    });
  }

  private static boolean isTask(Job job) {
    return job.spec().queue().equals(TaskRecord.QUEUE);
  }

  private void lookAtNames(Map<String, UUID> keys, Map<String, List<Difference>> wrong) {
    Map<UUID, String> known = new HashMap<>();
    if (!keys.isEmpty()) {
      outbox.jobs(Set.copyOf(keys.values())).stream()
          .filter(job -> job.key() != null)
          .forEach(job -> known.put(job.view().job().id(), Keys.IDEMPOTENCY + job.key()));
    }
    keys.forEach((key, id) -> {
      if (!key.equals(known.get(id))) {
        add(wrong, key, "names a job without that key");
      }
    });
  }

  private void lookAtWorkers(List<String> keys, Map<String, List<Difference>> wrong) {
    for (String key : keys) {
      String id = key.substring(Keys.WORKER.length());
      boolean isKnown =
          outbox.worker(id).map(TaskRecord::hash).filter(hash -> !hash.isEmpty()).isPresent();
      if (!isKnown && isWorkerHash(key)) {
        add(wrong, key, "is of no worker");
      }
    }
  }

  private boolean isWorkerHash(String key) {
    return link.sync().type(key).equals("hash") && link.sync().hexists(key, TaskRecord.WORKER_MARK);
  }

  private static void add(Map<String, List<Difference>> wrong, String key, String what) {
    wrong.put(key, List.of(new Difference(key, what)));
  }

  @Override
  public void mend(Map<String, List<Difference>> wrong) {
    link.sync().unlink(wrong.keySet().toArray(String[]::new));
  }
}
