package dev.stint.worker.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.sdk.Handler;
import dev.stint.client.sdk.JobFailedException;
import dev.stint.testkit.CutProxy;
import dev.stint.testkit.TestRedis;
import dev.stint.worker.CommandHandler;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The native worker on a real Redis, with nobody else there: the contract alone. */
@Timeout(120)
class RedisWorkerTest {
  private static final String STREAM = GatewaySide.STREAM;

  private final TestRedis redis = TestRedis.start();

  private final GatewaySide gateway = new GatewaySide(redis.url());

  @AfterEach
  void stop() {
    gateway.close();
    redis.close();
  }

  private RedisWorker.Builder worker(Handler handler) {
    return RedisWorker.to(redis.url())
        .workerId("w1")
        .pulse(Duration.ofMillis(100))
        .drain(Duration.ofMillis(500))
        .handle(handler);
  }

  @Test
  void aJobIsRunAndToldOfInTheOrderOfTheContract() throws Exception {
    gateway.enqueue("j1", "{\"prompt\":\"hello\"}");

    try (RedisWorker _ =
        worker(
                job -> {
                  job.progress(50, "half");
                  return Map.of(
                      "got", Objects.requireNonNull(job.payload()), "task", "" + job.task());
                })
            .start()) {
      gateway.awaitStatus("j1", "done");
      GatewaySide.await(() -> gateway.pending() == 0);
    }

    assertThat(Json.read(Objects.requireNonNull(gateway.hash("j1").get("result"))))
        .isEqualTo(Map.of("got", Map.of("prompt", "hello"), "task", "chat"));
    assertThat(gateway.hash("j1"))
        .containsEntry("error", "")
        .containsEntry("payload", "{\"prompt\":\"hello\"}");
    assertThat(Long.parseLong(Objects.requireNonNull(gateway.hash("j1").get("updated_ts"))))
        .isGreaterThan(1);
    assertThat(gateway.events("j1"))
        .extracting(event -> event.get("type"))
        .containsExactly("running", "progress", "done");
    assertThat(gateway.events("j1"))
        .allSatisfy(event -> {
          assertThat(event.keySet()).containsExactlyInAnyOrder("type", "ts", "step", "data");
          assertThat(Json.read(Objects.requireNonNull(event.get("data"))))
              .asInstanceOf(InstanceOfAssertFactories.MAP)
              .containsEntry("worker_id", "w1");
        });
    for (String key : List.of("job:j1", "job:j1:events")) {
      assertThat((Long) gateway.call("TTL", key)).isBetween(1L, 120L);
    }
  }

  @Test
  void aFailureIsAnErrorAndAPayloadThatIsNoJsonComesRaw() throws Exception {
    gateway.enqueue("bad", "{not json");
    gateway.enqueue("worse", "{}");

    try (RedisWorker _ =
        worker(
                job -> {
                  if (job.id().equals("bad")) {
                    return job.payload();
                  }
                  throw JobFailedException.forGood("NO", "not like this");
                })
            .slots(2)
            .start()) {
      gateway.awaitStatus("bad", "done");
      gateway.awaitStatus("worse", "error");
    }

    assertThat(gateway.hash("bad")).containsEntry("result", "{\"_raw\":\"{not json\"}");
    assertThat(Json.read(Objects.requireNonNull(gateway.hash("worse").get("error"))))
        .isEqualTo(Map.of("code", "NO", "message", "not like this", "retryable", false));
    assertThat(gateway.events("worse").getLast()).containsEntry("type", "error");
    assertThat(gateway.pending()).isZero();
  }

