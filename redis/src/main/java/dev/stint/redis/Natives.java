package dev.stint.redis;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over into the store what workers do that read the streams by themselves: that they got a
 * job, what they tell, how it ended. Each look compares what the groups have given out and what is
 * written about those jobs with what is known of them; what happened while nobody looked is found
 * in the same way.
 */
final class Natives {
  private static final Logger LOG = LoggerFactory.getLogger(Natives.class);

  /** At least so long a worker that lost its job is expected back, however short leases are. */
  private static final long STRAGGLER_MS = 60_000;

  private static final int RECOVERED_AT_ONCE = 500;

  private final Engine engine;
  private final NativeReader reader;
  private final Stragglers stragglers;
  private final NativeTeller teller;
  private final Consumer<Collection<UUID>> mirrorAgain;
  private final long leaseMs;
  private final Map<String, NativeReader.Known> cursors = new HashMap<>();
  private final Map<String, NativeJob> jobs = new LinkedHashMap<>();

  /** Messages that deliver nothing any more, until they are out of their streams. */
  private final Set<NativeMessage> over = new LinkedHashSet<>();

  private boolean recovered;

  /**
   * Knows nothing yet.
   *
   * @param mirrorAgain has jobs written into Redis anew as the store has them
   * @param leaseMs how long a worker may be silent
   */
  Natives(Engine engine, RedisLink link, Consumer<Collection<UUID>> mirrorAgain, long leaseMs) {
    this.engine = engine;
    this.reader = new NativeReader(link);
    this.mirrorAgain = mirrorAgain;
    this.leaseMs = leaseMs;
    this.stragglers = new Stragglers(engine, reader, mirrorAgain, Math.max(leaseMs, STRAGGLER_MS));
    this.teller = new NativeTeller(engine, reader, stragglers);
  }

  /** Forgets everything, as another control plane looks from now on. */
  void reset() {
    cursors.clear();
    jobs.clear();
    over.clear();
    stragglers.clear();
    recovered = false;
  }

  /** Looks at all streams from their beginning, as they may have gone back; keeps what it knows. */
  void lookAnew() {
    cursors.clear();
  }

  /** Looks once, and lets the engine know, whose clock may have to be asked for. */
  void watchOnce() {
    long begun = engine.now();
    runOnce();
    engine.lookedAtNatives(begun, engine.now());
  }

  /** No worker of ours reads this Redis, so that there is nothing that could be missed. */
  void nobodyIsThere() {
    long now = engine.now();
    engine.lookedAtNatives(now, now);
  }

  /** Looks once at all queues that have jobs. */
  void runOnce() {
    if (!recovered) {
      recover();
      recovered = true;
    }
    List<NativeReader.StreamView> views = reader.watch(queues());
    views.forEach(this::takeIn);
    deliver();
    long nowNanos = System.nanoTime();
    takeOver(nowNanos);
    reader.drop(over);
    over.clear();
    Set<UUID> held = new HashSet<>();
    jobs.values().forEach(job -> held.add(job.message().jobId()));
    stragglers.look(held, nowNanos);
  }

  /** What workers of streams hold by the store, also where their messages are gone. */
  private void recover() {
    Store.JobFilter running = Store.JobFilter.of(JobState.RUNNING, null);
    UUID before = null;
    do {
      Store.Page<Store.JobView, UUID> page = engine.list(running, before, RECOVERED_AT_ONCE);
      for (Store.JobView view : page.items()) {
        Lease lease = view.job().lease();
        String message = lease == null ? null : lease.nativeMessage();
        if (lease != null && message != null) {
          Job job = view.job();
          NativeJob known =
              new NativeJob(
                  new NativeMessage(job.spec().queue(), message, job.id(), job.enqueueId()));
          if (jobs.putIfAbsent(key(known.message()), known) == null) {
            teller.hold(known, lease, false);
          }
        }
      }
      before = page.next();
    } while (before != null);
  }

  private static String key(NativeMessage message) {
    return message.id() + " " + message.queue();
  }

  /** Where to look, and from where on. */
  private Map<String, NativeReader.Known> queues() {
    Map<String, NativeReader.Known> queues = new LinkedHashMap<>();
    engine
        .tally()
        .forEach((kind, count) -> {
          if (count > 0 && !Keys.isReserved(kind.queue())) {
            queues.put(kind.queue(), known(kind.queue()));
          }
        });
    for (NativeJob job : jobs.values()) {
      String queue = job.message().queue();
      queues.put(queue, known(queue));
    }
    return queues;
  }

