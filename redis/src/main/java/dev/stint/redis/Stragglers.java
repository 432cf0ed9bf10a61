package dev.stint.redis;

import dev.stint.contracts.JobJson;
import dev.stint.engine.Engine;
import dev.stint.engine.Job;
import dev.stint.engine.Proof;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Workers that do not hold the job that they were once given, and may still write about it. What
 * they say of an end is kept as a late result, and Redis is put right from the store.
 */
final class Stragglers {
  private static final int MAX = 1_000;

  /** What the store says arrives a little later in Redis: only what stays wrong is wrong. */
  private static final long LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

  private final Engine engine;
  private final NativeReader reader;
  private final Consumer<Collection<UUID>> mirrorAgain;
  private final long watchNanos;
  private final Map<UUID, Straggler> all =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<UUID, Straggler> eldest) {
          return size() > MAX;
        }
      };

  private static final class Straggler {
    final Proof proof;
    StreamId cursor;
    long until;
    String accepted = "";
    String reported = "";
    long wrongSince;

    Straggler(Proof proof, StreamId cursor, long until) {
      this.proof = proof;
      this.cursor = cursor;
      this.until = until;
    }
  }

  /**
   * Nobody yet.
   *
   * @param mirrorAgain has jobs written anew as the store has them
   * @param watchMs how long after its end a job is still looked at
   */
  Stragglers(
      Engine engine, NativeReader reader, Consumer<Collection<UUID>> mirrorAgain, long watchMs) {
    this.engine = engine;
    this.reader = reader;
    this.mirrorAgain = mirrorAgain;
    this.watchNanos = TimeUnit.MILLISECONDS.toNanos(watchMs);
  }

  void add(NativeJob job, long nowNanos) {
    all.put(job.message().jobId(), new Straggler(job.proof(), job.cursor(), nowNanos + watchNanos));
  }

  boolean has(UUID jobId) {
    return all.containsKey(jobId);
  }

  /** Up to where the events of such a job are known; null if it is none. */
  @Nullable StreamId cursor(UUID jobId) {
    Straggler straggler = all.get(jobId);
    return straggler == null ? null : straggler.cursor;
  }

  /** The proof of who had the job before; null if it is no such job. */
  @Nullable Proof proof(UUID jobId) {
    Straggler straggler = all.get(jobId);
    return straggler == null ? null : straggler.proof;
  }

  /** Another worker's reader has come this far. */
  void passed(UUID jobId, StreamId cursor) {
    Straggler straggler = all.get(jobId);
    if (straggler != null && straggler.cursor.compareTo(cursor) < 0) {
      straggler.cursor = cursor;
    }
  }

  void clear() {
    all.clear();
  }

  /**
   * Looks at all of them once.
   *
   * @param held jobs that another worker of the streams holds, and whose keys thus are its to write
   */
  void look(Set<UUID> held, long nowNanos) {
    Map<UUID, StreamId> known = new LinkedHashMap<>();
    all.forEach((id, straggler) -> {
      if (!held.contains(id)) {
        known.put(id, straggler.cursor);
      }
    });
    if (known.isEmpty()) {
      return;
    }
    Map<UUID, NativeSight> sights = reader.peek(known);
    List<UUID> noteworthy = new ArrayList<>();
    known
        .keySet()
        .forEach(id -> {
          Straggler straggler = all.get(id);
          NativeSight sight = sights.get(id);
          if (straggler != null
              && sight != null
              && (!sight.signature().equals(straggler.accepted)
                  || !sight.said().isEmpty()
                  || straggler.until <= nowNanos)) {
            noteworthy.add(id);
          }
        });
    if (!noteworthy.isEmpty()) {
      judge(noteworthy, sights, nowNanos);
    }
  }

  private void judge(List<UUID> ids, Map<UUID, NativeSight> sights, long nowNanos) {
    Map<UUID, Job> jobs = engine.jobs(ids);
    List<UUID> wrong = new ArrayList<>();
    for (UUID id : ids) {
      Straggler straggler = all.get(id);
      NativeSight sight = sights.get(id);
      Job job = jobs.get(id);
      if (straggler == null || sight == null) {
        continue;
      }
      if (job == null || (job.state().isTerminal() && straggler.until <= nowNanos)) {
        all.remove(id);
      } else if (job.lease() == null || job.lease().nativeMessage() == null) {
        straggler.until = job.state().isTerminal() ? straggler.until : nowNanos + watchNanos;
        if (isWrong(job, straggler, sight, nowNanos)) {
          wrong.add(id);
        }
      }
    }
    if (!wrong.isEmpty()) {
      mirrorAgain.accept(wrong);
    }
  }

  private boolean isWrong(Job job, Straggler straggler, NativeSight sight, long nowNanos) {
    NativeSight.Said end = NativeSight.end(sight.foreign());
    if (end != null && end.type().equals(JobJson.status(job.state()))) {
      // It may be the very one that ended the job, read anew.
      end = null;
    }
    boolean differs = !sight.status().isEmpty() && !sight.signature().equals(expected(job));
    boolean isLasting = straggler.wrongSince != 0 && nowNanos - straggler.wrongSince >= LAG_NANOS;
    if (end != null) {
      report(job.id(), straggler, sight, end);
      reader.retract(job.id(), end.id());
    } else if (differs && isLasting && sight.isOver()) {
      report(job.id(), straggler, sight, null);
    }
    straggler.cursor = sight.last(straggler.cursor);
    if (!differs) {
      straggler.accepted = sight.signature();
      straggler.wrongSince = 0;
      return false;
    }
    boolean isWrong = end != null || isLasting;
    straggler.wrongSince = isWrong || straggler.wrongSince == 0 ? nowNanos : straggler.wrongSince;
    return isWrong;
  }

  /** Once for each thing that it says. */
  private void report(
      UUID jobId, Straggler straggler, NativeSight sight, NativeSight.@Nullable Said end) {
    String saying = sight.signature() + sight.result() + sight.error();
    if (!saying.equals(straggler.reported)) {
      straggler.reported = saying;
      engine.execute(
          NativeReports.end(jobId, straggler.proof, sight, end),
          Keys.TAKEN_OVER + (end == null ? sight.updatedTs() : end.id().toString()));
    }
  }

  /** What the hash says if nobody but the control plane has written it. */
  private static String expected(Job job) {
    return JobJson.status(job.state()) + " " + job.updatedAt();
  }
}
