package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Event;
import dev.stint.engine.EventType;
import dev.stint.engine.Job;
import dev.stint.engine.JobState;
import dev.stint.engine.Lease;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Reasons;
import dev.stint.engine.Store;
import dev.stint.engine.Transport;
import dev.stint.storage.Stores;
import dev.stint.testkit.CutProxy;
import dev.stint.testkit.Orders;
import dev.stint.testkit.SettableClock;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import io.lettuce.core.RestoreArgs;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is taken over from workers that read streams by themselves. Each look is made by hand, and
 * messages are put into the stream by hand.
 */
@Timeout(60)
class NativesTest {
  private static final long LEASE_MS = 300_000;
  private static final String QUEUE = "jobs:stream";
  private static final EngineSettings MIRRORED =
      new EngineSettings(EngineSettings.DEFAULT.retentionMs(), 64, 16, 8, true);

  private static @Nullable TestRedis redis;
  private static @Nullable RedisLinks links;
  private static @Nullable RedisLink shared;

  private final List<UUID> mirroredAgain = new ArrayList<>();
  private final SettableClock clock = new SettableClock(System.currentTimeMillis());
  private @Nullable Store store;
  private @Nullable Engine engine;
  private @Nullable Natives natives;
  private @Nullable Gate gate;

  @BeforeAll
  static void startRedis() {
    redis = TestRedis.start();
    links = new RedisLinks(RedisAddress.parse(redis.url()));
    shared = links.open();
  }

  @AfterAll
  static void stopRedis() {
    Objects.requireNonNull(links).close();
    Objects.requireNonNull(redis).close();
  }

  @BeforeEach
  void open(@TempDir Path folder) {
    commands().flushall();
    store = Stores.open(folder.resolve("stint.db").toString(), clock);
    start();
  }

  private void start() {
    start(EngineSettings.DEFAULT);
  }

  private void start(EngineSettings settings) {
    engine = Engine.start(Objects.requireNonNull(store), settings, Observer.NONE);
    natives = new Natives(engine, link(), mirroredAgain::addAll, LEASE_MS);
    gate = new Gate(link(), _ -> false, LEASE_MS, () -> {}, _ -> {});
    engine.attach(gate);
  }

  @AfterEach
  void close() {
    stop();
    Objects.requireNonNull(store).close();
  }

  private void stop() {
    Objects.requireNonNull(gate).close();
    engine().close();
  }

  @Test
  void aJobThatAWorkerRunsIsTakenOverFromBeginningToEnd() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(lease(id))
        .returns("n1", Lease::workerId)
        .returns(task.messageId, Lease::nativeMessage);

