package dev.stint.server;

import io.helidon.common.buffers.DataReader;
import io.helidon.common.socket.HelidonSocket;
import io.helidon.webserver.CloseConnectionException;
import io.helidon.webserver.ServerConnectionException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The far end of one connection: where its bytes come from, and whether it is still there.
 *
 * <p>A blocking server sees that a client has hung up only when it reads, and while a call waits
 * nobody reads. So to watch a client is to read ahead: a thread of its own waits for what comes
 * next. End of stream means that the client is gone. Anything else is the begin of its next request
 * and is handed over to the connection when that asks for more. At most one read is under way at
 * any time.
 */
final class Client implements Supplier<byte @Nullable []> {
  /** The connection whose request is handled on this thread. */
  static final ScopedValue<Client> CURRENT = ScopedValue.newInstance();

  /** More than any request has: a body of a megabyte, in chunks of one byte, comes as six. */
  private static final int MAX_REQUEST_BYTES = 8 * 1024 * 1024;

  private static final long NOT_RECEIVING = 0;
  private static final long NOT_SENDING = 0;

  private final HelidonSocket socket;
  private final DataReader reader = DataReader.create(this);
  private int requestBytes;
  private volatile Runnable end = () -> {};
  private volatile Runnable hangUp = () -> {};
  private volatile @Nullable CompletableFuture<byte @Nullable []> ahead;
  private volatile long receivingSinceNanos = NOT_RECEIVING;
  private volatile long sendingSinceNanos = NOT_SENDING;

  Client(HelidonSocket socket) {
    this.socket = socket;
  }

  /** Where the connection takes its bytes from. */
  DataReader reader() {
    return reader;
  }

  /**
   * The next bytes, or null if there are no more to come; called by the connection's thread. They
   * are counted, as Helidon sets no bound to the line with the size of a chunk.
   */
  @Override
  public byte @Nullable [] get() {
    CompletableFuture<byte @Nullable []> pending = ahead;
    byte[] bytes = pending == null ? read() : await(pending);
    ahead = null;
    requestBytes += bytes == null ? 0 : bytes.length;
    if (requestBytes > MAX_REQUEST_BYTES) {
      throw new CloseConnectionException("The request does not end");
    }
    if (receivingSinceNanos == NOT_RECEIVING) {
      receivingSinceNanos = System.nanoTime() | 1;
    }
    return bytes;
  }

  private byte @Nullable [] read() {
    try {
      return next();
    } catch (UncheckedIOException e) {
      throw new ServerConnectionException("Failed to get data from socket", e);
    }
  }

  /** What the socket has next. One with TLS tells the end of it by nothing instead of null. */
  private byte @Nullable [] next() {
    byte[] bytes = socket.get();
    return bytes == null || bytes.length == 0 ? null : bytes;
  }

  private static byte @Nullable [] await(CompletableFuture<byte @Nullable []> pending) {
    try {
      return pending.get();
    } catch (ExecutionException e) {
      throw new ServerConnectionException("Failed to get data from socket", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CloseConnectionException("The server stops", e);
    }
  }

  /** Reads ahead from now on, and tells whether the client is still there. */
  BooleanSupplier watch() {
    CompletableFuture<byte @Nullable []> pending = ahead;
    if (pending == null) {
      CompletableFuture<byte @Nullable []> started = new CompletableFuture<>();
      ahead = started;
      Thread.ofVirtual().name("read-ahead").start(() -> readAhead(started));
      pending = started;
    }
    CompletableFuture<byte @Nullable []> watched = pending;
    return () ->
        !watched.isDone() || (!watched.isCompletedExceptionally() && watched.join() != null);
  }

  private void readAhead(CompletableFuture<byte @Nullable []> result) {
    try {
      result.complete(next());
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    }
  }

  /**
   * Says how the connection ends.
   *
   * @param newEnd tells it that its answer to this request is its last
   * @param newHangUp ends it now, whatever it is doing, and does not wait
   */
  void onEnd(Runnable newEnd, Runnable newHangUp) {
    end = newEnd;
    hangUp = newHangUp;
  }

  /**
   * Hangs up after this answer. Helidon does not by itself, whatever the Connection header says,
   * and would take what follows for another request.
   */
  void endAfterThisAnswer() {
    end.run();
  }

  /** The request has arrived as a whole. */
  void received() {
    requestBytes = 0;
    receivingSinceNanos = NOT_RECEIVING;
  }

  /** The answer has left; if a part of the next request came with the last, that begins now. */
  void answered() {
    if (reader.available() > 0) {
      receivingSinceNanos = System.nanoTime() | 1;
    }
  }

  /** A part of an answer is being sent, which takes as long as the client takes to read it. */
  void sending() {
    sendingSinceNanos = System.nanoTime() | 1;
  }

  void sent() {
    sendingSinceNanos = NOT_SENDING;
  }

  /** Hangs up if a request has been arriving, or a part of an answer leaving, for too long. */
  void closeIfSlow(long nowNanos, long maxNanos) {
    if (isSlow(receivingSinceNanos, nowNanos, maxNanos)
        || isSlow(sendingSinceNanos, nowNanos, maxNanos)) {
      receivingSinceNanos = NOT_RECEIVING;
      sendingSinceNanos = NOT_SENDING;
      // Not by closing the socket: with TLS that waits for the write that does not come to its end.
      hangUp.run();
    }
  }

  private static boolean isSlow(long since, long nowNanos, long maxNanos) {
    return since != 0 && nowNanos - since > maxNanos;
  }
}
