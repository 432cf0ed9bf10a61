package dev.stint.server;

import io.helidon.common.buffers.BufferData;
import io.helidon.common.buffers.DataReader;
import io.helidon.common.buffers.DataWriter;
import io.helidon.common.concurrency.limits.Limit;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.common.socket.PeerInfo;
import io.helidon.common.task.InterruptableTask;
import io.helidon.webserver.ConnectionContext;
import io.helidon.webserver.ListenerContext;
import io.helidon.webserver.ProxyProtocolData;
import io.helidon.webserver.Router;
import io.helidon.webserver.http1.Http1Config;
import io.helidon.webserver.http1.Http1ConnectionSelector;
import io.helidon.webserver.spi.ServerConnection;
import io.helidon.webserver.spi.ServerConnectionSelector;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * Helidon's HTTP/1.1 connections, reading through a {@link Client}. Its sockets have no read
 * timeout of their own, and its idle timeout leaves those alone that are in the middle of a
 * request: so {@link #closeSlowOnes} is called now and then.
 */
final class Connections implements ServerConnectionSelector {
  private final ServerConnectionSelector http1;
  private final Set<Client> open = ConcurrentHashMap.newKeySet();
  private volatile @Nullable ExecutorService listenersOwn;

  Connections(Http1Config config) {
    this.http1 = Http1ConnectionSelector.builder().config(config).build();
  }

  /** Hangs up on clients that take longer than {@code maxNanos} to send, or to read. */
  void closeSlowOnes(long nowNanos, long maxNanos) {
    for (Client client : open) {
      client.closeIfSlow(nowNanos, maxNanos);
    }
  }

  /** Whether Helidon has given up listening, of which it tells nobody. */
  boolean areOver() {
    ExecutorService executor = listenersOwn;
    return executor != null && executor.isShutdown();
  }

  @Override
  public int bytesToIdentifyConnection() {
    return http1.bytesToIdentifyConnection();
  }

  @Override
  public Support supports(BufferData data) {
    return http1.supports(data);
  }

  @Override
  public Set<String> supportedApplicationProtocols() {
    return http1.supportedApplicationProtocols();
  }

  @Override
  public ServerConnection connection(ConnectionContext context) {
    listenersOwn = context.executor();
    Client client = new Client(context.serverSocket());
    ServerConnection connection = http1.connection(new ClientContext(context, client.reader()));
    client.onEnd(() -> connection.close(false), () -> connection.close(true));
    return new Watched(client, connection);
  }

  /** A connection that tells its handlers which client they work for. */
  private final class Watched implements ServerConnection, InterruptableTask<Void> {
    private final Client client;
    private final ServerConnection connection;

    Watched(Client client, ServerConnection connection) {
      this.client = client;
      this.connection = connection;
    }

    @Override
    public void handle(Limit limit) throws InterruptedException {
      open.add(client);
      try {
        ScopedValue.where(Client.CURRENT, client)
            .<Void, InterruptedException>call(() -> {
              connection.handle(limit);
              return null;
            });
      } finally {
        open.remove(client);
      }
    }

    @Override
    public Duration idleTime() {
      return connection.idleTime();
    }

    @Override
    public void close(boolean interrupt) {
      connection.close(interrupt);
    }

    @Override
    public boolean canInterrupt() {
      return connection instanceof InterruptableTask<?> task && task.canInterrupt();
    }
  }

  /** Helidon's context, but for where the bytes come from. */
  private record ClientContext(ConnectionContext context, DataReader dataReader)
      implements ConnectionContext {
    @Override
    public ListenerContext listenerContext() {
      return context.listenerContext();
    }

    @Override
    public ExecutorService executor() {
      return context.executor();
    }

    @Override
    public DataWriter dataWriter() {
      return context.dataWriter();
    }

    @Override
    public Router router() {
      return context.router();
    }

    @Override
    public Optional<ProxyProtocolData> proxyProtocolData() {
      return context.proxyProtocolData();
    }

    @Override
    public HelidonSocket serverSocket() {
      return context.serverSocket();
    }

    @Override
    public PeerInfo remotePeer() {
      return context.remotePeer();
    }

    @Override
    public PeerInfo localPeer() {
      return context.localPeer();
    }

    @Override
    public boolean isSecure() {
      return context.isSecure();
    }

    @Override
    public String socketId() {
      return context.socketId();
    }

    @Override
    public String childSocketId() {
      return context.childSocketId();
    }
  }
}