  private NativeReader.Known known(String queue) {
    return cursors.getOrDefault(queue, NativeReader.Known.NOTHING);
  }

  private void takeIn(NativeReader.StreamView view) {
    cursors.put(view.queue(), view.after());
    for (NativeMessage message : view.fresh()) {
      jobs.putIfAbsent(key(message), new NativeJob(message));
    }
    for (NativeJob job : jobs.values()) {
      NativeMessage message = job.message();
      if (message.queue().equals(view.queue()) && view.tellsOf(message.place())) {
        job.given(view.pending().get(message.id()));
      }
    }
  }

  /** Tells the engine who has what. */
  private void deliver() {
    List<NativeJob> news = jobs.values().stream().filter(NativeJob::isUndelivered).toList();
    each(
        news,
        job -> {
          Command.Deliver delivery = job.delivery(leaseMs);
          return engine.execute(delivery, delivery.requestId());
        },
        (job, outcome) -> {
          switch (outcome) {
            case Outcome.Delivered delivered ->
                teller.hold(job, delivered.lease(), !delivered.repeated());
            case Outcome.NotDeliverable refused -> {
              if (!refused.mayMakeWay()) {
                over.add(job.message());
                leave(job);
                if (job.isAcknowledged()) {
                  mirrorAgain.accept(List.of(job.message().jobId()));
                } else {
                  stragglers.add(job, System.nanoTime());
                }
              }
            }
            case Outcome.UnknownJob _ -> {
              over.add(job.message());
              leave(job);
            }
          }
        });
  }

  private void leave(NativeJob job) {
    jobs.remove(key(job.message()));
    stragglers.passed(job.message().jobId(), job.cursor());
  }

  /** Takes over what was written. */
  private void takeOver(long nowNanos) {
    Map<UUID, StreamId> known = new LinkedHashMap<>();
    for (NativeJob job : jobs.values()) {
      if (job.isHeld()) {
        known.put(job.message().jobId(), job.cursor());
      }
    }
    Map<UUID, NativeSight> sights = reader.peek(known);
    List<NativeJob> news = new ArrayList<>();
    for (NativeJob job : jobs.values()) {
      NativeSight sight = sights.get(job.message().jobId());
      if (job.isHeld() && sight != null) {
        job.seen(sight, nowNanos);
        if (job.hasNews(nowNanos)) {
          news.add(job);
        } else {
          job.told(nowNanos, false);
        }
      }
    }
    if (!news.isEmpty()) {
      report(news, nowNanos);
    }
  }

  private void report(List<NativeJob> news, long nowNanos) {
    Map<UUID, Job> current = engine.jobs(news.stream().map(job -> job.message().jobId()).toList());
    List<NativeJob> held = new ArrayList<>();
    for (NativeJob job : news) {
      Job now = current.get(job.message().jobId());
      if (now != null && job.isHeldIn(now)) {
        held.add(job);
      } else {
        over.add(job.message());
        leave(job);
        if (now != null) {
          stragglers.add(job, nowNanos);
        }
      }
    }
    each(
        held,
        job -> teller.tell(job, nowNanos),
        (job, isOver) -> {
          if (isOver) {
            over.add(job.message());
            leave(job);
            if (!job.hasEnded()) {
              stragglers.add(job, nowNanos);
            }
          }
        });
  }

  private interface Task<T> {
    T of(NativeJob job);
  }

  private interface Result<T> {
    void take(NativeJob job, T outcome);
  }

  /**
   * Does something for each job, all at once so that they share commits. What fails is tried again
   * with the next look.
   */
  private <T> void each(List<NativeJob> all, Task<T> task, Result<T> result) {
    if (all.isEmpty()) {
      return;
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Map<NativeJob, Future<T>> futures = new LinkedHashMap<>();
      all.forEach(job -> futures.put(job, threads.submit(() -> task.of(job))));
      for (Map.Entry<NativeJob, Future<T>> entry : futures.entrySet()) {
        NativeJob job = entry.getKey();
        try {
          result.take(job, entry.getValue().get());
        } catch (ExecutionException e) {
          failed(job, e.getCause());
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }

  /** Whether it was carried out is not known, so what is known of the job is not trusted. */
  private void failed(NativeJob job, @Nullable Throwable cause) {
    leave(job);
    cursors.remove(job.message().queue());
    recovered = false;
    if (cause instanceof StoreUnavailableException || cause instanceof OverloadedException) {
      LOG.debug("job {} is looked at again: {}", job.message().jobId(), cause.getMessage());
    } else {
      LOG.error("cannot take over what happened to job {}", job.message().jobId(), cause);
    }
  }
}
