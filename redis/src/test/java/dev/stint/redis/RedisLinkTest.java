package dev.stint.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stint.testkit.TestRedis;
import io.lettuce.core.RedisException;
import org.junit.jupiter.api.Test;

class RedisLinkTest {
  @Test
  void aConnectionComesBackWhenRedisDoes() {
    try (TestRedis redis = TestRedis.start();
        RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()))) {
      RedisLink link = links.open();
      assertThat(link.sync().ping()).isEqualTo("PONG");

      redis.kill();
      assertThatThrownBy(() -> link.sync().ping()).isInstanceOf(RedisException.class);

      redis.restart();
      assertThat(answers(link)).isTrue();
    }
  }

  @Test
  void aPasswordIsSent() {
    try (TestRedis redis = TestRedis.start("--requirepass", "s3cret")) {
      String withPassword = redis.url().replace("redis://", "redis://:s3cret@");
      try (RedisLinks links = new RedisLinks(RedisAddress.parse(withPassword))) {
        assertThat(links.open().sync().ping()).isEqualTo("PONG");
      }
      try (RedisLinks links = new RedisLinks(RedisAddress.parse(redis.url()))) {
        RedisLink link = links.open();
        assertThatThrownBy(() -> link.sync().ping()).isInstanceOf(RedisException.class);
      }
    }
  }

  private static boolean answers(RedisLink link) {
    long end = System.nanoTime() + 30_000_000_000L;
    while (System.nanoTime() < end) {
      try {
        link.sync().ping();
        return true;
      } catch (RedisException e) {
        Thread.onSpinWait();
      }
    }
    return false;
  }
}
