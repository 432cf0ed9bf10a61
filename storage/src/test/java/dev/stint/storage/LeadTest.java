package dev.stint.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Observer;
import dev.stint.engine.Outbox;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.engine.Transport;
import dev.stint.testkit.Orders;
import dev.stint.testkit.TestPostgres;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two engines on one database, of which one shows jobs to a mirror, and then the other. */
@Timeout(120)
class LeadTest {
  private static final EngineSettings MIRRORED =
      new EngineSettings(Long.MAX_VALUE / 4, 16_384, 512, 100, true);

  private final String url = TestPostgres.shared().newDatabase();
  private final Store oneStore = Stores.open(url, Clock.systemUTC());
  private final Store otherStore = Stores.open(url, Clock.systemUTC());
  private final Engine one = Engine.start(oneStore, MIRRORED, Observer.NONE);
  private final Engine other = Engine.start(otherStore, MIRRORED, Observer.NONE);

  @AfterEach
  void close() {
    one.close();
    other.close();
    oneStore.close();
    otherStore.close();
  }

  @Test
  void onlyWhoLeadsKnowsWhatNobodyWasShown() {
    UUID before = submit(one);
    one.outbox().lead();
    UUID mine = submit(one);
    UUID others = submit(other);

    assertThat(one.outbox().isNew(before)).isFalse();
    assertThat(one.outbox().isNew(mine)).isTrue();
    assertThat(one.outbox().isNew(others)).isFalse();
    assertThat(other.outbox().isNew(mine)).isFalse();
    assertThat(other.outbox().isNew(others)).isFalse();
    assertThat(other.outbox().leads()).isFalse();
  }

  @Test
  void whatAnEarlierLeaderMayHaveShownIsNotNew() {
    one.outbox().lead();
    UUID shown = submit(one);
    other.outbox().lead();
    assertThat(other.outbox().jobs(List.of(shown))).hasSize(1);
    assertThat(other.outbox().leads()).isTrue();
    one.outbox().lead();

    claim(one);
    assertThat(one.outbox().isNew(shown)).isFalse();
    assertThat(notesOf(shown)).hasSize(2);
    assertThat(one.outbox().look(List.of(shown))).isEmpty();
  }

  @Test
  void whoLostTheLeadUnawaresFindsOutWithItsNextClaim() {
    one.outbox().lead();
    UUID id = submit(one);
    assertThat(one.outbox().isNew(id)).isTrue();
    other.outbox().lead();

    claim(one);
    assertThat(one.outbox().isNew(id)).isFalse();
    assertThat(notesOf(id)).hasSize(2);
    assertThat(one.outbox().leads()).isFalse();
  }

  /** The lead ends after the commit of a claim that need not ask, and before its answer. */
  @Test
  void whoLeadsNextSeesTheClaimsThatDidNotAsk() {
    one.outbox().lead();
    UUID id = submit(one);
    List<JobState> seen = new ArrayList<>();
    AtomicBoolean asked = new AtomicBoolean();
    one.attach(
        new Transport() {
          @Override
          public List<Taking> take(List<Job> jobs) {
            other.outbox().lead();
            other.outbox().states(List.of(id)).values().forEach(job -> seen.add(job.state()));
            asked.set(!one.outbox().isNew(id));
            return List.of(new Taking.Taken("0-1"));
          }

          @Override
          public long nativeLeaseMs() {
            return 1_000;
          }
        });

    claim(one);
    assertThat(asked.get()).isFalse();
    assertThat(seen).containsExactly(JobState.RUNNING);
  }

  @Test
  void whatAnotherOneChangedIsReadFromTheStore() {
    one.outbox().lead();
    UUID id = submit(one);
    Outcome.Claimed claimed = claim(other);
    assertThat(notesOf(id)).hasSize(2);
    one.execute(Orders.complete(claimed, "{}"), null);

    assertThat(notesOf(id)).hasSize(2);
    assertThat(one.outbox().look(List.of(id))).isEmpty();
  }

  @Test
  void afterALookEveryChangeIsToldAgainOnce() {
    one.outbox().lead();
    UUID id = submit(one);
    assertThat(one.outbox().look(List.of(id))).hasSize(1);
    Outcome.Claimed claimed = claim(one);
    one.execute(Orders.complete(claimed, "{}"), null);

    assertThat(notesOf(id)).hasSize(2);
    assertThat(one.outbox().look(List.of(id))).isEmpty();
  }

  /**
   * Both show jobs in turns, and everything is done at both. Here a native worker takes each
   * message as soon as it is there: no job may be given to both, and all that is shown in the end
   * is what the store has.
   */
  @Test
  void whoeverLeadsNoJobLeavesTwiceAndNoChangeIsMissed() throws Exception {
    Shelf shelf = new Shelf();
    AtomicBoolean isOver = new AtomicBoolean();
    AtomicInteger submitted = new AtomicInteger();
    int jobs = 2_000;
    one.attach(shelf.gate(one.outbox()));
    other.attach(shelf.gate(other.outbox()));
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> mirrors = new ArrayList<>();
      AtomicReference<Engine> leader = new AtomicReference<>(one);
      for (Engine engine : List.of(one, other)) {
        mirrors.add(threads.submit(() -> shelf.relay(engine, leader, isOver)));
      }
      List<Future<?>> work = new ArrayList<>();
      for (int i = 0; i < 16; i++) {
        // The second one does less, so that some jobs are the first one's alone.
        Engine mine = i % 4 == 0 ? other : one;
        work.add(
            threads.submit(() -> {
              while (submitted.incrementAndGet() <= jobs) {
                submit(mine);
                Outcome.OfClaim given;
                do {
                  given = mine.claim(Orders.claim("w", "q"), 20, () -> () -> true, null);
                } while (!(given instanceof Outcome.Claimed));
                mine.execute(Orders.complete((Outcome.Claimed) given, "{}"), null);
              }
            }));
      }
      for (int i = 1; work.stream().anyMatch(task -> !task.isDone()); i++) {
        TimeUnit.MILLISECONDS.sleep(70);
        leader.set(i % 2 == 0 ? one : other);
      }
      for (Future<?> task : work) {
        task.get();
      }
      isOver.set(true);
      for (Future<?> mirror : mirrors) {
        mirror.get();
      }
    }

