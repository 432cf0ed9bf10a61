package dev.stint.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import org.jspecify.annotations.Nullable;

/**
 * One connection to Redis, shared by whoever has it: commands go out in the order in which they are
 * given, without waiting for each other. While Redis is away every call throws {@link
 * RedisException} at once; the connection comes back by itself.
 */
public final class RedisLink implements AutoCloseable {
  private final RedisClient client;
  private @Nullable StatefulRedisConnection<String, String> connection;
  private boolean closed;

  RedisLink(RedisClient client) {
    this.client = client;
  }

  /** Commands whose answers are waited for later. */
  public RedisAsyncCommands<String, String> async() {
    return connection().async();
  }

  /** Commands that wait for their answer. */
  public RedisCommands<String, String> sync() {
    return connection().sync();
  }

  /**
   * The connection itself, made if there is none yet.
   *
   * @throws RedisException if that fails
   */
  public synchronized StatefulRedisConnection<String, String> connection() {
    if (closed) {
      throw new RedisException("the connection is closed");
    }
    if (connection == null) {
      connection = client.connect(StringCodec.UTF8);
    }
    return connection;
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
