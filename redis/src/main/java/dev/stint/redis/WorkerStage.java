package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Outbox;
import io.lettuce.core.KeyValue;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Every worker of worker-api that the store knows. */
final class WorkerStage implements Stage<String> {
  private static final int PAGE = 500;

  private final Outbox outbox;
  private final RedisLink link;

  WorkerStage(Outbox outbox, RedisLink link) {
    this.outbox = outbox;
    this.link = link;
  }

  @Override
  public Page<String> page(@Nullable String place) {
    List<String> ids =
        outbox.workers(place == null ? "" : place, PAGE).stream()
            .map(view -> view.worker().id())
            .toList();
    return new Page<>(ids, ids.size() < PAGE ? null : ids.getLast());
  }

  @Override
  public Map<String, List<Difference>> look(Collection<String> workerIds) {
    Map<String, List<Difference>> wrong = new LinkedHashMap<>();
    for (String id : workerIds) {
      Map<String, String> hash = hash(id);
      String key = Keys.worker(id);
      String what = hash.isEmpty() ? null : difference(key, hash);
      if (what != null) {
        wrong.put(id, List.of(new Difference(key, what)));
      }
    }
    return wrong;
  }

  /** Of fields that others have added to the key nothing is said. */
  private @Nullable String difference(String key, Map<String, String> hash) {
    try {
      String[] names = hash.keySet().toArray(String[]::new);
      for (KeyValue<String, String> found : link.sync().hmget(key, names)) {
        if (!Objects.equals(hash.get(found.getKey()), found.getValueOrElse(null))) {
          return link.sync().exists(key) == 0 ? "is missing" : "has another " + found.getKey();
        }
      }
      return null;
    } catch (RedisCommandExecutionException e) {
      if (!RedisLink.isOfAnotherType(e)) {
        throw e;
      }
      return Difference.OF_ANOTHER_TYPE;
    }
  }

  private Map<String, String> hash(String workerId) {
    return outbox.worker(workerId).map(TaskRecord::hash).orElse(Map.of());
  }

  /**
   * A worker that is no longer known is none of this stage's: its key is found among the others.
   */
  @Override
  public void mend(Map<String, List<Difference>> wrong) {
    for (String id : wrong.keySet()) {
      Map<String, String> hash = hash(id);
      String key = Keys.worker(id);
      if (!hash.isEmpty()) {
        if (!link.sync().type(key).equals("hash")) {
          link.sync().del(key);
        }
        link.sync().hset(key, hash);
      }
    }
  }
}
