package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;

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
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

/** Workers that know Redis alone, and a control plane with all that it does with Redis. */
@Timeout(120)
class NativeLifeTest {
  private static final String QUEUE = "jobs:stream";
  private static final EngineSettings MIRRORED =
      new EngineSettings(Long.MAX_VALUE / 4, 16_384, 512, 100, true);

  private static @Nullable TestRedis server;
  private static @Nullable RedisLinks links;
  private static @Nullable RedisLink shared;

  private @Nullable Store store;
  private @Nullable Engine engine;
  private @Nullable Redis redis;
  private int leaseSeconds = 60;

  @BeforeAll
  static void startRedis() {
    server = TestRedis.start();
    links = new RedisLinks(RedisAddress.parse(server.url()));
    shared = links.open();
  }

  @AfterAll
  static void stopRedis() {
    Objects.requireNonNull(links).close();
    Objects.requireNonNull(server).close();
  }

  @BeforeEach
  void open(@TempDir Path folder) {
    commands().flushall();
    store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
    start();
  }

  private void start() {
    engine = Engine.start(Objects.requireNonNull(store), MIRRORED, Observer.NONE);
    redis =
        Redis.start(
            engine,
            new RedisSettings(
                RedisAddress.parse(Objects.requireNonNull(server).url()), leaseSeconds));
  }

  /** For a test that is about a worker that is taken for dead. */
  private void losesWorkersSoon() {
    stop();
    leaseSeconds = 2;
    start();
  }

  @AfterEach
  void close() {
    stop();
    Objects.requireNonNull(store).close();
  }

  private void stop() {
    Objects.requireNonNull(redis).close();
    engine().close();
  }

  @Test
  void aWorkerAsTheDocumentDescribesItRunsAJob() throws Exception {
    NativeWorker worker = worker("n1");
    UUID id = submit();
    NativeWorker.Task task = Objects.requireNonNull(worker.take(10_000));
    assertThat(task.fields)
        .containsOnly(
            Map.entry("job_id", id.toString()),
            Map.entry("enqueue_id", id + ":1"),
            Map.entry("task", "chat"),
            Map.entry("payload", "{\"a\": 1}"));
    task.running().emit("token", "llm", "{\"text\":\"hi\"}");
    await(() -> emitted(id) == 1);
    assertThat(holder(id)).isEqualTo("n1");
    task.done("{\"answer\":42}").acknowledge();
    await(() -> job(id).state() == JobState.COMPLETED);
    await(() -> isShown(id));
    assertThat(hash(id)).containsEntry("status", "done").containsEntry("result", "{\"answer\":42}");
    assertThat(entries(id)).containsExactly("queued", "running", "token", "done");
    nothingDiffers();
    assertThat(commands().xlen(QUEUE)).isZero();
    assertThat(commands().hgetall(Keys.messages(QUEUE))).isEmpty();
  }

  @Test
  void aDeadWorkersJobIsDeliveredAgainAndItsComingBackChangesNothing() throws Exception {
    losesWorkersSoon();
    NativeWorker worker = worker("n1");
    UUID id = submit();
    NativeWorker.Task dead = Objects.requireNonNull(worker.take(10_000)).running();
    NativeWorker.Task second = Objects.requireNonNull(worker("n2").take(30_000)).running();
    assertThat(second.jobId).isEqualTo(id);
    assertThat(second.fields).containsEntry("enqueue_id", id + ":2");
    await(() -> "n2".equals(holder(id)));
    second.done("\"second\"").acknowledge();
    await(() -> job(id).state() == JobState.COMPLETED);
    await(() -> isShown(id));

    dead.running().done("\"first, late\"").acknowledge();

    await(() -> types(id).contains(EventType.LATE_RESULT));
    await(() -> "\"second\"".equals(hash(id).get("result")));
    assertThat(job(id).state()).isEqualTo(JobState.COMPLETED);
    assertThat(Objects.requireNonNull(view(id).last()).result()).isEqualTo("\"second\"");
    nothingDiffers();
  }

