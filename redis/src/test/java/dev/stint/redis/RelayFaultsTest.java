package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Progress;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import dev.stint.testkit.SettableClock;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.sync.RedisCommands;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is shown in a Redis that is not as it should be, or that others use too. */
@Timeout(60)
class RelayFaultsTest {
  private static final EngineSettings MIRRORED =
      new EngineSettings(Long.MAX_VALUE / 4, 16_384, 512, 100, true);
  private static final long TTL_MS = 60_000;

  private final TestRedis server = TestRedis.start();
  private final RedisLinks links = new RedisLinks(RedisAddress.parse(server.url()));
  private final RedisCommands<String, String> redis = links.open().sync();
  private final SettableClock clock = new SettableClock(System.currentTimeMillis());
  private @Nullable Store store;
  private @Nullable Engine engine;
  private @Nullable Relay relay;

  @BeforeEach
  void open(@TempDir Path folder) {
    store = Stores.open(folder.resolve("stint.db").toString(), clock);
    engine = Engine.start(store, MIRRORED, Observer.NONE);
    relay = relay("store");
  }

  @AfterEach
  void close() {
    engine().close();
    Objects.requireNonNull(store).close();
    links.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "stint:messages:jobs:stream",
        "job:1:events",
        "task:1",
        "worker:1",
        "queue:pending",
        "idempotency:1"
      })
  void aQueueThatIsNamedAsOurKeysHasNoMessagesAndItsJobsAreClaimedOverHttp(String queue) {
    try (Gate gate = gate()) {
      engine().attach(gate);
      submit(queue);
      submit("jobs:stream");
      show();
      assertThat(redis.exists(queue)).isEqualTo(queue.endsWith("jobs:stream") ? 1 : 0);
      assertThat(redis.xlen("jobs:stream")).isOne();
      claim("w", queue);
      claim("w", "jobs:stream");
      assertThat(redis.xlen("jobs:stream")).isZero();
    }
    show();
    assertThat(compareAll(false)).isEmpty();
  }

  @Test
  void aKeyOfAnotherTypeKeepsNoOtherJobsAndWorkersFromBeingShown() {
    redis.set(Keys.worker("w"), "somebody else's");
    redis.set(Keys.messages("q"), "somebody else's");
    UUID hidden = submit("q");
    UUID shown = submit("other");
    show();
    assertThat(engine().outbox().notes(0, 10)).isEmpty();
    assertThat(redis.xlen("other")).isOne();
    try (Gate gate = gate()) {
      engine().attach(gate);
      claim("w", "q");
      claim("w", "other");
    }
    show();
    assertThat(engine().outbox().notes(0, 10)).isEmpty();
    assertThat(redis.get(Keys.worker("w"))).isEqualTo("somebody else's");
    assertThat(redis.hget(Keys.job(shown), "status")).isEqualTo("running");
    assertThat(redis.xlen("other")).isZero();

    assertThat(compareAll(false))
        .contains(new Difference(Keys.messages("q"), Difference.OF_ANOTHER_TYPE));
    compareAll(true);
    assertThat(compareAll(false)).isEmpty();
    assertThat(redis.hget(Keys.job(hidden), "status")).isEqualTo("running");
  }

  @Test
  void keysOfAnotherTypeAreToldOfAndThoseOfJobsArePutRight() {
    UUID id = submit("tasks");
    show();
    for (String key : List.of(Keys.PENDING, Keys.FAILED, Keys.job(id), Keys.events(id))) {
      redis.del(key);
      redis.set(key, "somebody else's");
    }
    assertThat(compareAll(false))
        .contains(
            new Difference(Keys.PENDING, Difference.OF_ANOTHER_TYPE),
            new Difference(Keys.FAILED, Difference.OF_ANOTHER_TYPE),
            new Difference(Keys.job(id), Difference.OF_ANOTHER_TYPE),
            new Difference(Keys.events(id), Difference.OF_ANOTHER_TYPE));
    redis.del(Keys.PENDING, Keys.FAILED);
    compareAll(true);
    assertThat(compareAll(false)).isEmpty();
  }

  @Test
  void aJobThatIsGoneIsForgottenThoughItsKeyIsOfAnotherType() {
    UUID id = submitFor("tasks");
    UUID other = submitFor("tasks");
    show();
    redis.del(Keys.task(id));
    redis.set(Keys.task(id), "somebody else's");
    endTtl();
    show();
    assertThat(engine().outbox().notes(0, 10)).isEmpty();
    assertThat(redis.exists(Keys.task(other), Keys.job(other))).isZero();
  }

  @Test
  void aRedisThatHasNoMemoryNowIsAskedAgainLater() {
    submit("q");
    engine().outbox().lead();
    Mirror mirror = new Mirror(engine().outbox(), links.openGathering(), _ -> {});
    mirror.prepare();
    Map<UUID, String> jobs = Map.of(engine().outbox().jobsAfter(null, 1).getFirst(), "");
    JobImage.Moment moment = new JobImage.Moment(Set.of(), engine().now(), TTL_MS);
    redis.configSet("maxmemory", "1");
    assertThatThrownBy(() -> mirror.write(jobs, Set.of(), moment))
        .isInstanceOf(RedisCommandExecutionException.class)
        .hasMessageContaining("OOM");
    redis.configSet("maxmemory", "0");
    mirror.write(jobs, Set.of(), moment);
    assertThat(redis.xlen("q")).isOne();
  }

  @Test
  void anErrorDoesNotEndTheRelay() throws Exception {
    CountDownLatch begun = new CountDownLatch(2);
    Runnable onBegin =
        () -> {
          begun.countDown();
          throw new OutOfMemoryError("drill");
        };
    Relay broken =
        new Relay(engine().outbox(), links.open(), links.openGathering(), "node", "store", onBegin);
    RelayLoop loop = new RelayLoop(broken, RedisAddress.parse(server.url()), false);
    loop.start();
    assertThat(begun.await(30, TimeUnit.SECONDS)).isTrue();
    loop.close();
  }

  @Test
  void aTaskThatIsGoneIsInNoListThoughItsHashHasExpired() {
    submitFor("tasks");
    UUID failed = submitFor("tasks");
    Outcome.Claimed first = claim("w", "tasks");
    engine()
        .execute(
            new Command.Fail(
                first.job().id(), Orders.proof(first.lease()), false, "broken", null, null),
            null);
    show();
    assertThat(redis.zcard(Keys.FAILED)).isOne();
    assertThat(redis.llen(Keys.PENDING)).isOne();
    redis.del(Keys.task(failed), Keys.task(first.job().id()));
    endTtl();
    show();
    assertThat(redis.exists(Keys.FAILED, Keys.PENDING)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PENDING", "RETRY"})
  void aTaskThatItsWorkerCallsPendingLeavesTheSetOfThoseThatRun(String word) {
    UUID done = submit("tasks");
    UUID released = submit("tasks");
    Outcome.Claimed first = claim("w", "tasks");
    Outcome.Claimed second = claim("w", "tasks");
    show();
    for (Outcome.Claimed claimed : List.of(first, second)) {
      Progress called = new Progress(null, null, word);
      engine()
          .execute(
              new Command.Heartbeat(claimed.job().id(), Orders.proof(claimed.lease()), called),
              null);
    }
    show();
    assertThat(redis.hget(Keys.task(done), "status")).isEqualTo(word);
    assertThat(redis.zcard(Keys.PROCESSING)).isEqualTo(2);
    engine().execute(Orders.complete(first, "{}"), null);
    clock.advance(Duration.ofMillis(Orders.LEASE_MS + 1));
    sweep();
    show();
    assertThat(redis.exists(Keys.PROCESSING)).isZero();
    assertThat(redis.lrange(Keys.PENDING, 0, -1)).containsExactly(released.toString());
  }

  @Test
  void theMessageOfAClaimThatCouldNotAskRedisGoesAfterAWhile() throws Exception {
    submit("q");
    show();
    claim("w", "q");
    show();
    assertThat(redis.xlen("q")).isOne();
    clock.advance(Duration.ofMillis(JobImage.CLAIM_SETTLES_MS));
    while (redis.xlen("q") > 0) {
      Thread.sleep(20);
      show();
    }
  }

  @Test
  void aRedisOfAnotherDatabaseIsLeftAlone() {
    show();
    Objects.requireNonNull(relay).resign();
    String key = Keys.job(UUID.fromString("01890000-0000-7000-8000-000000000000"));
    redis.hset(key, "status", "done");
    Relay other = relay("other");
    UUID id = submit("q");
    other.runOnce(false);
    assertThat(other.isLeader()).isFalse();
    assertThat(other.isForeign()).isTrue();
    assertThat(redis.exists(Keys.job(id))).isZero();
    assertThatThrownBy(() -> comparison("other").compare(null, true))
        .isInstanceOf(ForeignRedisException.class)
        .hasMessageContaining(Keys.STORE);

    redis.del(Keys.STORE);
    Relay again = relay("other");
    again.runOnce(false);
    assertThat(again.isLeader()).isTrue();
    assertThat(redis.exists(Keys.job(id))).isOne();
    assertThat(redis.get(Keys.STORE)).isEqualTo("other");
  }

  @Test
  void aStreamOfEventsDoesNotGrowForEver() {
    UUID id = submit("q");
    Outcome.Claimed claimed = claim("w", "q");
    show();
    int written = 11_000;
    for (int i = 0; i < written; i++) {
      redis.xadd(Keys.events(id), "type", "token", "ts", "1", "step", "s", "data", "{}");
    }
    clock.advance(Duration.ofSeconds(5));
    say(claimed);
    show();
    assertThat(redis.xlen(Keys.events(id))).isBetween(10_000L, 10_200L);
    clock.advance(Duration.ofSeconds(5));
    say(claimed);
    relay("store").runOnce(false);
    List<String> types =
        redis.xrange(Keys.events(id), Range.unbounded()).stream()
            .map(entry -> String.valueOf(entry.getBody().get("type")))
            .toList();
    assertThat(types).doesNotContain("queued", "running").endsWith("said", "said");
    assertThat(types.stream().filter("said"::equals)).hasSize(2);
    assertThat(compareAll(false)).isEmpty();
  }

  private void say(Outcome.Claimed claimed) {
    engine()
        .execute(
            new Command.Emit(
                claimed.job().id(),
                Orders.proof(claimed.lease()),
                List.of(new Command.Emit.Saying("said", "s", "{}"))),
            null);
  }

  @Test
  void itIsKnownWhetherRedisDropsKeysWhenItIsFull() {
    assertThat(Relay.evictionPolicy(redis.info("memory"))).isEmpty();
    redis.configSet("maxmemory-policy", "allkeys-lru");
    assertThat(Relay.evictionPolicy(redis.info("memory"))).isEqualTo("allkeys-lru");
  }

  private void show() {
    Objects.requireNonNull(relay).runOnce(false);
  }

  private Relay relay(String storeId) {
    return new Relay(
        engine().outbox(), links.open(), links.openGathering(), "node", storeId, () -> {});
  }

  private Gate gate() {
    return new Gate(links.open(), engine().outbox()::isNew, 60_000, () -> {}, _ -> {});
  }

  private Comparison comparison(String storeId) {
    return new Comparison(engine().outbox(), links.open(), links.openGathering(), storeId);
  }

  private List<Difference> compareAll(boolean repair) {
    Comparison comparison = comparison("store");
    List<Difference> differences = new ArrayList<>();
    String place = null;
    do {
      Comparison.Part part = comparison.compare(place, repair);
      differences.addAll(part.differences());
      place = part.next();
    } while (place != null);
    return differences;
  }

  private UUID submit(String queue) {
    Command.Submit submit = Orders.submit(queue);
    engine().execute(submit, null);
    return submit.jobId();
  }

  private UUID submitFor(String queue) {
    Command.Submit submit = Orders.submitFor(queue, TTL_MS);
    engine().execute(submit, null);
    return submit.jobId();
  }

  private Outcome.Claimed claim(String worker, String queue) {
    return (Outcome.Claimed) engine().execute(Orders.claim(worker, queue), null);
  }

  private void endTtl() {
    clock.advance(Duration.ofMillis(TTL_MS + 1));
    sweep();
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
}
