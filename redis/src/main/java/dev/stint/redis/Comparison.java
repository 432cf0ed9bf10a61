package dev.stint.redis;

import dev.stint.engine.Outbox;
import dev.stint.engine.Store;
import io.lettuce.core.RedisException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compares Redis with the store, part by part, and puts right what differs if it is told to. The
 * relay goes on meanwhile and is always a little behind, so that a difference counts only if it is
 * still there once the relay has caught up with all that had happened before.
 */
public final class Comparison {
  private static final int PART = 2_000;
  private static final long PART_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int LOOKS = 4;

  /** If so many of a page differ, Redis has lost them, and there is nothing to wait for. */
  private static final int MANY = 20;

  private static final long CATCH_UP_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long PAUSE_MILLIS = 60;

  private final Outbox outbox;
  private final RedisLink link;
  private final String storeId;
  private final Map<String, Stage<?>> stages = new LinkedHashMap<>();

  /**
   * What came of one part.
   *
   * @param looked how many things were looked at
   * @param jobs how many of those were jobs
   * @param differences that were found
   * @param left how many of those are still there
   * @param next where the next part begins, or null if this was the last
   */
  public record Part(
      int looked, int jobs, List<Difference> differences, int left, @Nullable String next) {}

  Comparison(Outbox outbox, RedisLink link, RedisLink gathering, String storeId) {
    this.outbox = outbox;
    this.link = link;
    this.storeId = storeId;
    JobStage jobs = new JobStage(outbox, gathering, new Mirror(outbox, gathering, _ -> {}));
    stages.put("jobs", jobs);
    stages.put("workers", new WorkerStage(outbox, link));
    stages.put("lists", new ListStage(outbox, link, jobs));
    stages.put("messages", new MessageStage(outbox, link));
    stages.put("keys", new KeyStage(outbox, link));
  }

  /** How many jobs there are to compare. */
  public long allJobs() {
    return outbox.tally().values().stream().mapToLong(Long::longValue).sum();
  }

  /**
   * Compares a part.
   *
   * @param place where to begin, as the part before said it; null for the first
   * @throws IllegalArgumentException if there is no such place
   * @throws RedisException if Redis is away
   * @throws ForeignRedisException if it is another database's
   */
  public synchronized Part compare(@Nullable String place, boolean repair) {
    int colon = place == null ? -1 : place.indexOf(':');
    String name = place == null ? "jobs" : place.substring(0, Math.max(0, colon));
    Stage<?> stage = stages.get(name);
    if (stage == null) {
      throw new IllegalArgumentException("there is no such place");
    }
    String shown = link.sync().get(Keys.STORE);
    if (shown != null && !shown.equals(storeId)) {
      throw new ForeignRedisException();
    }
    String within =
        place == null || colon == place.length() - 1 ? null : place.substring(colon + 1);
    return compare(name, stage, within, repair);
  }

  private <T> Part compare(String name, Stage<T> stage, @Nullable String place, boolean repair) {
    long begin = System.nanoTime();
    List<Difference> differences = new ArrayList<>();
    int looked = 0;
    int left = 0;
    String next = place;
    do {
      Stage.Page<T> page = stage.page(next);
      Map<T, List<Difference>> wrong = lasting(stage, page.subjects(), repair);
      wrong.values().forEach(differences::addAll);
      if (repair && !wrong.isEmpty()) {
        stage.mend(wrong);
        wrong = lasting(stage, List.copyOf(wrong.keySet()), false);
      }
      left += wrong.size();
      looked += page.subjects().size();
      next = page.next();
    } while (next != null && looked < PART && System.nanoTime() - begin < PART_NANOS);
    int jobs = name.equals("jobs") ? looked : 0;
    return new Part(
        looked, jobs, differences, left, next == null ? after(name) : name + ":" + next);
  }

  /**
   * What differs each time it is looked at.
   *
   * @param isHasty where much is to be put right, to do so too often does no harm
   */
  private <T> Map<T, List<Difference>> lasting(Stage<T> stage, List<T> subjects, boolean isHasty) {
    Map<T, List<Difference>> wrong = stage.look(subjects);
    if (isHasty && wrong.size() >= MANY) {
      return wrong;
    }
    for (int looks = 1; looks < LOOKS && !wrong.isEmpty(); looks++) {
      awaitRelay();
      wrong = stage.look(List.copyOf(wrong.keySet()));
    }
    return wrong;
  }

  /** Waits until all is relayed that had been noted up to now, but not for ever. */
  private void awaitRelay() {
    long now = outbox.now();
    long end = System.nanoTime() + CATCH_UP_NANOS;
    do {
      try {
        TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new RedisException("interrupted");
      }
    } while (hasNoteUpTo(now) && System.nanoTime() < end);
  }

  private boolean hasNoteUpTo(long at) {
    List<Store.Note> oldest = outbox.notes(0, 1);
    return !oldest.isEmpty() && oldest.getFirst().at() <= at;
  }

  private @Nullable String after(String name) {
    List<String> names = List.copyOf(stages.keySet());
    int next = names.indexOf(name) + 1;
    return next == names.size() ? null : names.get(next) + ":";
  }
}
