package dev.stint.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;

/** Passes bytes on to a port of this machine, until it is told to stand still or to hang up. */
public final class CutProxy implements AutoCloseable {
  private final ServerSocket server;
  private final int target;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition goesOn = lock.newCondition();
  private boolean stands;
  private volatile long answerDelayMs;
  private volatile boolean isCut;

  private CutProxy(ServerSocket server, int target) {
    this.server = server;
    this.target = target;
  }

  public static CutProxy to(int target) {
    return start(ServerSocketFactory.getDefault(), target);
  }

  /** One that has to be spoken to by TLS; what is passed on is plain. */
  public static CutProxy behindTls(SSLContext tls, int target) {
    return start(tls.getServerSocketFactory(), target);
  }

  private static CutProxy start(ServerSocketFactory sockets, int target) {
    try {
      CutProxy proxy =
          new CutProxy(sockets.createServerSocket(0, 50, InetAddress.getLoopbackAddress()), target);
      Thread.ofVirtual().start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Lets nothing through any more, and hangs up on nobody. */
  public void standStill() {
    lock.lock();
    try {
      stands = true;
    } finally {
      lock.unlock();
    }
  }

  /** Lets every answer come so much later. */
  public void delayAnswers(Duration delay) {
    answerDelayMs = delay.toMillis();
  }

  /** Hangs up on everybody, now and until {@link #goOn}. */
  public void cut() {
    isCut = true;
    sockets.forEach(CutProxy::hangUp);
  }

  public void goOn() {
    isCut = false;
    lock.lock();
    try {
      stands = false;
      goesOn.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void accept() {
    while (true) {
      try {
        Socket client = server.accept();
        if (isCut) {
          hangUp(client);
          continue;
        }
        Socket redis = new Socket(InetAddress.getLoopbackAddress(), target);
        sockets.add(client);
        sockets.add(redis);
        Thread.ofVirtual().start(() -> pass(client, redis, false));
        Thread.ofVirtual().start(() -> pass(redis, client, true));
      } catch (IOException e) {
        if (server.isClosed()) {
          return;
        }
      }
    }
  }

  private void pass(Socket from, Socket to, boolean isAnswer) {
    byte[] buffer = new byte[16_384];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int read = in.read(buffer); read > 0; read = in.read(buffer)) {
        awaitPermission();
        if (isAnswer) {
          Thread.sleep(answerDelayMs);
        }
        out.write(buffer, 0, read);
      }
    } catch (IOException e) {
      // One side has gone: so has the other.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      hangUp(from);
      hangUp(to);
      sockets.remove(from);
      sockets.remove(to);
    }
  }

  private void awaitPermission() {
    lock.lock();
    try {
      while (stands) {
        goesOn.awaitUninterruptibly();
      }
    } finally {
      lock.unlock();
    }
  }

  private static void hangUp(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    goOn();
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    sockets.forEach(CutProxy::hangUp);
  }
}