  @Test
  void whatALateWorkerWritesAboutAJobThatWaitsIsPutRight() throws Exception {
    losesWorkersSoon();
    NativeWorker worker = worker("n1");
    UUID id = submit();
    NativeWorker.Task late = Objects.requireNonNull(worker.take(10_000)).running();
    await(() -> job(id).enqueues() == 2 && "queued".equals(hash(id).get("status")));
    late.done("\"late\"").acknowledge();
    await(() -> types(id).contains(EventType.LATE_RESULT));
    await(() -> "queued".equals(hash(id).get("status")) && "".equals(hash(id).get("result")));
    assertThat(entries(id)).doesNotContain("done");
    Outcome.Claimed claimed = (Outcome.Claimed) claim(10_000);
    assertThat(claimed.job().id()).isEqualTo(id);
    engine().execute(Orders.complete(claimed, "\"http\""), null);
    await(() -> "\"http\"".equals(hash(id).get("result")));
    assertThat(entries(id)).last().isEqualTo("done");
    nothingDiffers();
  }

  @Test
  void aWorkerIsAskedToStopThroughTheEventsOfItsJob() throws Exception {
    NativeWorker worker = worker("n1");
    UUID id = submit();
    NativeWorker.Task task = Objects.requireNonNull(worker.take(10_000)).running();
    await(() -> job(id).lease() != null);
    engine().execute(new Command.RequestCancel(id, "no longer wanted", 30_000), "req");
    await(() -> steps(id).contains("cancel_requested"));
    task.write("canceled", "error", "").emit("canceled", "worker.stop", "{}").acknowledge();
    await(() -> job(id).state() == JobState.ABORTED);
    await(() -> isShown(id));
    assertThat(hash(id)).containsEntry("status", "canceled");
    nothingDiffers();
  }

  @Test
  void whatHappensWhileNoControlPlaneIsThereIsTakenOverByTheNext() throws Exception {
    NativeWorker worker = worker("n1");
    UUID begun = submit();
    NativeWorker.Task first = Objects.requireNonNull(worker.take(10_000)).running();
    first.emit("token", "s", "1");
    await(() -> emitted(begun) == 1);
    UUID done = submit();
    UUID left = submit();
    await(() -> commands().xlen(QUEUE) == 3);
    stop();
    first.emit("token", "s", "2");
    Objects.requireNonNull(worker.take(0)).running().done("\"alone\"").acknowledge();
    start();
    await(() -> job(done).state() == JobState.COMPLETED);
    assertThat(Objects.requireNonNull(view(done).last()).result()).isEqualTo("\"alone\"");
    first.done("{}").acknowledge();
    await(() -> job(begun).state() == JobState.COMPLETED);
    assertThat(emitted(begun)).isEqualTo(2);
    Objects.requireNonNull(worker.take(10_000)).running().done("{}").acknowledge();
    await(() -> job(left).state() == JobState.COMPLETED);
    nothingDiffers();
  }

  @Test
  void whatWorkersHoldGoesOnWhenRedisHasLostEverything() throws Exception {
    losesWorkersSoon();
    NativeWorker worker = worker("n1");
    UUID id = submit();
    NativeWorker.Task task = Objects.requireNonNull(worker.take(10_000)).running();
    await(() -> job(id).lease() != null);
    commands().flushall();
    await(() -> job(id).enqueues() == 2 && commands().xlen(QUEUE) == 1);
    NativeWorker.Task again =
        Objects.requireNonNull(worker("n2").take(10_000), "no message").running();
    again.done("\"again\"").acknowledge();
    await(() -> job(id).state() == JobState.COMPLETED);
    await(() -> isShown(id));
    task.done("\"late\"").acknowledge();
    await(() -> "\"again\"".equals(hash(id).get("result")));
    nothingDiffers();
  }

