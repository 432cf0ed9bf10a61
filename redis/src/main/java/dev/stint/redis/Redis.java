package dev.stint.redis;

import dev.stint.engine.Engine;
import io.lettuce.core.RedisException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** All that a control plane does with Redis while it runs. */
public final class Redis implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Redis.class);

  private final RedisLinks links;

  private Redis(RedisLinks links) {
    this.links = links;
  }

  /** Begins, whether Redis is there or not: work that needs it goes on when it is. */
  public static Redis start(Engine engine, RedisSettings settings) {
    RedisLinks links = new RedisLinks(settings.address());
    try {
      greet(links);
      return new Redis(links);
    } catch (RuntimeException | Error e) {
      links.close();
      throw e;
    }
  }

  private static void greet(RedisLinks links) {
    try (RedisLink link = links.open()) {
      link.sync().ping();
    } catch (RedisException e) {
      LOG.warn("{} does not answer; all goes on without it until it does", links.address());
    }
  }

  @Override
  public void close() {
    links.close();
  }
}
