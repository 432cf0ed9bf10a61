package dev.stint.redis;

import dev.stint.contracts.workerapi.TaskRecord;
import dev.stint.engine.Outbox;
import io.lettuce.core.RedisCommandExecutionException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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

  private @Nullable String difference(String key, Map<String, String> hash) {
    try {
      return hash.equals(link.sync().hgetall(key)) ? null : "has other fields";
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

  @Override
  public void mend(Map<String, List<Difference>> wrong) {
    for (String id : wrong.keySet()) {
      Map<String, String> hash = hash(id);
      link.sync().del(Keys.worker(id));
      if (!hash.isEmpty()) {
        link.sync().hset(Keys.worker(id), hash);
      }
    }
  }
}