  @Test
  void workersOfBothKindsShareAStreamAndRunEachJobOnce() throws Exception {
    int jobs = 500;
    Map<UUID, AtomicInteger> runs = new ConcurrentHashMap<>();
    AtomicInteger ended = new AtomicInteger();
    List<UUID> ids = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> workers = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        NativeWorker worker = worker("n" + i);
        workers.add(threads.submit(() -> runNatively(worker, runs, ended, jobs)));
        workers.add(threads.submit(() -> runOverHttp(runs, ended, jobs)));
      }
      for (int i = 0; i < jobs; i++) {
        ids.add(submit());
      }
      for (Future<?> worker : workers) {
        worker.get(60, TimeUnit.SECONDS);
      }
    }
    await(() -> ids.stream().allMatch(id -> job(id).state() == JobState.COMPLETED));
    assertThat(runs).hasSize(jobs);
    assertThat(runs.values()).allMatch(count -> count.get() == 1);
    assertThat(ids)
        .allSatisfy(id ->
            assertThat(Objects.requireNonNull(view(id).last()).result())
                .isEqualTo("\"" + id + "\""));
    nothingDiffers();
    assertThat(commands().xlen(QUEUE)).isZero();
    assertThat(commands().hgetall(Keys.messages(QUEUE))).isEmpty();
  }

  private static void runNatively(
      NativeWorker worker, Map<UUID, AtomicInteger> runs, AtomicInteger ended, int jobs) {
    while (ended.get() < jobs) {
      NativeWorker.Task task = worker.take(200);
      if (task != null) {
        count(runs, task.jobId);
        task.running().done("\"" + task.jobId + "\"").acknowledge();
        ended.incrementAndGet();
      }
    }
  }

  private void runOverHttp(Map<UUID, AtomicInteger> runs, AtomicInteger ended, int jobs) {
    while (ended.get() < jobs) {
      if (claim(200) instanceof Outcome.Claimed claimed) {
        UUID id = claimed.job().id();
        count(runs, id);
        engine().execute(Orders.complete(claimed, "\"" + id + "\""), null);
        ended.incrementAndGet();
      }
    }
  }

  private static void count(Map<UUID, AtomicInteger> runs, UUID id) {
    runs.computeIfAbsent(id, _ -> new AtomicInteger()).incrementAndGet();
  }

  private void nothingDiffers() {
    Comparison comparison = Objects.requireNonNull(redis).comparison();
    String place = null;
    do {
      Comparison.Part part = comparison.compare(place, false);
      assertThat(part.differences()).isEmpty();
      place = part.next();
    } while (place != null);
  }

  private UUID submit() {
    Command.Submit submit = Orders.submit(QUEUE);
    engine().execute(submit, null);
    return submit.jobId();
  }

  private Outcome.OfClaim claim(long maxWaitMs) {
    return engine().claim(Orders.claim("w", QUEUE), maxWaitMs, () -> () -> true, null);
  }

  private static NativeWorker worker(String name) {
    return new NativeWorker(Objects.requireNonNull(links).open(), QUEUE, name);
  }

  private static RedisCommands<String, String> commands() {
    return Objects.requireNonNull(shared).sync();
  }

  private static Map<String, String> hash(UUID id) {
    return commands().hgetall(Keys.job(id));
  }

  /** Whether Redis has the last change of a job. */
  private boolean isShown(UUID id) {
    return Long.toString(job(id).updatedAt()).equals(hash(id).get("updated_ts"));
  }

  private static List<String> entries(UUID id) {
    return fields(id, "type");
  }

  private static List<String> steps(UUID id) {
    return fields(id, "step");
  }

  private static List<String> fields(UUID id, String name) {
    return commands().xrange(Keys.events(id), Range.unbounded()).stream()
        .map(StreamMessage::getBody)
        .map(body -> String.valueOf(body.get(name)))
        .toList();
  }

  private Engine engine() {
    return Objects.requireNonNull(engine);
  }

  private Store.JobView view(UUID id) {
    return engine().find(id).orElseThrow();
  }

  private Job job(UUID id) {
    return view(id).job();
  }

  private @Nullable String holder(UUID id) {
    Lease lease = job(id).lease();
    return lease == null ? null : lease.workerId();
  }

  private List<EventType> types(UUID id) {
    return engine().events(id, 0, 100).stream().map(Event::type).toList();
  }

  private long emitted(UUID id) {
    return types(id).stream().filter(type -> type == EventType.EMITTED).count();
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(end);
      Thread.sleep(10);
    }
  }
}
