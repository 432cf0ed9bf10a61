package dev.stint.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.Following;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Outcome;
import dev.stint.engine.OverloadedException;
import dev.stint.engine.Progress;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Times;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What those who follow jobs are promised, over any store. */
@Timeout(60)
public abstract class FeedConformance {
  private static final EngineSettings SETTINGS =
      new EngineSettings(Times.NEVER / 2, 2_048, 64, 100, false);
  private static final long LONG = TimeUnit.SECONDS.toNanos(30);
  private static final long SHORT = TimeUnit.MILLISECONDS.toNanos(20);

  /** Opens the store under test. */
  protected abstract Store openStore(Clock clock);

  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final String queue = "q-" + UUID.randomUUID();
  private final List<Integer> removed = new CopyOnWriteArrayList<>();
  private @Nullable FaultyStore openedStore;
  private @Nullable Engine startedEngine;

  @BeforeEach
  void open() {
    openedStore = new FaultyStore(openStore(Clock.systemUTC()));
    startedEngine =
        Engine.start(
            openedStore,
            SETTINGS,
            commit -> {
              if (commit.removed() > 0) {
                removed.add(commit.removed());
              }
            });
  }

  @AfterEach
  void close() {
    engine().close();
    store().close();
    threads.shutdownNow();
  }

  private FaultyStore store() {
    return Objects.requireNonNull(openedStore);
  }

  private Engine engine() {
    return Objects.requireNonNull(startedEngine);
  }

  @Test
  void aReaderSeesWhatWasAndWhatComesAndTheEnd() throws Exception {
    UUID id = submit(0);
    try (Following reader = follow(id, 0)) {
      assertThat(words(reader.next(LONG))).containsExactly("submitted");
      Outcome.Claimed claimed = claim();
      assertThat(words(reader.next(LONG))).containsExactly("claimed");
      engine().execute(Orders.complete(claimed, "{}"), null);
      assertThat(words(reader.next(LONG))).containsExactly("completed");
      assertThat(reader.next(LONG)).isEmpty();
      assertThat(reader.end()).isEqualTo(Following.End.FINISHED);
    }
    assertThat(engine().followers()).isZero();
  }

  @Test
  void aReaderOfAnEndedJobSeesAllOfItAndTheEnd() throws Exception {
    UUID id = submit(0);
    engine().execute(Orders.complete(claim(), "{}"), null);
    List<Event> all = readAll(id, 0);
    assertThat(words(all)).containsExactly("submitted", "claimed", "completed");
    assertThat(readAll(id, all.get(1).seq())).containsExactly(all.getLast());
    assertThat(readAll(id, all.getLast().seq())).isEmpty();
  }

