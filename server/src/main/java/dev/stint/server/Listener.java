package dev.stint.server;

import com.sun.management.UnixOperatingSystemMXBean;
import io.helidon.common.tls.Tls;
import io.helidon.webserver.WebServer;
import io.helidon.webserver.WebServerConfig;
import io.helidon.webserver.http.HttpRouting;
import io.helidon.webserver.http1.Http1Config;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The HTTP server: its bounds, its start and its stop. */
final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);

  static final int MAX_BODY_BYTES = 1024 * 1024;

  /** Every worker may have a claim parked on one connection and its heartbeats on another. */
  private static final int MAX_CONNECTIONS = 50_000;

  private static final int FEW_CONNECTIONS = 5_000;
  private static final int LEAST_CONNECTIONS = 100;

  /** What a connection takes, also one on which nothing has come yet, with TLS and without. */
  private static final int SECURED_CONNECTION_BYTES = 128 * 1024;

  private static final int CONNECTION_BYTES = 32 * 1024;

  /** For the database, for files and for what is sent to others. */
  private static final int OTHER_DESCRIPTORS = 1_000;

  private static final int MAX_HEADER_BYTES = 16 * 1024;
  private static final int MAX_REQUEST_LINE_BYTES = 4 * 1024;
  private static final int RECEIVE_BUFFER_BYTES = 64 * 1024;

  /** So much may be on its way to a client that does not read, and no more. */
  private static final int SEND_BUFFER_BYTES = 256 * 1024;

  private static final Duration MAX_TRANSFER_TIME = Duration.ofSeconds(30);
  private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(2);
  private static final Duration STOP_GRACE = Duration.ofSeconds(10);

  private final WebServer server;
  private final Front front;
  private final Connections connections;
  private final Thread watchman;
  private volatile Runnable lost = () -> {};
  private volatile boolean stopping;

  private Listener(InetSocketAddress address, @Nullable Tls tls, Front front) {
    Http1Config http1 =
        Http1Config.builder()
            .maxHeadersSize(MAX_HEADER_BYTES)
            .maxPrologueLength(MAX_REQUEST_LINE_BYTES)
            .sendKeepAliveHeader(false)
            .build();
    this.front = front;
    this.connections = new Connections(http1);
    WebServerConfig.Builder builder =
        WebServer.builder()
            .bindAddress(address)
            .shutdownHook(false)
            .featuresDiscoverServices(false)
            .protocolsDiscoverServices(false)
            .addConnectionSelector(connections)
            .maxPayloadSize(MAX_BODY_BYTES)
            .maxTcpConnections(maxConnections(tls != null))
            .idleConnectionTimeout(IDLE_TIMEOUT)
            .idleConnectionPeriod(Duration.ofSeconds(10))
            .shutdownGracePeriod(STOP_GRACE)
            .putListenerSocketOption(StandardSocketOptions.SO_REUSEADDR, true)
            .putListenerSocketOption(StandardSocketOptions.SO_RCVBUF, RECEIVE_BUFFER_BYTES)
            .connectionOptions(
                options -> options.tcpNoDelay(true).socketSendBufferSize(SEND_BUFFER_BYTES))
            .directHandlers(HttpNonsense.handlers())
            .routing(HttpRouting.builder().any(front));
    if (tls != null) {
      builder.tls(tls);
    }
    this.server = builder.build();
    this.watchman = Thread.ofVirtual().name("slow-clients").unstarted(this::watch);
  }

  private static int maxConnections(boolean isSecured) {
    long descriptors =
        ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount()
            : Long.MAX_VALUE;
    long memory = Runtime.getRuntime().maxMemory();
    int connections = maxConnections(descriptors, memory, isSecured);
    if (connections < FEW_CONNECTIONS) {
      LOG.warn(
          "this process may open only {} files and connections (ulimit -n) and use {} MB of memory"
              + " (-Xmx in STINT_JAVA_OPTS), so it takes {} connections at a time",
          descriptors,
          memory >> 20,
          connections);
    }
    return connections;
  }

  /**
   * As many as there are file descriptors for, as Helidon stops to listen when these run out, and
   * as half of the memory is enough for: who only connects has buffers before anything is asked.
   */
  static int maxConnections(long descriptors, long memoryBytes, boolean isSecured) {
    long fit = memoryBytes / 2 / (isSecured ? SECURED_CONNECTION_BYTES : CONNECTION_BYTES);
    return Math.clamp(
        Math.min(descriptors - OTHER_DESCRIPTORS, fit), LEAST_CONNECTIONS, MAX_CONNECTIONS);
  }

  static Listener start(InetSocketAddress address, @Nullable Tls tls, Front front) {
    Listener listener = new Listener(address, tls, front);
    listener.server.start();
    if (!listener.server.isRunning()) {
      throw new AddressUnusableException("cannot listen on " + Addresses.text(address));
    }
    listener.watchman.start();
    return listener;
  }

  /**
   * Finds out whether one could listen there: Helidon tells why it could not only to its log. This
   * does not listen itself, so that nobody is let in too early.
   *
   * @throws AddressUnusableException if not
   */
  static void tryAddress(InetSocketAddress address) {
    try (SocketChannel channel = SocketChannel.open()) {
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      channel.bind(address);
    } catch (IOException e) {
      throw new AddressUnusableException(
          "cannot listen on " + Addresses.text(address) + ": " + e.getMessage());
    }
  }

  int port() {
    return server.port();
  }

  /** Says what is to be done, on a thread of its own, if it ends without having been stopped. */
  void onLost(Runnable newLost) {
    lost = newLost;
  }

  private void watch() {
    try {
      while (stopping || !connections.areOver()) {
        TimeUnit.SECONDS.sleep(1);
        closeSlowOnes(System.nanoTime());
      }
      Thread.ofPlatform().name("listener-lost").start(lost);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Hangs up on clients that have taken too long to send a request or to read an answer. */
  void closeSlowOnes(long nowNanos) {
    connections.closeSlowOnes(nowNanos, MAX_TRANSFER_TIME.toNanos());
  }

  /** Answers what comes from now on with a refusal. */
  void drain() {
    front.drain();
  }

  /** Takes nothing new; returns when what is under way has been answered. */
  void stop() {
    stopping = true;
    drain();
    server.stop();
    watchman.interrupt();
  }
}
