package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.Observer;
import dev.stint.engine.Store;
import dev.stint.storage.Stores;
import dev.stint.testkit.Orders;
import dev.stint.testkit.TestRedis;
import io.lettuce.core.RedisException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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
          new Relay(engine.outbox(), links.open(), links.openGathering(), "node", () -> {});
      submitMany(engine);
      Relay.Round first = relay.runOnce(true);
      assertThat(first).isEqualTo(new Relay.Round(0, MANY));
      while (!engine.outbox().notes(1).isEmpty()) {
        relay.runOnce(true);
        Thread.sleep(20);
      }

      submitMany(engine);
      assertThat(relay.runOnce(false)).isEqualTo(new Relay.Round(MANY, 0));
    }
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