  @Test
  void numbersReachACommandAndComeBackAsTheyAre() throws Exception {
    gateway.enqueue("exact", "{\"id\":12345678901234567890,\r\n \"x\":[0.10,1E400]}\n");
    gateway.enqueue("raw", "{\n");
    gateway.enqueue("null", "null");
    List<String> echo = List.of("sh", "-c", "cat; for word; do echo \"$word\"; done", "-");
    List<String> words = new ArrayList<>(echo);
    words.addAll(List.of("{payload}", "{payload.id}", "{payload.x}"));
    CommandHandler simple = new CommandHandler(echo, Duration.ofSeconds(1));
    CommandHandler exact = new CommandHandler(words, Duration.ofSeconds(1));

    try (RedisWorker _ =
        worker(job -> (job.id().equals("exact") ? exact : simple).handle(job)).start()) {
      for (String id : List.of("exact", "raw", "null")) {
        gateway.awaitStatus(id, "done");
      }
    }

    String payload = "{\"id\":12345678901234567890,   \"x\":[0.10,1E400]}";
    assertThat(gateway.hash("exact"))
        .containsEntry(
            "result", "[" + payload + "," + payload + ",12345678901234567890,[0.10,1E400]]");
    assertThat(gateway.hash("raw")).containsEntry("result", "{\"_raw\":\"{\\n\"}");
    assertThat(gateway.hash("null")).containsEntry("result", "{}");
  }

  @Test
  void whatAWorkerOfThisNameHadIsTakenUpAgain() throws Exception {
    gateway.call("XGROUP", "CREATE", STREAM, "workers", "0", "MKSTREAM");
    gateway.enqueue("old", "{}");
    gateway.enqueue("gone", "{}");
    gateway.call("XREADGROUP", "GROUP", "workers", "w1", "COUNT", "2", "STREAMS", STREAM, ">");
    List<?> all = GatewaySide.list(gateway.call("XRANGE", STREAM, "-", "+"));
    gateway.call("XDEL", STREAM, String.valueOf(GatewaySide.list(all.getLast()).getFirst()));
    gateway.enqueue("over", "{}");
    gateway.call("HSET", "job:over", "status", "canceled");
    gateway.enqueue("new", "{}");
    Set<String> ran = ConcurrentHashMap.newKeySet();

    try (RedisWorker _ = worker(job -> ran.add(job.id())).start()) {
      gateway.awaitStatus("new", "done");
      gateway.awaitStatus("old", "done");
      GatewaySide.await(() -> gateway.pending() == 0);
    }

    assertThat(ran).containsExactlyInAnyOrder("old", "new");
    assertThat(gateway.hash("over")).containsEntry("status", "canceled");
  }

  @Test
  void theKeysOfAJobWithoutATtlStay() throws Exception {
    gateway.enqueue("j1", "{}");
    gateway.call("HSET", "job:j1", "ttl_s", "0");
    gateway.call("PERSIST", "job:j1");

    try (RedisWorker _ = worker(job -> "done").start()) {
      gateway.awaitStatus("j1", "done");
    }

    assertThat(gateway.call("TTL", "job:j1")).isEqualTo(-1L);
    assertThat(gateway.call("TTL", "job:j1:events")).isEqualTo(-1L);
  }