  @Test
  void aReportThatCameTooLateKeepsNoReaderFromItsEnd() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    engine().execute(Orders.complete(claimed, "{}"), null);
    engine().execute(progress(claimed, "too late"), null);
    List<Event> all = readAll(id, 0);
    assertThat(words(all)).containsExactly("submitted", "claimed", "completed");
    assertThat(words(readAll(id, all.getLast().seq()))).containsExactly("late_result");
  }

  @Test
  void whatIsHandedOverIsWhatIsStored() throws Exception {
    UUID id = submit(0);
    try (Following reader = follow(id, 0)) {
      reader.next(LONG);
      Outcome.Claimed claimed = claim();
      List<Event> handed = new ArrayList<>(reader.next(LONG));
      engine().execute(Orders.complete(claimed, "{}"), "req");
      handed.addAll(reader.next(LONG));
      assertThat(handed).isEqualTo(store().events(id, 0, 10).subList(1, 3));
    }
  }

  @Test
  void anIdleReaderIsLeftAloneUntilItsTimeIsUp() throws Exception {
    try (Following reader = follow(submit(0), 0)) {
      reader.next(LONG);
      assertThat(reader.next(SHORT)).isEmpty();
      assertThat(reader.end()).isNull();
    }
  }

  @Test
  void manyReadersThatComeAtAnyMomentSeeEveryEventOnceAndInOrder() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    List<Future<List<Event>>> readers = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      engine().execute(progress(claimed, "step " + i), null);
      if (i % 5 == 0) {
        readers.add(threads.submit(() -> readAll(id, 0)));
      }
    }
    engine().execute(Orders.complete(claimed, "{}"), null);
    List<Event> stored = store().events(id, 0, 1_000);
    assertThat(stored).hasSize(203);
    for (Future<List<Event>> reader : readers) {
      assertThat(reader.get(30, TimeUnit.SECONDS)).isEqualTo(stored);
    }
  }

  @Test
  void whoComesAgainAtRandomPointsSeesEveryEventOnceAndInOrder() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    List<Future<List<Event>>> readers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Random random = new Random(i);
      readers.add(
          threads.submit(() -> {
            List<Event> read = new ArrayList<>();
            Following.End end = null;
            while (end != Following.End.FINISHED) {
              try (Following reader = follow(id, read.isEmpty() ? 0 : read.getLast().seq())) {
                for (int n = random.nextInt(4); n >= 0 && end == null; n--) {
                  read.addAll(reader.next(LONG));
                  end = reader.end();
                }
              }
            }
            return read;
          }));
    }
    for (int i = 0; i < 100; i++) {
      engine().execute(progress(claimed, "step " + i), null);
    }
    engine().execute(Orders.complete(claimed, "{}"), null);
    List<Event> stored = store().events(id, 0, 1_000);
    for (Future<List<Event>> reader : readers) {
      assertThat(reader.get(30, TimeUnit.SECONDS)).isEqualTo(stored);
    }
  }

  @Test
  void aReaderThatDoesNotKeepUpIsCutOffAndMayGoOnBehindItsLastEvent() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    List<Event> read = new ArrayList<>();
    try (Following slow = follow(id, 0);
        Following quick = follow(id, 0)) {
      read.addAll(slow.next(LONG));
      slow.next(SHORT);
      quick.next(LONG);
      int seen = 0;
      for (int i = 0; i < 600; i++) {
        engine().execute(progress(claimed, "step " + i), null);
        if (i % 100 == 99) {
          while (seen <= i) {
            seen += quick.next(LONG).size();
          }
        }
      }
      assertThat(slow.next(LONG)).isEmpty();
      assertThat(slow.end()).isEqualTo(Following.End.CUT_OFF);
      assertThat(quick.end()).isNull();
    }
    engine().execute(Orders.complete(claimed, "{}"), null);
    read.addAll(readAll(id, read.getLast().seq()));
    assertThat(read).isEqualTo(store().events(id, 0, 1_000));
  }

  @Test
  void aReaderThatStillReadsWhatWasIsNotCutOffForWhatCame() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    try (Following late = follow(id, 0)) {
      for (int i = 0; i < 600; i++) {
        engine().execute(progress(claimed, "step " + i), null);
      }
      engine().execute(Orders.complete(claimed, "{}"), null);
      assertThat(readOn(late)).isEqualTo(store().events(id, 0, 1_000));
      assertThat(late.end()).isEqualTo(Following.End.FINISHED);
    }
  }

  @Test
  void whoFollowsAJobThatOutlivesItsTimeIsToldThatItIsGone() throws Exception {
    UUID id = submit(1_000);
    try (Following reader = follow(id, 0)) {
      assertThat(readOn(reader)).hasSize(1);
      assertThat(reader.end()).isEqualTo(Following.End.GONE);
    }
    assertThat(engine().find(id)).isEmpty();
    assertThat(engine().lastEventSeq(id)).isZero();
  }

  @Test
  void aJobKeepsTheNewestOfItsEventsOfProgressAndAllOthers() {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    int told = Progress.MAX_TOLD + 5;
    for (int i = 0; i < told; i++) {
      engine().execute(progress(claimed, "step " + i), null);
    }
    engine().execute(Orders.complete(claimed, "{}"), null);
    List<Event> stored = store().events(id, 0, 2_000);
    assertThat(stored).hasSize(Progress.MAX_TOLD + 3);
    assertThat(words(stored)).startsWith("submitted", "claimed", "progress").endsWith("completed");
    assertThat(stored.get(2).reason()).isEqualTo("step 5");
  }

  @Test
  void outputIsKeptOnceAndInOrderWhateverIsSentTwice() {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    assertThat(output(claimed, 0, "abc")).isInstanceOf(Outcome.OutputTaken.class);
    assertThat(output(claimed, 0, "abc")).isInstanceOf(Outcome.OutputTaken.class);
    assertThat(output(claimed, 2, "cdé")).isInstanceOf(Outcome.OutputTaken.class);
    assertThat(output(claimed, 7, "x")).isEqualTo(new Outcome.OutputGap(6));
    assertThat(store().events(id, 0, 10).stream().skip(2).map(Event::data))
        .containsExactly(
            "{\"attempt\":1,\"offset\":0,\"text\":\"abc\"}",
            "{\"attempt\":1,\"offset\":3,\"text\":\"dé\"}");
    engine().execute(Orders.complete(claimed, "{}"), null);
    assertThat(output(claimed, 6, "x")).isInstanceOf(Outcome.Stale.class);
  }

  @Test
  void outputsOfOneMomentAreTakenInTheOrderInWhichTheyFit() throws Exception {
    UUID id = submit(0);
    Outcome.Claimed claimed = claim();
    List<Future<?>> senders = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      senders.add(
          threads.submit(() -> {
            for (long at = 0; at < 50; ) {
              at =
                  switch (output(claimed, at, "x")) {
                    case Outcome.OutputTaken taken -> taken.offset();
                    case Outcome.OutputGap gap -> gap.expectedOffset();
                    default -> throw new AssertionError("neither taken nor missing");
                  };
            }
          }));
    }
    for (Future<?> sender : senders) {
      sender.get(30, TimeUnit.SECONDS);
    }
    List<Event> outputs = store().events(id, 0, 1_000).stream().skip(2).toList();
    for (int i = 0; i < outputs.size(); i++) {
      assertThat(outputs.get(i).data()).contains("\"offset\":" + i + ",");
    }
    assertThat(outputs.size()).isGreaterThanOrEqualTo(50);
  }

  @Test
  void anExpiredJobIsInNoViewEvenBeforeItIsSwept() throws Exception {
    UUID id = submit(1_500);
    Outcome.Claimed claimed = claim();
    store().standStill();
    try {
      while (engine().find(id).isPresent()) {
        Thread.sleep(20);
      }
      assertThat(store().find(id)).isPresent();
      assertThat(engine().list(Store.JobFilter.of(null, "w"), null, 10).items()).isEmpty();
      Store.EventFilter ofJob = new Store.EventFilter(claimed.job().id(), null, null, null);
      assertThat(engine().history(ofJob, null, 10).items()).isEmpty();
    } finally {
      store().goOn();
    }
  }

  @Test
  void whatWasCommittedThoughNobodyWasToldIsSeenAllTheSame() throws Exception {
    UUID id = submit(0);
    try (Following reader = follow(id, 0)) {
      reader.next(LONG);
      store().failNext(FaultyStore.Fault.AFTER_COMMIT);
      assertThatThrownBy(this::claim).isInstanceOf(StoreUnavailableException.class);
      assertThat(words(reader.next(LONG))).containsExactly("claimed");
    }
  }

  @Test
  void expiredJobsGoManyAtOnceButNotAllAtOnceAndOthersAreNotLookedAt() throws Exception {
    submit(0);
    List<Future<UUID>> expiring = new ArrayList<>();
    for (int i = 0; i < 1_200; i++) {
      expiring.add(threads.submit(() -> submit(3_000)));
    }
    for (Future<UUID> each : expiring) {
      each.get(30, TimeUnit.SECONDS);
    }
    store().standStill();
    Thread.sleep(3_100);
    store().goOn();
    while (removed.stream().mapToInt(Integer::intValue).sum() < 1_200) {
      Thread.sleep(20);
    }
    assertThat(removed).allMatch(n -> n <= 500).anyMatch(n -> n > 100);
    assertThat(store().tally())
        .containsExactly(Map.entry(new Store.TallyKey(queue, JobState.PENDING), 1L));
  }

  @Test
  void noMoreFollowThanMay() {
    Job job = engine().find(submit(0)).orElseThrow().job();
    List<Following> readers = new ArrayList<>();
    for (int i = 0; i < SETTINGS.maxFollowers(); i++) {
      readers.add(engine().follow(job, 0));
    }
    assertThatThrownBy(() -> engine().follow(job, 0)).isInstanceOf(OverloadedException.class);
    readers.getFirst().close();
    readers.getFirst().close();
    readers.add(engine().follow(job, 0));
    assertThatThrownBy(() -> engine().follow(job, 0)).isInstanceOf(OverloadedException.class);
    readers.forEach(Following::close);
    assertThat(engine().followers()).isZero();
  }

  @Test
  void allReadingEndsWhenTheEngineStops() throws Exception {
    UUID id = submit(0);
    try (Following reader = follow(id, 0)) {
      reader.next(LONG);
      Future<List<Event>> waiting = threads.submit(() -> reader.next(LONG));
      engine().stopWaiting();
      assertThat(waiting.get(10, TimeUnit.SECONDS)).isEmpty();
      assertThat(reader.end()).isEqualTo(Following.End.STOPPED);
    }
  }

  private UUID submit(long ttlMs) {
    Command.Submit submit = Orders.submitFor(queue, ttlMs);
    engine().execute(submit, null);
    return submit.jobId();
  }

  private Outcome.Claimed claim() {
    return (Outcome.Claimed) engine().execute(Orders.claim("w", queue), null);
  }

  private static Command.Heartbeat progress(Outcome.Claimed claimed, String message) {
    return new Command.Heartbeat(
        claimed.job().id(), Orders.proof(claimed.lease()), new Progress(null, message, null));
  }

  private Outcome.OfOutput output(Outcome.Claimed claimed, long offset, String text) {
    return engine()
        .execute(
            new Command.Output(
                claimed.job().id(), Orders.proof(claimed.lease()), offset, text, 10_000),
            null);
  }

  private Following follow(UUID id, long afterSeq) {
    return engine().follow(engine().find(id).orElseThrow().job(), afterSeq);
  }

  private List<Event> readAll(UUID id, long afterSeq) throws InterruptedException {
    try (Following reader = follow(id, afterSeq)) {
      return readOn(reader);
    }
  }

  private static List<Event> readOn(Following reader) throws InterruptedException {
    List<Event> read = new ArrayList<>();
    while (reader.end() == null) {
      read.addAll(reader.next(LONG));
    }
    read.addAll(reader.next(SHORT));
    return read;
  }

  private static List<String> words(List<Event> events) {
    return events.stream().map(event -> event.type().word()).toList();
  }
}
