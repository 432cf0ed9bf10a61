package dev.stint.redis;

import dev.stint.engine.Event;
import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisNoScriptException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes jobs into Redis as the store has them now, many at a time. To write one twice does no
 * harm, and an older state never overwrites a newer one. Has a connection of its own; not to be
 * used by two threads at once.
 */
final class Mirror {
  private static final Logger LOG = LoggerFactory.getLogger(Mirror.class);
  private static final Script WRITE = Script.of("mirror");
  private static final Script FORGET = Script.of("forget");
  private static final int MAX_EVENTS = 5_000;
  private static final int MAX_CHARS_UNDER_WAY = 4_000_000;
  private static final int MAX_REMEMBERED = 100_000;

  private final Outbox outbox;
  private final RedisLink link;

  /** How far the events of jobs are written, so that only those after that are read. */
  private final Map<UUID, JobImage.Written> written =
      new LinkedHashMap<>(1_024, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, JobImage.Written> eldest) {
          return size() > MAX_REMEMBERED;
        }
      };

  /** A job on its way to Redis; {@code image} is null if it is gone. */
  private record Sent(UUID jobId, @Nullable JobImage image, RedisFuture<String> answer) {}

  Mirror(Outbox outbox, RedisLink link) {
    this.outbox = outbox;
    this.link = link;
  }

  /** Sends what Redis has to know before it can do anything. */
  void prepare() {
    List<RedisFuture<String>> loads = List.of(WRITE.load(link.async()), FORGET.load(link.async()));
    link.flush();
    loads.forEach(RedisLink::await);
  }

  /** Forgets what Redis has, since that may be wrong. */
  void forget() {
    written.clear();
  }

  /**
   * Writes these jobs, in this order.
   *
   * @param jobs with the queue of those that are gone for good, and an empty text with others
   * @throws RedisException if Redis is away; some may have been written
   */
  void write(Map<UUID, String> jobs, JobImage.Moment moment) {
    try {
      writeAll(jobs, moment);
    } catch (RedisNoScriptException e) {
      prepare();
      writeAll(jobs, moment);
    }
  }

  private void writeAll(Map<UUID, String> jobs, JobImage.Moment moment) {
    Map<UUID, String> again = writeKnowing(jobs, moment);
    if (!again.isEmpty()) {
      again.keySet().forEach(written::remove);
      writeKnowing(again, moment);
    }
  }

  /** The same; gives those of which Redis has less than was known. */
  private Map<UUID, String> writeKnowing(Map<UUID, String> jobs, JobImage.Moment moment) {
    Map<UUID, String> again = new LinkedHashMap<>();
    Map<UUID, Long> left = new LinkedHashMap<>();
    jobs.keySet().forEach(id -> left.put(id, known(id).any()));
    while (!left.isEmpty()) {
      List<Event> events = outbox.events(left, MAX_EVENTS);
      Map<UUID, List<Event>> byJob = new HashMap<>();
      events.forEach(
          event -> byJob.computeIfAbsent(jobOf(event), _ -> new ArrayList<>()).add(event));
      boolean isAll = events.size() < MAX_EVENTS;
      List<UUID> ready = List.copyOf(isAll ? left.keySet() : byJob.keySet());
      for (UUID id : send(ready, byJob, jobs, moment)) {
        again.put(id, Objects.requireNonNull(jobs.get(id)));
      }
      ready.forEach(left::remove);
      if (!isAll) {
        // The last one may have more than fitted in.
        left.put(jobOf(events.getLast()), events.getLast().seq());
      }
    }
    return again;
  }

  private JobImage.Written known(UUID jobId) {
    return written.getOrDefault(jobId, JobImage.Written.NOTHING);
  }

  private static UUID jobOf(Event event) {
    return Objects.requireNonNull(event.jobId());
  }

  /**
   * The jobs are read after their events, so that no event is told of what a hash does not show.
   */
  private List<UUID> send(
      Collection<UUID> jobIds,
      Map<UUID, List<Event>> events,
      Map<UUID, String> queues,
      JobImage.Moment moment) {
    Map<UUID, Store.Mirrored> found = new HashMap<>();
    outbox.jobs(jobIds).forEach(job -> found.put(job.view().job().id(), job));
    List<UUID> gaps = new ArrayList<>();
    List<Sent> underWay = new ArrayList<>();
    int chars = 0;
    for (UUID id : jobIds) {
      Store.Mirrored job = found.get(id);
      JobImage image =
          job == null ? null : JobImage.of(job, events.getOrDefault(id, List.of()), known(id));
      underWay.add(new Sent(id, image, call(id, image, queues.getOrDefault(id, ""), moment)));
      chars += image == null ? 0 : image.size();
      if (chars > MAX_CHARS_UNDER_WAY) {
        gaps.addAll(answers(underWay));
        underWay.clear();
        chars = 0;
      }
    }
    gaps.addAll(answers(underWay));
    return gaps;
  }

  private RedisFuture<String> call(
      UUID id, @Nullable JobImage image, String queue, JobImage.Moment moment) {
    return image == null
        ? FORGET.text(link.async(), id.toString(), queue)
        : WRITE.text(link.async(), image.arguments(moment));
  }

  /** Waits for all, and gives the jobs of which Redis lacks events. */
  private List<UUID> answers(List<Sent> underWay) {
    link.flush();
    List<UUID> gaps = new ArrayList<>();
    for (Sent sent : underWay) {
      JobImage image = sent.image();
      switch (answer(sent)) {
        case "gap" -> gaps.add(sent.jobId());
        case "ok" -> {
          if (image != null) {
            written.put(sent.jobId(), image.after());
          }
        }
        default -> written.remove(sent.jobId());
      }
    }
    return gaps;
  }

  /** What Redis refuses to do for one job must not keep it from doing the same for others. */
  private static String answer(Sent sent) {
    try {
      return RedisLink.await(sent.answer());
    } catch (RedisNoScriptException e) {
      throw e;
    } catch (RedisCommandExecutionException e) {
      LOG.warn("Redis does not take job {}: {}", sent.jobId(), e.getMessage());
      return "refused";
    }
  }
}
