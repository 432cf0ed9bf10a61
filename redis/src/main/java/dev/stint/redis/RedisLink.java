package dev.stint.redis;

import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandInterruptedException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to Redis, shared by whoever has it: commands go out in the order in which they are
 * given, without waiting for each other. While Redis is away every call throws {@link
 * RedisException} at once; the connection comes back by itself.
 */
public final class RedisLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RedisLink.class);

  private final RedisClient client;
  private final boolean isGathering;
  private volatile @Nullable StatefulRedisConnection<String, String> connection;
  private boolean closed;

  /**
   * A connection.
   *
   * @param isGathering commands go out only with {@link #flush}, many at once, or when one waits
   */
  RedisLink(RedisClient client, boolean isGathering) {
    this.client = client;
    this.isGathering = isGathering;
  }

  /** Sends all commands that were gathered. */
  public void flush() {
    connection().flushCommands();
  }

  /**
   * Waits for an answer.
   *
   * @throws RedisException whatever went wrong
   */
  public static <T> T await(RedisFuture<T> answer) {
    try {
      return answer.get(RedisLinks.PATIENCE.multipliedBy(2).toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RedisException failed ? failed : new RedisException(e);
    } catch (TimeoutException e) {
      throw new RedisCommandTimeoutException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RedisCommandInterruptedException(e);
    }
  }

  /** Whether a command was refused since a key is of another type, which says nothing of others. */
  static boolean isOfAnotherType(RedisCommandExecutionException e) {
    return String.valueOf(e.getMessage()).contains("WRONGTYPE");
  }

  /**
   * Waits for all of these; what a key of another type keeps from being done is told in the log.
   */
  static void awaitEach(Map<UUID, RedisFuture<String>> answers) {
    answers.forEach((jobId, answer) -> {
      try {
        await(answer);
      } catch (RedisCommandExecutionException e) {
        if (!isOfAnotherType(e)) {
          throw e;
        }
        LOG.warn("a key of job {} in Redis is of another type", jobId);
      }
    });
  }

  /** Whether there is a connection, or one that comes back, so that nobody has to wait for it. */
  boolean isOpen() {
    return connection != null;
  }

  /** Commands whose answers are waited for later. */
  public RedisAsyncCommands<String, String> async() {
    return connection().async();
  }

  /** Commands that wait for their answer. */
  public RedisCommands<String, String> sync() {
    return connection().sync();
  }

  /** Whether a stream has this message, acknowledged or not. */
  boolean hasMessage(String stream, String id) {
    return !sync().xrange(stream, Range.create(id, id)).isEmpty();
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
      StatefulRedisConnection<String, String> made = client.connect(StringCodec.UTF8);
      made.setAutoFlushCommands(!isGathering);
      connection = made;
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