    task.emit("token", "llm", "{\"text\": \"Hel\"}").emit("token", "llm", "{\"text\": \"lo\"}");
    look();
    task.emit("a\nb", "x\ny", "no json");
    task.done("{\"answer\": 42}");
    look();

    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("{\"answer\": 42}");
    assertThat(types(id))
        .containsExactly(
            EventType.SUBMITTED,
            EventType.CLAIMED,
            EventType.EMITTED,
            EventType.EMITTED,
            EventType.EMITTED,
            EventType.COMPLETED);
    assertThat(events(id).get(2).data())
        .isEqualTo("{\"type\":\"token\",\"step\":\"llm\",\"data\":{\"text\": \"Hel\"}}");
    assertThat(events(id).get(4).data())
        .isEqualTo("{\"type\":\"message\",\"step\":\"x y\",\"data\":\"no json\"}");
    assertThat(events(id).subList(1, 6))
        .allSatisfy(event -> assertThat(event.requestId()).startsWith("redis:"));
    assertThat(commands().xlen(QUEUE)).isZero();
    assertThat(commands().hgetall(Keys.messages(QUEUE))).isEmpty();
    task.acknowledge();
    look();
    assertThat(events(id)).hasSize(6);
  }

  @Test
  void anErrorIsFinalAndACancelIsToo() {
    UUID failed = enqueued();
    UUID cancelled = enqueued();
    NativeWorker worker = worker("n1");
    worker.next().running().error("{\"code\": \"\\u0000OOM\", \"message\": \"no memory\"}");
    worker.next().running().write("canceled", "error", "").emit("canceled", "w", "{}");
    look();
    assertThat(job(failed).state()).isEqualTo(JobState.FAILED);
    assertThat(job(failed).reason()).isEqualTo("OOM");
    assertThat(Objects.requireNonNull(view(failed).last()).error()).contains("no memory");
    assertThat(job(cancelled).state()).isEqualTo(JobState.ABORTED);
  }

  @Test
  void whatWasDoneWhileNobodyLookedIsTakenOverLater() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running().emit("token", "s", "{}");
    task.done("[1]").acknowledge();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("[1]");
    assertThat(types(id))
        .containsExactly(
            EventType.SUBMITTED, EventType.CLAIMED, EventType.EMITTED, EventType.COMPLETED);
    assertThat(commands().xlen(QUEUE)).isZero();
  }

  @Test
  void anAcknowledgementWithoutAResultLosesTheJobAtOnce() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    task.acknowledge();
    look();
    assertThat(job(id).losses()).isEqualTo(1);
    assertThat(events(id))
        .filteredOn(event -> event.type() == EventType.LOST)
        .singleElement()
        .returns(Reasons.ACKNOWLEDGED_WITHOUT_RESULT, Event::reason);
  }

  @Test
  void aResultWithoutAWordOfItCountsAfterAWhile() throws Exception {
    UUID id = enqueued();
    worker("n1").next().running().write("done", "result", "{\"a\": 1}");
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    lookUntil(() -> job(id).state() == JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("{\"a\": 1}");
    assertThat(events(id).getLast().requestId()).startsWith("native:");
  }

  @Test
  void aSilentWorkerLosesTheJobAndASignOfLifeKeepsIt() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    look();
    long until = lease(id).until();
    clock.advance(Duration.ofMillis(LEASE_MS - 1_000));
    task.running();
    look();
    look();
    assertThat(lease(id).until()).isGreaterThan(until);
    clock.advance(Duration.ofMillis(LEASE_MS + 1));
    sweep();
    assertThat(job(id).losses()).isEqualTo(1);
    assertThat(job(id).state()).isEqualTo(JobState.PENDING);
  }

  @Test
  void whatEndedWhileNobodyCouldLookCountsHoweverLongThatWas() {
    stop();
    start(MIRRORED);
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    stop();
    task.done("{\"a\": 1}").acknowledge();
    clock.advance(Duration.ofMillis(3 * LEASE_MS));
    start(MIRRORED);
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("{\"a\": 1}");
  }

  @Test
  void aLeaseRunsOutOnlyWhileSomebodyLooks() {
    stop();
    start(MIRRORED);
    UUID id = enqueued();
    worker("n1").next().running();
    look();
    clock.advance(Duration.ofMillis(3 * LEASE_MS));
    sweep();
    look();
    sweep();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    for (long watched = 0; watched < LEASE_MS; watched += 2_000) {
      assertThat(job(id).losses()).isZero();
      clock.advance(Duration.ofSeconds(2));
      look();
      sweep();
    }
    clock.advance(Duration.ofSeconds(2));
    sweep();
    assertThat(job(id).losses()).isEqualTo(1);
  }

  @Test
  void aRedisThatWasEmptiedTakesNothingFromItsWorkers() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    commands().flushall();
    look();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(job(id).losses()).isZero();
    task.done("{\"a\": 1}").acknowledge();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("{\"a\": 1}");
  }

  @Test
  void anAnswerThatComesLateIsNoSignOfLife() {
    try (CutProxy proxy = CutProxy.to(Objects.requireNonNull(redis).port());
        RedisLinks slow = new RedisLinks(RedisAddress.parse("redis://127.0.0.1:" + proxy.port()))) {
      natives = new Natives(engine(), slow.open(), mirroredAgain::addAll, LEASE_MS);
      UUID id = enqueued();
      worker("n1").next().running();
      look();
      look();
      long until = lease(id).until();
      clock.advance(Duration.ofSeconds(1));
      proxy.delayAnswers(Duration.ofMillis(200));
      look();
      look();
      assertThat(lease(id).until()).isEqualTo(until);
    }
  }

  @Test
  void aResultMayBeginWithAnything() {
    UUID id = enqueued();
    worker("n1").next().running().done("!5 bytes");
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("\"!5 bytes\"");
  }

  @Test
  void aResultThatIsTooLongFailsTheJobAndSaysHowLongItIs() {
    UUID id = enqueued();
    worker("n1").next().running().done("7".repeat(1_000_001));
    look();
    assertThat(job(id).state()).isEqualTo(JobState.FAILED);
    assertThat(Objects.requireNonNull(view(id).last()).error()).contains("a result of 1000001 b");
  }

  @Test
  void whatAWorkerSaysIsReadInPartsAndAllOfItBeforeTheEnd() throws Exception {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    task.emit("token", "s".repeat(300), "\"" + "x".repeat(1_000_000) + "\"");
    int said = 90;
    for (int i = 0; i < said; i++) {
      task.emit("token", "s", "\"" + "x".repeat(60_000) + "\"");
    }
    task.done("{}").acknowledge();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    assertThat(types(id)).hasSizeLessThan(said);
    lookUntil(() -> job(id).state() == JobState.COMPLETED);
    assertThat(types(id)).filteredOn(type -> type == EventType.EMITTED).hasSize(said + 1);
    assertThat(events(id).get(2).data())
        .isEqualTo(
            "{\"type\":\"token\",\"step\":\"%s\",\"data\":{\"omitted_bytes\":1000002}}"
                .formatted("s".repeat(200)));
  }

  @Test
  void whatNobodyHasAcknowledgedIsLookedAtInParts() {
    NativeWorker worker = worker("n1");
    int messages = 1_100;
    for (int i = 0; i < messages; i++) {
      commands().xadd(QUEUE, Map.of("job_id", UUID.randomUUID().toString()));
    }
    StreamId last = StreamId.ZERO;
    for (int i = 0; i < messages; i++) {
      last = StreamId.parse(worker.next().messageId);
    }
    NativeReader reader = new NativeReader(link());
    NativeReader.Known known = new NativeReader.Known(last, StreamId.ZERO);
    NativeReader.StreamView first = reader.watch(Map.of(QUEUE, known)).getFirst();
    assertThat(first.pending()).hasSize(1_000);
    assertThat(first.tellsOf(last)).isFalse();
    NativeReader.StreamView second = reader.watch(Map.of(QUEUE, first.after())).getFirst();
    assertThat(second.pending()).hasSize(messages - 1_000);
    assertThat(second.tellsOf(last)).isTrue();
    assertThat(second.after()).isEqualTo(known);
  }

  @Test
  void aMessageThatIsBackWithAnOldStreamIsFoundAgain() {
    enqueued();
    enqueued();
    NativeWorker worker = worker("n1");
    byte[] old = commands().dump(QUEUE);
    worker.next().running().done("{}").acknowledge();
    worker.next().running().done("{}").acknowledge();
    look();
    assertThat(commands().xlen(QUEUE)).isZero();

    restore(old);
    worker.next();
    look();
    look();
    assertThat(commands().xlen(QUEUE)).isOne();

    restore(old);
    worker.next();
    worker.next();
    Objects.requireNonNull(natives).lookAnew();
    look();
    assertThat(commands().xlen(QUEUE)).isZero();
  }

  private static void restore(byte[] stream) {
    commands().restore(QUEUE, stream, RestoreArgs.Builder.ttl(0).replace());
  }

  @Test
  void anErrorDoesNotEndTheLooks() throws Exception {
    CountDownLatch looks = new CountDownLatch(2);
    BooleanSupplier isLeader =
        () -> {
          looks.countDown();
          throw new OutOfMemoryError("drill");
        };
    try (NativeLoop loop = new NativeLoop(Objects.requireNonNull(natives), isLeader, () -> false)) {
      loop.start();
      loop.nudge();
      while (!looks.await(10, TimeUnit.MILLISECONDS)) {
        loop.nudge();
      }
    }
  }

  @Test
  void aLateWorkerIsFencedAndWhatItWroteIsPutRight() throws Exception {
    UUID id = enqueued();
    NativeWorker.Task late = worker("n1").next().running();
    look();
    clock.advance(Duration.ofMillis(LEASE_MS + 1));
    sweep();
    look();
    mirror(id);
    look();

    late.done("\"too late\"").acknowledge();
    lookUntil(() -> mirroredAgain.contains(id));

    assertThat(job(id).state()).isEqualTo(JobState.PENDING);
    Event kept = events(id).getLast();
    assertThat(kept.type()).isEqualTo(EventType.LATE_RESULT);
    assertThat(kept.workerId()).isEqualTo("n1");
    assertThat(kept.data()).isEqualTo("\"too late\"");
    assertThat(entries(id)).doesNotContain("done");
  }

  @Test
  void aLateWorkerDoesNotEndWhatAnotherHolds() throws Exception {
    UUID id = enqueued();
    NativeWorker.Task late = worker("n1").next().running();
    look();
    clock.advance(Duration.ofMillis(LEASE_MS + 1));
    sweep();
    look();
    put(id);
    NativeWorker.Task holder = worker("n2").next().running();
    look();
    assertThat(lease(id).workerId()).isEqualTo("n2");

    late.done("\"too late\"");
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    lookUntil(() -> types(id).contains(EventType.LATE_RESULT));
    assertThat(commands().hget(Keys.job(id), "status")).isEqualTo("running");
    assertThat(commands().hget(Keys.job(id), "result")).isEmpty();
    assertThat(entries(id)).doesNotContain("done");

    holder.done("\"in time\"");
    look();
    assertThat(job(id).state()).isEqualTo(JobState.RUNNING);
    holder.acknowledge();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(result(id)).isEqualTo("\"in time\"");
  }

  @Test
  void afterARestartNothingIsLostOrToldTwice() {
    UUID id = enqueued();
    UUID gone = enqueued();
    NativeWorker worker = worker("n1");
    NativeWorker.Task task = worker.next().running().emit("token", "s", "1");
    NativeWorker.Task lost = worker.next().running();
    look();
    stop();
    task.emit("token", "s", "2");
    lost.acknowledge();
    start();
    look();
    task.emit("token", "s", "3").done("{}").acknowledge();
    look();
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(events(id))
        .filteredOn(event -> event.type() == EventType.EMITTED)
        .extracting(Event::data)
        .containsExactly(said(1), said(2), said(3));
    assertThat(events(id)).filteredOn(event -> event.type() == EventType.CLAIMED).hasSize(1);
    assertThat(job(gone).losses()).isEqualTo(1);
  }

  private static String said(int number) {
    return "{\"type\":\"token\",\"step\":\"s\",\"data\":" + number + "}";
  }

  @Test
  void aMessageIsDroppedEvenIfTheLookThatWantedToBreaksOff() {
    UUID id = enqueued();
    engine().execute(new Command.Abort(id, null, "drill"), null);
    worker("n1").next().running().acknowledge();
    AtomicInteger calls = new AtomicInteger();
    natives = new Natives(engine(), link(), _ -> breakOff(calls.incrementAndGet() == 1), LEASE_MS);
    assertThatThrownBy(this::look).isInstanceOf(RedisException.class);
    assertThat(commands().xlen(QUEUE)).isEqualTo(1);

    look();

    assertThat(calls).hasValue(1);
    assertThat(commands().xlen(QUEUE)).isZero();
  }

  private static void breakOff(boolean isSo) {
    if (isSo) {
      throw new RedisException("away");
    }
  }

  @Test
  void aMessageWhoseJobHasMovedOnIsDroppedAndWhatItsWorkerWritesIsPutRight() throws Exception {
    UUID id = enqueued();
    engine().execute(new Command.Abort(id, null, "drill"), null);
    NativeWorker.Task task = worker("n1").next().running();
    look();
    assertThat(commands().xlen(QUEUE)).isZero();
    assertThat(commands().xpending(QUEUE, "workers").getCount()).isZero();
    mirror(id);
    task.done("{}");
    lookUntil(() -> mirroredAgain.contains(id));
    assertThat(job(id).state()).isEqualTo(JobState.ABORTED);
    assertThat(entries(id)).doesNotContain("done");
  }

  @Test
  void aCancelledJobEndsAsItsWorkerSaysOrWhenItsTimeIsUp() {
    UUID heeded = enqueued();
    UUID ignored = enqueued();
    NativeWorker worker = worker("n1");
    NativeWorker.Task first = worker.next().running();
    NativeWorker.Task second = worker.next().running();
    look();
    engine().execute(new Command.RequestCancel(heeded, "why", 30_000), null);
    engine().execute(new Command.RequestCancel(ignored, "why", 30_000), null);
    first.error("{\"code\": \"STOPPED\"}");
    look();
    assertThat(job(heeded).state()).isEqualTo(JobState.ABORTED);
    clock.advance(Duration.ofMillis(30_001));
    sweep();
    assertThat(job(ignored).state()).isEqualTo(JobState.FAILED);
    second.done("{}").acknowledge();
    look();
    look();
    assertThat(job(ignored).state()).isEqualTo(JobState.FAILED);
    assertThat(types(ignored)).last().isEqualTo(EventType.LATE_RESULT);
  }

  @Test
  void whoTakesOverAMessageHoldsTheJob() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    look();
    commands().xclaim(QUEUE, io.lettuce.core.Consumer.from("workers", "n2"), 0, task.messageId);
    look();
    assertThat(lease(id).workerId()).isEqualTo("n2");
  }

  @Test
  void aClaimTakesTheMessageOutOfTheStream() {
    UUID id = enqueued();
    String message = Objects.requireNonNull(commands().hget(Keys.messages(QUEUE), id.toString()));
    Outcome.Claimed claimed = claim();
    assertThat(job(id).enqueueId() + " " + claimed.messageId()).isEqualTo(message);
    assertThat(commands().xlen(QUEUE)).isZero();
    assertThat(commands().hget(Keys.messages(QUEUE), id.toString()))
        .isEqualTo(job(id).enqueueId() + " taken");
    assertThat(worker("n1").take(0)).isNull();
  }

  @Test
  void aClaimFindsThatAWorkerHasTheJobAndTakesTheNext() {
    UUID first = enqueued();
    UUID second = enqueued();
    UUID third = enqueued();
    NativeWorker worker = worker("n1");
    worker.next();
    worker.next().running().done("{}").acknowledge();
    assertThat(claim().job().id()).isEqualTo(third);
    assertThat(lease(first).workerId()).isEqualTo("n1");
    assertThat(lease(second).workerId()).isEqualTo("native");
    look();
    assertThat(job(first).state()).isEqualTo(JobState.RUNNING);
    assertThat(job(second).state()).isEqualTo(JobState.COMPLETED);
  }

  /** By then the message was given up, and nobody would look at what its worker does. */
  @Test
  void aClaimThatIsTooLateToMakeWayKeepsTheJob() {
    UUID id = enqueued();
    NativeWorker.Task task = worker("n1").next().running();
    engine()
        .attach(
            slow(() -> {
              look();
              assertThat(commands().xlen(QUEUE)).isEqualTo(1);
              clock.advance(Duration.ofSeconds(5));
              look();
              assertThat(commands().xlen(QUEUE)).isZero();
            }));
    Outcome.Claimed claimed = claim();
    assertThat(claimed.job().id()).isEqualTo(id);
    assertThat(claimed.messageId()).isEqualTo("0-1");
    assertThat(lease(id)).isEqualTo(claimed.lease());
    task.done("{\"by\":\"n1\"}").acknowledge();
    look();
    Command.Complete complete =
        new Command.Complete(id, Orders.proof(claimed.lease()), "{\"by\":\"w\"}", null);
    assertThat(engine().execute(complete, null)).isInstanceOf(Outcome.Settled.class);
    look();
    assertThat(result(id)).isEqualTo("{\"by\":\"w\"}");
  }

  /** The gate, with something that happens between its answer and what follows from it. */
  private Transport slow(Runnable meanwhile) {
    Gate asked = Objects.requireNonNull(gate);
    return new Transport() {
      @Override
      public List<Taking> take(List<Job> jobs) {
        List<Taking> takings = asked.take(jobs);
        meanwhile.run();
        return takings;
      }

      @Override
      public long nativeLeaseMs() {
        return asked.nativeLeaseMs();
      }
    };
  }

  @Test
  void aClaimWithoutAMessageGetsAnIdThatNamesNone() {
    Command.Submit submit = Orders.submit(QUEUE);
    engine().execute(submit, null);
    assertThat(claim().messageId()).isEqualTo("0-1");
    assertThat(commands().xack(QUEUE, "workers", "0-1")).isZero();
    assertThat(commands().hget(Keys.messages(QUEUE), submit.jobId().toString()))
        .isEqualTo(submit.jobId() + ":1 taken");
  }

  @Test
  void claimsThatAskTogetherAreAnsweredEachForItself() {
    UUID untold = submitted();
    UUID waiting = enqueued();
    UUID held = enqueued();
    UUID runs = submitted();
    String message = messageOf(waiting);
    worker("n0").next();
    NativeWorker.Task task = worker("n1").next();
    commands().hset(Keys.job(runs), "status", "running");

    assertThat(
            Objects.requireNonNull(gate)
                .take(List.of(job(untold), job(held), job(waiting), job(runs))))
        .containsExactly(
            new Transport.Taking.Taken("0-1"),
            new Transport.Taking.Delivered(task.messageId, "n1"),
            new Transport.Taking.Delivered(message, "n0"),
            new Transport.Taking.Taken("0-1"));
    assertThat(commands().hget(Keys.messages(QUEUE), untold.toString())).endsWith(" taken");
    assertThat(commands().hexists(Keys.messages(QUEUE), runs.toString())).isFalse();
  }

  @Test
  void aRedisThatForgotItsScriptsIsGivenThemAgain() {
    UUID id = enqueued();
    String message = messageOf(id);
    claimNothingOf(submitted());
    commands().scriptFlush();
    assertThat(Objects.requireNonNull(gate).take(List.of(job(id))))
        .containsExactly(new Transport.Taking.Taken(message));
    assertThat(commands().xlen(QUEUE)).isZero();
  }

  private void claimNothingOf(UUID id) {
    assertThat(Objects.requireNonNull(gate).take(List.of(job(id))))
        .containsExactly(new Transport.Taking.Taken("0-1"));
  }

  private static String messageOf(UUID id) {
    return commands().hget(Keys.messages(QUEUE), id.toString()).split(" ", 2)[1];
  }

  @Test
  void whileRedisIsAwayClaimsGoOnWithoutIt() {
    try (TestRedis own = TestRedis.start();
        RedisLinks away = new RedisLinks(RedisAddress.parse(own.url()));
        Gate shut = new Gate(away.open(), _ -> false, LEASE_MS, () -> {}, _ -> {})) {
      UUID id = enqueued();
      Job job = job(id);
      assertThat(shut.take(List.of(job))).containsExactly(new Transport.Taking.Taken("0-1"));
      own.kill();
      assertThat(shut.take(List.of(job))).containsExactly(new Transport.Taking.Taken("0-1"));
    }
  }

  private void look() {
    Objects.requireNonNull(natives).watchOnce();
  }

  private void lookUntil(BooleanSupplier condition) throws Exception {
    long end = System.nanoTime() + 20_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(20);
      look();
    }
  }

  private void sweep() {
    Outcome.Swept swept;
    do {
      swept = engine().execute(new Command.Sweep(100), null);
    } while (swept.nextDueAt() <= engine().now());
  }

  private Engine engine() {
    return Objects.requireNonNull(engine);
  }

  private static RedisLink link() {
    return Objects.requireNonNull(links).open();
  }

  private static RedisCommands<String, String> commands() {
    return Objects.requireNonNull(shared).sync();
  }

  private static NativeWorker worker(String name) {
    return new NativeWorker(link(), QUEUE, name);
  }

  private UUID enqueued() {
    UUID id = submitted();
    put(id);
    return id;
  }

  private UUID submitted() {
    Command.Submit submit = Orders.submit(QUEUE);
    engine().execute(submit, null);
    return submit.jobId();
  }

  /** Puts a job's message into its stream. */
  private void put(UUID id) {
    String enqueueId = job(id).enqueueId();
    String message =
        commands()
            .xadd(
                QUEUE,
                Map.of(
                    "job_id",
                    id.toString(),
                    "enqueue_id",
                    enqueueId,
                    "task",
                    "chat",
                    "payload",
                    "{}"));
    commands().hset(Keys.messages(QUEUE), id.toString(), enqueueId + " " + message);
    mirror(id);
  }

  /** Writes a job's hash as the store has it. */
  private void mirror(UUID id) {
    Job job = job(id);
    commands()
        .hset(
            Keys.job(id),
            Map.of(
                "status",
                dev.stint.contracts.JobJson.status(job.state()),
                "updated_ts",
                Long.toString(job.updatedAt()),
                "result",
                "",
                "error",
                ""));
  }

  private List<String> entries(UUID id) {
    return commands().xrange(Keys.events(id), Range.unbounded()).stream()
        .map(StreamMessage::getBody)
        .map(body -> String.valueOf(body.get("type")))
        .toList();
  }

  private Outcome.Claimed claim() {
    return (Outcome.Claimed) engine().execute(Orders.claim("w", QUEUE), null);
  }

  private Store.JobView view(UUID id) {
    return engine().find(id).orElseThrow();
  }

  private Job job(UUID id) {
    return view(id).job();
  }

  private Lease lease(UUID id) {
    return Objects.requireNonNull(job(id).lease());
  }

  private @Nullable String result(UUID id) {
    return Objects.requireNonNull(view(id).last()).result();
  }

  private List<Event> events(UUID id) {
    List<Event> events = new ArrayList<>(engine().events(id, 0, 100));
    while (true) {
      List<Event> more = engine().events(id, events.getLast().seq(), 100);
      if (more.isEmpty()) {
        return events;
      }
      events.addAll(more);
    }
  }

  private List<EventType> types(UUID id) {
    return events(id).stream().map(Event::type).toList();
  }
}
