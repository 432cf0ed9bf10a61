package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Following;
import dev.stint.engine.JobState;
import dev.stint.engine.LeasePolicy;
import dev.stint.engine.Needs;
import dev.stint.engine.Outcome;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import dev.stint.testkit.FaultyStore.Place;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;

/** What the engine promises where memory is short, over any store. */
public abstract class StrainedEngineConformance extends NativeEngineConformance {
  private static final Logger ENGINE_LOG = Logger.getLogger("dev.stint.engine");
  private static final int LONG_EVENTS = 7;

  /** A log that has no memory left either. */
  private static final class FailingLog extends Handler implements AutoCloseable {
    FailingLog() {
      ENGINE_LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      throw new OutOfMemoryError("drill");
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      ENGINE_LOG.removeHandler(this);
    }
  }

  /** What is said, but for debugging. */
  private static final class HeardLog extends Handler implements AutoCloseable {
    final List<String> lines = new CopyOnWriteArrayList<>();

    HeardLog() {
      ENGINE_LOG.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      ENGINE_LOG.removeHandler(this);
    }
  }

  @Test
  void thatNothingCanBeWrittenIsToldOnceAndThatItCanAgainToo() {
    try (HeardLog log = new HeardLog()) {
      for (int i = 0; i < 3; i++) {
        store().failNext(FaultyStore.Fault.BEFORE_COMMIT);
        assertThatThrownBy(this::submit).isInstanceOf(StoreUnavailableException.class);
      }
      submit();
      submit();
      assertThat(log.lines.stream().filter(line -> line.contains("write")))
          .containsExactly(
              "cannot write now, calls get 503 until that is over: made to fail",
              "can write again");
    }
  }

  @Test
  void errorsOfTheStoreEndNeitherWritersNorTheSweep() throws Exception {
    UUID id = submitWithShortLease();
    claim("crashed");
    store().throwErrors(2, Place.TRANSACT, Place.NOW);
    waitUntil(() -> store().errorsLeft() == 0);
    submit();
    waitUntil(() -> store().find(id).orElseThrow().job().state() != JobState.RUNNING);
  }

  @Test
  void errorsThatCannotEvenBeLoggedEndNeitherWritersNorTheSweep() throws Exception {
    UUID id = submitWithShortLease();
    claim("crashed");
    try (FailingLog _ = new FailingLog()) {
      store().throwErrors(2 + store().writers(), Place.TRANSACT, Place.NOW);
      waitUntil(() -> store().errorsLeft() == 0);
    }
    submit();
    waitUntil(() -> store().find(id).orElseThrow().job().state() != JobState.RUNNING);
  }

  private UUID submitWithShortLease() {
    Command.Submit submit =
        Orders.submit(
            new Command.Submit.Draft(
                queue(),
                Needs.NOTHING,
                0,
                0,
                Times.NEVER,
                0,
                RetryPolicy.attempts(3),
                new LeasePolicy(300, 100, 0, 0)),
            null);
    engine().execute(submit, null);
    return submit.jobId();
  }

  @Test
  void whatIsCommittedIsAnsweredAndDoneOnceThoughWhoListensFailsAndTheLogToo() throws Exception {
    restart(
        EngineSettings.DEFAULT,
        commit -> {
          throw new OutOfMemoryError("drill");
        });
    List<Command.Submit> submits;
    try (FailingLog _ = new FailingLog()) {
      submits =
          all(
              50,
              () -> {
                Command.Submit submit = Orders.submit(queue());
                assertThat(engine().execute(submit, null)).isInstanceOf(Outcome.Submitted.class);
                return submit;
              });
    }
    assertThat(store().tally()).containsEntry(new Store.TallyKey(queue(), JobState.PENDING), 50L);
    for (Command.Submit submit : submits) {
      assertThat(store().events(submit.jobId(), 0, 10)).hasSize(1);
    }
  }

  @Test
  void whatFollowsACommitIsDoneThoughAStepBeforeItFailed() throws Exception {
    AtomicInteger told = new AtomicInteger();
    restart(EngineSettings.DEFAULT, commit -> told.addAndGet(commit.events().size()));
    Future<Outcome.OfClaim> waiting = park("w", 40_000);
    waitUntil(() -> engine().parkedClaims() == 1);
    store().throwErrors(1, Place.ANNOUNCE_NEWS);
    UUID id = submit();
    assertThat(store().errorsLeft()).isZero();
    assertThat(told).hasPositiveValue();
    assertThat(jobOf(waiting.get(20, TimeUnit.SECONDS))).isEqualTo(id);
  }

  @Test
  void anErrorOfTheStoreCutsReadersOffAndThoseWhoComeAgainAreFedAsBefore() throws Exception {
    UUID id = submit();
    try (Following reader = engine().follow(job(id), 0)) {
      read(reader, 1);
      store().throwErrors(1, Place.EVENTS);
      store().failNext(FaultyStore.Fault.AFTER_COMMIT);
      assertThatThrownBy(() -> claim("w")).isInstanceOf(StoreUnavailableException.class);
      assertThat(reader.next(TimeUnit.SECONDS.toNanos(20))).isEmpty();
      assertThat(reader.end()).isEqualTo(Following.End.CUT_OFF);
    }
    try (Following again = engine().follow(job(id), 0)) {
      read(again, 2);
      engine().execute(new Command.RequestCancel(id, "drill", 60_000), null);
      assertThat(read(again, 1)).extracting(Event::type).contains(EventType.CANCEL_REQUESTED);
    }
  }

  @Test
  void whoReadsEventsThatAreLongGetsThemAll() throws Exception {
    UUID id = submit();
    saveLongEvents(id);
    engine().execute(Orders.complete(claim("w"), "{}"), null);
    try (Following reader = engine().follow(job(id), 0)) {
      List<Event> read = read(reader, LONG_EVENTS + 3);
      assertThat(read).extracting(Event::type).startsWith(EventType.SUBMITTED);
      assertThat(read.getLast().type()).isEqualTo(EventType.COMPLETED);
    }
  }

  @Test
  void whoFollowsAJobGetsAllOfItsEventsThatAreLookedUpHoweverLong() throws Exception {
    UUID id = submit();
    try (Following reader = engine().follow(job(id), 0)) {
      read(reader, 1);
      saveLongEvents(id);
      store().failNext(FaultyStore.Fault.AFTER_COMMIT);
      assertThatThrownBy(() -> claim("w")).isInstanceOf(StoreUnavailableException.class);
      List<Event> read = read(reader, LONG_EVENTS + 1);
      assertThat(read.getLast().type()).isEqualTo(EventType.CLAIMED);
    }
  }

  private void saveLongEvents(UUID id) {
    String text = "\"" + "x".repeat(1_500_000) + "\"";
    ChangeSet changes = new ChangeSet();
    for (int i = 0; i < LONG_EVENTS; i++) {
      changes.event(SampleJobs.event(id, EventType.PROGRESS, JobState.RUNNING, text));
    }
    changes.saveIn(store());
  }

  private static List<Event> read(Following reader, int count) throws InterruptedException {
    List<Event> read = new ArrayList<>();
    while (read.size() < count && reader.end() == null) {
      read.addAll(reader.next(TimeUnit.SECONDS.toNanos(10)));
    }
    assertThat(read).hasSize(count).extracting(Event::seq).isSorted().doesNotHaveDuplicates();
    return read;
  }
}
