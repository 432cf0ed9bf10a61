package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Job;
import dev.stint.engine.Observer;
import dev.stint.engine.Outcome;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import dev.stint.testkit.TestPostgres;
import dev.stint.testkit.TestRedis;
import java.time.Clock;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two control planes on one PostgreSQL and one Redis. */
@Timeout(60)
class TwoRelaysTest {
  private static final EngineSettings MIRRORED =
      new EngineSettings(Long.MAX_VALUE / 4, 16_384, 512, 100, true);

  private final TestRedis redis = TestRedis.start();
  private final RedisAddress address = RedisAddress.parse(redis.url());
  private final RedisLinks links = new RedisLinks(address);
  private final RedisLink reader = links.open();
  private final String database = TestPostgres.shared().newDatabase();
  private final Plane one = new Plane("one");
  private final Plane other = new Plane("other");

  private final class Plane implements AutoCloseable {
    final Store store = Stores.open(database, Clock.systemUTC());
    final Engine engine = Engine.start(store, MIRRORED, Observer.NONE);
    final Gate gate = new Gate(links.open(), engine.outbox()::isNew, 60_000, () -> {}, _ -> {});
    final Relay relay;

    Plane(String name) {
      engine.attach(gate);
      relay =
          new Relay(engine.outbox(), links.open(), links.openGathering(), name, "store", () -> {});
    }

    UUID submit() {
      var submit = Orders.submit("q");
      engine.execute(submit, null);
      return submit.jobId();
    }

    Outcome.OfClaim claim() {
      return engine.execute(Orders.claim("w", "q"), null);
    }

    @Override
    public void close() {
      gate.close();
      engine.close();
      store.close();
    }
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    links.close();
    redis.close();
  }

  private boolean isShown(UUID id) {
    return reader.sync().exists(Keys.job(id)) > 0;
  }

  private long questions() {
    return reader
        .sync()
        .info("commandstats")
        .lines()
        .filter(line -> line.startsWith("cmdstat_hsetnx:"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("cmdstat_hsetnx:calls=(\\d+),.*", "$1")))
        .sum();
  }

  @Test
  void onlyClaimsOfWhatWhoLeadsTookInNeedNotAsk() {
    one.relay.runOnce(false);
    other.relay.runOnce(false);
    assertThat(one.relay.isLeader()).isTrue();
    assertThat(other.relay.isLeader()).isFalse();

    one.submit();
    assertThat(one.claim()).isInstanceOf(Outcome.Claimed.class);
    assertThat(questions()).isZero();
    one.submit();
    assertThat(other.claim()).isInstanceOf(Outcome.Claimed.class);
    assertThat(questions()).isOne();
    other.submit();
    assertThat(one.claim()).isInstanceOf(Outcome.Claimed.class);
    assertThat(questions()).isEqualTo(2);
    one.relay.runOnce(false);
    assertThat(reader.sync().xlen("q")).isZero();
    assertThat(reader.sync().exists(Keys.messages("q"))).isZero();
  }

  @Test
  void whatAnEarlierLeaderShowedAWorkerIsNotClaimedBesides() {
    one.relay.runOnce(false);
    UUID id = one.submit();
    one.relay.runOnce(false);
    assertThat(reader.sync().xlen("q")).isOne();
    one.relay.resign();
    other.relay.runOnce(false);
    assertThat(other.relay.isLeader()).isTrue();
    assertThat(new NativeWorker(reader, "q", "native").next().jobId).isEqualTo(id);

    for (Plane plane : List.of(other, one)) {
      assertThat(plane.claim()).isInstanceOf(Outcome.NothingClaimable.class);
      Job job = plane.engine.find(id).orElseThrow().job();
      assertThat(Objects.requireNonNull(job.lease()).workerId()).contains("native");
    }
  }

  /** Redis lets it go on, but the store knows of another one. */
  @Test
  void whoLostTheLeadShowsNothingUntilItHasItAgain() throws Exception {
    one.relay.runOnce(false);
    UUID mine = one.submit();
    other.engine.outbox().lead();
    UUID others = other.submit();
    one.relay.runOnce(false);
    assertThat(isShown(mine)).isFalse();
    assertThat(isShown(others)).isFalse();
    assertThat(one.engine.outbox().notes(0, 10)).hasSize(2);

    one.relay.runOnce(false);
    assertThat(isShown(mine)).isTrue();
    assertThat(isShown(others)).isTrue();
    assertThat(one.engine.outbox().notes(0, 10)).isEmpty();
    assertThat(other.claim()).isInstanceOf(Outcome.Claimed.class);
    assertThat(other.claim()).isInstanceOf(Outcome.Claimed.class);
    assertThat(reader.sync().xlen("q")).isZero();
  }

  @Test
  void whatWhoDoesNotLeadFindsMissingIsShownByWhoDoes() throws Exception {
    RedisSettings settings = new RedisSettings(address, 60);
    try (Redis leading = Redis.start(one.engine, settings)) {
      UUID id = one.submit();
      while (!isShown(id) || leading.isBeingPutRight()) {
        Thread.sleep(10);
      }
      try (Redis following = Redis.start(other.engine, settings)) {
        assertThat(reader.sync().del(Keys.job(id))).isOne();
        Comparison.Part part = following.comparison().compare(null, true);
        assertThat(part.differences()).isNotEmpty();
        assertThat(part.left()).isZero();
        assertThat(isShown(id)).isTrue();
        assertThat(other.engine.outbox().leads()).isFalse();
        assertThat(leading.isThere()).isTrue();
      }
    }
  }
}