  @Test
  void aCancelInterruptsTheHandler() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    try (RedisWorker _ = worker(job -> sleep(running)).start()) {
      running.await();
      gateway.call(
          "XADD",
          "job:j1:events",
          "*",
          "type",
          "message",
          "ts",
          "1",
          "step",
          "cancel_requested",
          "data",
          "{}");
      gateway.awaitStatus("j1", "canceled");
    }
    assertThat(gateway.events("j1").getLast()).containsEntry("type", "canceled");
    assertThat(gateway.pending()).isZero();
  }

  @Test
  void aCancelIsSeenBehindAnyNumberOfNewerEvents() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    try (RedisWorker _ = worker(job -> sleep(running)).start()) {
      running.await();
      gateway.call(
          "EVAL",
          "redis.call('XADD', KEYS[1], '*', 'step', 'cancel_requested') "
              + "for i = 1, 120 do redis.call('XADD', KEYS[1], '*', 'step', 'token') end",
          "1",
          "job:j1:events");
      gateway.awaitStatus("j1", "canceled");
    }
  }

  private static String sleep(CountDownLatch running) throws InterruptedException {
    running.countDown();
    Thread.sleep(60_000);
    return "slept";
  }

  @Test
  void aJobThatIsNotItsOwnAnyMoreIsGivenUpAndNothingIsSaidOfIt() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    try (RedisWorker _ = worker(job -> sleep(running)).start()) {
      running.await();
      List<?> message =
          GatewaySide.list(GatewaySide.list(gateway.call("XRANGE", STREAM, "-", "+")).getFirst());
      gateway.call("XACK", STREAM, "workers", String.valueOf(message.getFirst()));
      gateway.call("HSET", "job:j1", "status", "queued");
      gateway.enqueue("next", "{}");
      gateway.awaitStatus("next", "running");
    }
    assertThat(gateway.hash("j1")).containsEntry("status", "queued").containsEntry("result", "");
    assertThat(gateway.events("j1"))
        .extracting(event -> event.get("type"))
        .containsExactly("running");
  }

  @Test
  void redisMayGoAndComeBackEmptyAndIsWaitedForAtTheStart() throws Exception {
    redis.kill();
    try (RedisWorker _ = worker(job -> "done").slots(2).start()) {
      redis.restart();
      gateway.enqueue("first", "{}");
      gateway.awaitStatus("first", "done");
      redis.restart();
      gateway.enqueue("second", "{}");
      gateway.awaitStatus("second", "done");
      gateway.call("FLUSHALL");
      gateway.enqueue("third", "{}");
      gateway.awaitStatus("third", "done");
    }
  }

  @Test
  void aRedisThatHasNoRoomJustNowIsWaitedFor() throws Exception {
    gateway.call("CONFIG", "SET", "maxclients", "1");
    try (RedisWorker _ = worker(job -> "done").start()) {
      gateway.call("CONFIG", "SET", "maxclients", "100");
      gateway.enqueue("j1", "{}");
      gateway.awaitStatus("j1", "done");
    }
  }

  @Test
  void closingWaitsForHandlersAndLeavesPendingWhatTakesTooLong() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    RedisWorker worker = worker(job -> sleep(running)).drain(Duration.ofMillis(200)).start();
    running.await();

    worker.close();

    worker.awaitEnd();
    assertThat(gateway.pending()).isEqualTo(1);
    assertThat(gateway.hash("j1")).containsEntry("status", "running");
    try (RedisWorker _ = worker(job -> "at last").start()) {
      gateway.awaitStatus("j1", "done");
    }
  }

  @Test
  void whoClosesAWorkerThatIsBeingClosedReturnsWhenItIsClosed() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    RedisWorker worker =
        worker(
                job -> {
                  running.countDown();
                  done.await();
                  return "done";
                })
            .drain(ChronoUnit.FOREVER.getDuration())
            .start();
    running.await();
    Thread first = Thread.ofPlatform().start(worker::close);
    GatewaySide.await(() -> isWaiting(first));

    AtomicBoolean isOver = new AtomicBoolean();
    Thread second =
        Thread.ofPlatform()
            .start(() -> {
              worker.close();
              isOver.set(done.getCount() == 0);
            });
    GatewaySide.await(() -> isWaiting(second) || !second.isAlive());
    done.countDown();

    second.join();
    first.join();
    assertThat(isOver).isTrue();
    assertThat(gateway.hash("j1")).containsEntry("status", "done");
  }

  private static boolean isWaiting(Thread thread) {
    return Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING).contains(thread.getState());
  }

  @Test
  void aWorkerCanBeClosedWhileItsRedisSaysNothing() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    try (CutProxy proxy = CutProxy.to(redis.port())) {
      RedisWorker worker =
          RedisWorker.to("redis://127.0.0.1:" + proxy.port())
              .workerId("w1")
              .slots(2)
              .pulse(Duration.ofMillis(100))
              .drain(Duration.ofMillis(200))
              .lastCalls(Duration.ofMillis(200))
              .handle(job -> sleep(running))
              .start();
      running.await();
      proxy.standStill();

      worker.close();
      worker.awaitEnd();
    }
    assertThat(gateway.pending()).isEqualTo(1);
    assertThat(gateway.hash("j1")).containsEntry("status", "running");
    try (RedisWorker _ = worker(job -> "at last").start()) {
      gateway.awaitStatus("j1", "done");
    }
  }

  @Test
  void aWrongPasswordOrUrlIsToldWithoutShowingIt() {
    try (TestRedis locked = TestRedis.start("--requirepass", "s3cret")) {
      String good = locked.url().replace("redis://", "redis://:s3cret@");
      assertThatThrownBy(() -> RedisWorker.to(locked.url()).handle(job -> "").start())
          .isInstanceOf(RedisRefusedException.class)
          .hasMessageContaining("NOAUTH");
      assertThatThrownBy(() -> RedisWorker.to(good.replace("s3", "4")).handle(job -> "").start())
          .isInstanceOf(RedisRefusedException.class)
          .hasMessageNotContaining("cret");
      assertThat(RedisUrl.parse(good)).hasToString(locked.url());
    }
    for (String wrong : List.of("http://:s3cret@h", "redis:", "redis://:s3cret@h/x", "s3cret")) {
      assertThatThrownBy(() -> RedisUrl.parse(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("must be of the form redis://")
          .hasMessageNotContaining("s3cret");
    }
    assertThat(RedisUrl.parse("rediss://me:pw@h/3"))
        .isEqualTo(new RedisUrl("h", 6379, "me", "pw", 3, true));
  }

  /** Stands for whatever goes wrong: there is no room for the line that Redis is away. */
  private static final class BrokenLog extends java.util.logging.Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(Patience.class.getName());
    private final CountDownLatch thrown = new CountDownLatch(1);

    BrokenLog() {
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().equals(Level.WARNING) && thrown.getCount() > 0) {
        thrown.countDown();
        throw new OutOfMemoryError("drill");
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
    }
  }

  @Test
  void anErrorDoesNotEndTheReading() throws Exception {
    try (BrokenLog log = new BrokenLog();
        RedisWorker _ = worker(job -> "done").start()) {
      redis.restart();
      log.thrown.await();
      gateway.enqueue("j1", "{}");
      gateway.awaitStatus("j1", "done");
    }
  }

  @Test
  void anErrorDoesNotEndTheSignsOfLife() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    gateway.enqueue("j1", "{}");
    try (BrokenLog log = new BrokenLog();
        RedisWorker _ =
            worker(
                    job -> {
                      try {
                        return sleep(running);
                      } finally {
                        interrupted.countDown();
                      }
                    })
                .start()) {
      running.await();
      redis.kill();
      log.thrown.await();
      redis.restart(); // empty, so that the job is not this worker's any more

      assertThat(interrupted.await(30, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void oneReadBringsNoMoreThanAFewHoweverManySlotsAreFree() throws Exception {
    gateway.call("CONFIG", "SET", "slowlog-max-len", "10000");
    gateway.call("CONFIG", "SET", "slowlog-log-slower-than", "0");
    for (int i = 0; i < 40; i++) {
      gateway.enqueue("j" + i, "{}");
    }
    CountDownLatch all = new CountDownLatch(40);
    try (RedisWorker _ =
        worker(
                job -> {
                  all.countDown();
                  all.await();
                  return "done";
                })
            .slots(500)
            .start()) {
      assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    }
    List<?> log = GatewaySide.list(gateway.call("SLOWLOG", "GET", "10000"));
    List<String> counts =
        log.stream()
            .map(line -> GatewaySide.list(GatewaySide.list(line).get(3)))
            .filter(words -> words.indexOf("XREADGROUP") == 0) // some have no words in Redis 7
            .map(words -> String.valueOf(words.get(words.indexOf("COUNT") + 1)))
            .distinct()
            .toList();
    assertThat(counts).containsExactly("16");
  }
}
