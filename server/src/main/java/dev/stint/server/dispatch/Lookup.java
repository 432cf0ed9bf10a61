package dev.stint.server.dispatch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Finds the addresses of hosts, with an end. The JDK waits for DNS as long as that takes, and a
 * virtual thread that does so holds on to one of the few threads that carry all others: so this is
 * done on threads of its own.
 */
final class Lookup implements Courier.Resolver, AutoCloseable {
  private static final int MAX_AT_ONCE = 64;

  private final Duration timeout;
  private final ThreadPoolExecutor threads =
      new ThreadPoolExecutor(
          0,
          MAX_AT_ONCE,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Thread.ofPlatform().name("stint-dispatch-lookup-", 1).daemon().factory());

  Lookup(Duration timeout) {
    this.timeout = timeout;
  }

  @Override
  public InetAddress[] find(String host) throws UnknownHostException {
    if (Reach.isLiteral(host)) {
      return InetAddress.getAllByName(host);
    }
    try {
      return threads
          .submit(() -> InetAddress.getAllByName(host))
          .get(timeout.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
      throw new UnknownHostException(host);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnknownHostException(host);
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
