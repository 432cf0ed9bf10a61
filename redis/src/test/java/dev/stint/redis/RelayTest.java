package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Needs;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.RetryPolicy;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import dev.stint.testkit.SettableClock;
import dev.stint.testkit.TestPostgres;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.RedisException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class RelayTest {
  private static final int MANY = 100;
  private static final EngineSettings MIRRORED =
      new EngineSettings(Long.MAX_VALUE / 4, 16_384, 512, 100, true);

  @Test
  void whatBrokeOffWhenItBeganIsBegunAgain(@TempDir Path folder) throws Exception {
    AtomicInteger begun = new AtomicInteger();
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(),
              links.open(),
              links.openGathering(),
              "node",
              "store",
              () -> breakOffOnce(begun));

      assertThatThrownBy(() -> relay.runOnce(true)).isInstanceOf(RedisException.class);
      while (begun.get() < 2) {
        relay.runOnce(true);
        Thread.sleep(20);
      }

      assertThat(relay.isLeader()).isTrue();
    }
  }

  @Test
  void notesRestForAWhileAlsoWhereTheClockStandsStill(@TempDir Path folder) throws Exception {
    Clock clock = Clock.fixed(Instant.now(), ZoneOffset.UTC);
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(folder.resolve("stint.db").toString(), clock);
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      submitMany(engine);
      Relay.Round first = relay.runOnce(true);
      assertThat(first).isEqualTo(new Relay.Round(0, MANY));
      while (!engine.outbox().notes(0, 1).isEmpty()) {
        relay.runOnce(true);
        Thread.sleep(20);
      }

      submitMany(engine);
      assertThat(relay.runOnce(false)).isEqualTo(new Relay.Round(MANY, 0));
    }
  }

  @Test
  void nothingLagsOnceAllIsShown(@TempDir Path folder) throws Exception {
    Clock anHourAgo = Clock.fixed(Instant.now().minus(Duration.ofHours(1)), ZoneOffset.UTC);
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(folder.resolve("stint.db").toString(), anHourAgo);
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      submit(engine, "key");
      relay.look();
      assertThat(relay.lagMs()).isGreaterThanOrEqualTo(Duration.ofHours(1).toMillis());

      assertThat(relay.runOnce(false)).isEqualTo(new Relay.Round(1, 0));

      assertThat(relay.lagMs()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"true,false", "false,false", "true,true", "false,true"})
  void aJobThatIsOverIsShownAsIfItHadBeenFollowed(
      boolean mayRestore, boolean isShared, @TempDir Path folder) throws Exception {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database(isShared, folder), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE);
        Gate gate = new Gate(links.open(), engine.outbox()::isNew, 1_000, () -> {}, _ -> {})) {
      if (!mayRestore) {
        assertThat(redis.command("ACL", "SETUSER", "default", "-restore")).isEqualTo("+OK");
      }
      engine.attach(gate);
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      RedisLink reader = links.open();

      UUID followed = submit(engine, "followed");
      relay.runOnce(false);
      Outcome.Claimed first = claim(engine);
      relay.runOnce(false);
      engine.execute(Orders.complete(first, "{\"n\":1}"), null);
      relay.runOnce(false);
      UUID over = submit(engine, "over");
      engine.execute(Orders.complete(claim(engine), "{\"n\":1}"), null);
      redis.command("CONFIG", "RESETSTAT");
      relay.runOnce(false);

      assertThat(shown(reader, over)).isEqualTo(shown(reader, followed));
      assertThat(reader.sync().get("idempotency:over")).isEqualTo(over.toString());
      assertThat(reader.sync().info("commandstats").contains("cmdstat_hset"))
          .isNotEqualTo(mayRestore);
      for (String key : List.of(Keys.job(over), Keys.events(over), "idempotency:over")) {
        assertThat(reader.sync().pttl(key)).as(key).isPositive();
      }
      assertThat(reader.sync().exists(Keys.messages("q"))).isZero();
      assertThat(reader.sync().xlen("q")).isZero();
    }
  }

  @Test
  void theMessageOfAJobThatIsOverGoesAlsoIfItsOwnKeysAreLost(@TempDir Path folder)
      throws Exception {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database(false, folder), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      RedisLink reader = links.open();
      UUID id = submit(engine, "key");
      new Relay(engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {})
          .runOnce(false);
      assertThat(reader.sync().xlen("q")).isOne();
      reader.sync().del(Keys.job(id), Keys.events(id));
      engine.execute(Orders.complete(claim(engine), "{}"), null);
      new Relay(engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {})
          .runOnce(false);

      assertThat(reader.sync().hget(Keys.job(id), "status")).isEqualTo("done");
      assertThat(reader.sync().xlen("q")).isZero();
      assertThat(reader.sync().exists(Keys.messages("q"))).isZero();
    }
  }

  @Test
  void oneLookSettlesAllNotesThatTellOfTheSameJob(@TempDir Path folder) throws Exception {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database(true, folder), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      submitMany(engine);
      assertThat(relay.runOnce(true)).isEqualTo(new Relay.Round(0, MANY));
      for (int i = 0; i < MANY; i++) {
        engine.execute(Orders.complete(claim(engine), "{}"), null);
      }
      Thread.sleep(60);
      assertThat(relay.runOnce(true).taken()).isEqualTo(MANY);
      redis.command("CONFIG", "RESETSTAT");
      while (!engine.outbox().notes(0, 1).isEmpty()) {
        relay.runOnce(true);
        Thread.sleep(20);
      }

      RedisLink reader = links.open();
      assertThat(reader.sync().info("commandstats")).doesNotContain("restore", "hset", "xadd");
      assertThat(reader.sync().keys("job:*:events")).hasSize(MANY);
    }
  }

  @Test
  void whatIsGoneForGoodIsForgottenWithItsMessageThoughAnEarlierNoteIsLookedAt(@TempDir Path folder)
      throws Exception {
    SettableClock clock = new SettableClock(System.currentTimeMillis());
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database(false, folder), clock);
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      RedisLink reader = links.open();
      long ttlMs = 60_000;
      Command.Submit submit = Orders.submitFor("short", ttlMs);
      engine.execute(submit, null);
      relay.runOnce(false);
      assertThat(reader.sync().xlen("short")).isOne();

      engine.outbox().lookAgain(List.of(submit.jobId()));
      submitMany(engine);
      assertThat(relay.runOnce(true)).isEqualTo(new Relay.Round(0, MANY + 1));
      clock.advance(Duration.ofMillis(ttlMs + 1));
      engine.execute(new Command.Sweep(100), null);
      Thread.sleep(60);
      assertThat(relay.runOnce(true)).isEqualTo(new Relay.Round(MANY + 1, 1));

      assertThat(reader.sync().xlen("short")).isZero();
      assertThat(reader.sync().exists(Keys.messages("short"), Keys.job(submit.jobId()))).isZero();
    }
  }

  @Test
  void aNoteWithALowerNumberThatComesLateIsFoundToo(@TempDir Path folder) throws Exception {
    String database = database(true, folder);
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database, Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      submit(engine, "first");
      long low = engine.outbox().notes(0, 1).getFirst().seq();
      engine.outbox().relayed(engine.outbox().notes(0, 10));
      UUID id = submit(engine, "second");
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      relay.runOnce(true);
      RedisLink reader = links.open();
      assertThat(reader.sync().del(Keys.job(id))).isOne();

      TestPostgres.execute(
          database,
          "INSERT INTO stint.outbox (seq, at, job_id) OVERRIDING SYSTEM VALUE VALUES (%d, 1, '%s')"
              .formatted(low, id));
      while (reader.sync().exists(Keys.job(id)) == 0) {
        relay.runOnce(true);
        Thread.sleep(20);
      }

      assertThat(engine.outbox().notes(0, 1)).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"true,60,90,1", "false,60,90,1", "true,3,4,1500000", "false,3,4,1500000"})
  void eventsThatDoNotFitIntoOneReadAreAllShown(
      boolean isShared, int jobs, int said, int chars, @TempDir Path folder) throws Exception {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(database(isShared, folder), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      String data = "{\"text\":\"" + "x".repeat(chars) + "\"}";
      List<Command.Emit.Saying> sayings =
          Collections.nCopies(said, new Command.Emit.Saying("token", "llm", data));
      List<UUID> ids = new ArrayList<>();
      for (int i = 0; i < jobs; i++) {
        submit(engine, "key " + i);
        Outcome.Claimed claimed = claim(engine);
        UUID id = claimed.job().id();
        ids.add(id);
        engine.execute(new Command.Emit(id, Orders.proof(claimed.lease()), sayings), null);
        engine.execute(Orders.complete(claimed, "{}"), null);
      }
      relay.runOnce(false);

      RedisLink reader = links.open();
      List<String> streams = reader.sync().keys("job:*:events");
      assertThat(streams).hasSize(jobs);
      assertThat(streams)
          .allSatisfy(key -> assertThat(reader.sync().xlen(key)).isEqualTo(said + 3));
      RedisLink link = links.openGathering();
      Mirror mirror = new Mirror(engine.outbox(), link, _ -> {});
      assertThat(new JobStage(engine.outbox(), link, mirror).look(ids)).isEmpty();
    }
  }

  private static String database(boolean isShared, Path folder) {
    return isShared ? TestPostgres.shared().newDatabase() : folder.resolve("stint.db").toString();
  }

  /** All that Redis shows of a job, without what differs from job to job. */
  private static List<Object> shown(RedisLink redis, UUID jobId) {
    Map<String, String> hash = new TreeMap<>(redis.sync().hgetall(Keys.job(jobId)));
    assertThat(hash.remove("job_id")).isEqualTo(jobId.toString());
    assertThat(hash.remove("created_ts")).isNotNull();
    assertThat(hash.remove("updated_ts")).isNotNull();
    List<Object> shown = new ArrayList<>(List.of(hash));
    for (var entry : redis.sync().xrange(Keys.events(jobId), Range.unbounded())) {
      assertThat(Keys.isOwn(StreamId.parse(entry.getId()).seq())).isTrue();
      Map<String, String> body = new TreeMap<>(entry.getBody());
      assertThat(body.remove("ts")).isNotNull();
      shown.add(body);
    }
    return shown;
  }

  @Test
  void everyRoundThatEndsWellHasAskedARedisThatWasAway(@TempDir Path folder) {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()));
        Store store = Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC());
        Engine engine = Engine.start(store, MIRRORED, Observer.NONE)) {
      Relay relay =
          new Relay(
              engine.outbox(), links.open(), links.openGathering(), "node", "store", () -> {});
      redis.kill();
      assertThatThrownBy(() -> relay.runOnce(true)).isInstanceOf(RedisException.class);
      assertThatThrownBy(() -> relay.runOnce(true)).isInstanceOf(RedisException.class);
    }
  }

  private static UUID submit(Engine engine, String key) {
    var draft = Orders.draft("q", Needs.NOTHING, RetryPolicy.attempts(3));
    var outcome = engine.execute(Orders.submit(draft, new IdempotencyKey(key, "hash")), null);
    return ((Outcome.Submitted) outcome).job().id();
  }

  private static Outcome.Claimed claim(Engine engine) {
    return (Outcome.Claimed) engine.claim(Orders.claim("w", "q"), 0, () -> () -> true, null);
  }

  private static void submitMany(Engine engine) {
    for (int i = 0; i < MANY; i++) {
      engine.execute(Orders.submit("q"), null);
    }
  }

  private static void breakOffOnce(AtomicInteger begun) {
    if (begun.incrementAndGet() == 1) {
      throw new RedisException("away");
    }
  }
}
