package dev.stint.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/** All connections of this process to one Redis. */
public final class RedisLinks implements AutoCloseable {
  /** After this an answer is no longer waited for. */
  static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final int MAX_UNANSWERED = 50_000;

  private final ClientResources resources;
  private final RedisClient client;
  private final RedisAddress address;
  private final List<RedisLink> links = new CopyOnWriteArrayList<>();

  /** Connects nothing yet, so that Redis may be away. */
  public RedisLinks(RedisAddress address) {
    this.address = address;
    this.resources =
        DefaultClientResources.builder()
            .ioThreadPoolSize(2)
            .computationThreadPoolSize(2)
            .reconnectDelay(() ->
                Delay.exponential(
                    Duration.ofMillis(20), Duration.ofSeconds(1), 2, TimeUnit.MILLISECONDS))
            .build();
    this.client = RedisClient.create(resources, address.uri());
    client.setOptions(
        ClientOptions.builder()
            .autoReconnect(true)
            .disconnectedBehavior(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS)
            .requestQueueSize(MAX_UNANSWERED)
            .timeoutOptions(TimeoutOptions.enabled(PATIENCE))
            .socketOptions(SocketOptions.builder().connectTimeout(PATIENCE).keepAlive(true).build())
            .build());
  }

  /** One more connection, made when it is first used; ends with this. */
  public RedisLink open() {
    return open(false);
  }

  /** The same, but commands go out only with {@link RedisLink#flush}, many at once. */
  RedisLink openGathering() {
    return open(true);
  }

  private RedisLink open(boolean isGathering) {
    RedisLink link = new RedisLink(client, isGathering);
    links.add(link);
    return link;
  }

  public RedisAddress address() {
    return address;
  }

  @Override
  public void close() {
    links.forEach(RedisLink::close);
    client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
    resources.shutdown(0, 2, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
  }
}