    assertThat(oneStore.notes(0, 10)).isEmpty();
    assertThat(shelf.twice).isEmpty();
    assertThat(shelf.unasked).as("claims that did not have to ask").isPositive();
    assertThat(shelf.unread).as("jobs that did not have to be read").isPositive();
    List<UUID> ids = oneStore.jobsAfter(null, jobs + 1);
    assertThat(ids).hasSize(jobs);
    for (Store.Mirrored job : oneStore.mirrored(ids)) {
      UUID id = job.view().job().id();
      assertThat(shelf.shown.get(id)).isEqualTo(new Shown(job, oneStore.events(id, 0, 100)));
    }
  }

  private record Shown(Store.Mirrored job, List<Event> events) {
    long last() {
      return events.isEmpty() ? 0 : events.getLast().seq();
    }
  }

  /** What Redis is to the real mirror, and a native worker that takes all it can get. */
  private static final class Shelf {
    final Map<UUID, Shown> shown = new HashMap<>();
    final Set<UUID> delivered = new HashSet<>();
    final Set<UUID> marked = new HashSet<>();
    final Set<UUID> claimed = new HashSet<>();
    final Set<UUID> twice = new HashSet<>();
    int unasked;
    int unread;

    Transport gate(Outbox outbox) {
      return new Transport() {
        @Override
        public List<Taking> take(List<Job> jobs) {
          jobs.forEach(job -> claim(job.id(), outbox.isNew(job.id())));
          return jobs.stream().<Taking>map(job -> new Taking.Taken("0-1")).toList();
        }

        @Override
        public long nativeLeaseMs() {
          return 1_000;
        }
      };
    }

    private synchronized void claim(UUID id, boolean isNew) {
      if (isNew) {
        unasked++;
        claimed.add(id);
        if (delivered.contains(id)) {
          twice.add(id);
        }
      } else if (!delivered.contains(id)) {
        marked.add(id);
        claimed.add(id);
      }
    }

    private synchronized void show(UUID id, Shown now) {
      Shown before = shown.get(id);
      if (before != null && before.last() > now.last()) {
        return;
      }
      shown.put(id, now);
      if (now.job().view().job().claimable() && !marked.contains(id) && delivered.add(id)) {
        if (claimed.contains(id)) {
          twice.add(id);
        }
      }
    }

    /** Whoever does not lead any more is not told, and goes on for a while. */
    void relay(Engine engine, AtomicReference<Engine> leader, AtomicBoolean isOver) {
      Outbox outbox = engine.outbox();
      while (!isOver.get() || (leader.get() == engine && !outbox.notes(0, 1).isEmpty())) {
        if (leader.get() == engine) {
          outbox.lead();
          round(outbox);
        }
        pause();
      }
    }

    private void round(Outbox outbox) {
      List<Store.Note> notes = outbox.notes(0, 10_000);
      Map<UUID, Integer> counts = new HashMap<>();
      for (Store.Note note : notes) {
        if (note.jobId() != null) {
          counts.merge(note.jobId(), 1, Integer::sum);
        }
      }
      Map<UUID, Shown> looked = new HashMap<>();
      outbox
          .look(counts.keySet())
          .forEach((id, fresh) -> {
            if (counts.getOrDefault(id, 0) == 1) {
              looked.put(id, new Shown(fresh.job(), fresh.events()));
            }
          });
      int known = looked.size();
      Map<UUID, Long> rest = new HashMap<>();
      counts.keySet().stream()
          .filter(id -> !looked.containsKey(id))
          .forEach(id -> rest.put(id, 0L));
      Map<UUID, List<Event>> events = new HashMap<>();
      for (Event event : outbox.events(rest, 1_000_000)) {
        UUID id = Objects.requireNonNull(event.jobId());
        events.computeIfAbsent(id, absent -> new ArrayList<>()).add(event);
      }
      for (Store.Mirrored job : outbox.jobs(rest.keySet())) {
        UUID id = job.view().job().id();
        looked.put(id, new Shown(job, events.getOrDefault(id, List.of())));
      }
      if (outbox.leads()) {
        pause();
        unread += known;
        looked.forEach(this::show);
        outbox.relayed(notes);
      }
    }

    private static void pause() {
      LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(8_000_000));
    }
  }

  private static UUID submit(Engine engine) {
    Command.Submit submit = Orders.submit("q");
    engine.execute(submit, null);
    return submit.jobId();
  }

  private static Outcome.Claimed claim(Engine engine) {
    return (Outcome.Claimed) engine.execute(Orders.claim("w", "q"), null);
  }

  private List<Store.Note> notesOf(UUID id) {
    return oneStore.notes(0, 1_000).stream()
        .filter(note -> Objects.equals(note.jobId(), id))
        .toList();
  }
}
