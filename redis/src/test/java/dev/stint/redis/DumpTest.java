package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.testkit.TestRedis;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.XAddArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is dumped here is restored by a real Redis, which is told to check every byte of it. */
@Timeout(60)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DumpTest {
  private static final List<String> FIELDS = List.of("type", "ts", "step", "data");

  private TestRedis server;
  private RedisClient client;
  private RedisCommands<String, String> redis;
  private Dump.Format format;

  @BeforeAll
  void start() {
    server = TestRedis.start("--sanitize-dump-payload", "yes");
    client = RedisClient.create(server.url());
    redis = client.connect().sync();
    boolean isOld = redis.info("server").contains("redis_version:6.");
    format = isOld ? Dump.Format.PLAIN : Dump.Format.PACKED;
  }

  @AfterAll
  void end() {
    client.shutdown();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        0, 1, 63, 64, 125, 126, 127, 128, 4_095, 4_096, 16_377, 16_378, 16_382, 16_383, 16_384,
        65_536, 2_097_144, 2_097_145, 2_097_151, 3_000_000
      })
  void textsOfAnyLengthComeBack(int length) {
    String text = "ä".repeat(length / 2) + "x".repeat(length % 2);

    redis.restore("hash" + length, 0, Dump.hash(format, Map.of("a", text, "b", "1")));
    assertThat(redis.hgetall("hash" + length)).isEqualTo(Map.of("a", text, "b", "1"));

    var entry = new Dump.Entry(new StreamId(7, 1), List.of("queued", "7", "", text));
    redis.restore("stream" + length, 0, Dump.stream(format, FIELDS, List.of(entry)));
    assertThat(bodies("stream" + length)).containsExactly(body("queued", "7", "", text));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 16, 17, 100})
  void manyEntriesComeBackWithTheirIds(int count) {
    String key = "many" + count;
    List<Dump.Entry> entries = new ArrayList<>();
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      StreamId id = new StreamId(1_763_280_000_000L + i * 37L, 1_000_000_000_000L + i * 1_000L);
      ids.add(id.toString());
      entries.add(new Dump.Entry(id, List.of("progress", "-" + i, "schritt \u2603", "{\"n\":1}")));
    }

    redis.restore(key, 0, Dump.stream(format, FIELDS, entries));

    assertThat(redis.xrange(key, Range.unbounded()))
        .extracting(StreamMessage::getId)
        .isEqualTo(ids);
    assertThat(redis.xrevrange(key, Range.unbounded())).hasSize(count);
    assertThat(redis.xlen(key)).isEqualTo(count);
    assertThat(bodies(key).getLast())
        .isEqualTo(body("progress", "-" + (count - 1), "schritt \u2603", "{\"n\":1}"));
  }

  @Test
  void whatIsRestoredIsLikeWhatWasAdded() {
    StreamId first = new StreamId(1_763_280_000_000L, 1_000_000_001_000L);
    StreamId second = new StreamId(1_763_280_000_000L, 1_000_000_005_000L);
    for (StreamId id : List.of(first, second)) {
      redis.xadd("added", new XAddArgs().id(id.toString()), body("done", "12", "s", "{}"));
    }
    redis.restore(
        "restored",
        60_000,
        Dump.stream(
            format,
            FIELDS,
            List.of(
                new Dump.Entry(first, List.of("done", "12", "s", "{}")),
                new Dump.Entry(second, List.of("done", "12", "s", "{}")))));
    assertThat(redis.pttl("restored")).isBetween(1L, 60_000L);

    for (String key : List.of("added", "restored")) {
      redis.xadd(key, new XAddArgs().id("1763280000001-7"), body("more", "13", "", "[]"));
      redis.xadd(key, new XAddArgs().id("1763280000001-8"), Map.of("other", "fields"));
      redis.xdel(key, first.toString());
    }

    assertThat(redis.xrange("restored", Range.unbounded()))
        .extracting(StreamMessage::getId, StreamMessage::getBody)
        .isEqualTo(
            redis.xrange("added", Range.unbounded()).stream()
                .map(entry -> Tuple.tuple(entry.getId(), entry.getBody()))
                .toList());
  }

  private List<Map<String, String>> bodies(String key) {
    return redis.xrange(key, Range.unbounded()).stream().map(StreamMessage::getBody).toList();
  }

  private static Map<String, String> body(String... values) {
    Map<String, String> body = new LinkedHashMap<>();
    for (int i = 0; i < values.length; i++) {
      body.put(FIELDS.get(i), values[i]);
    }
    return body;
  }
}
