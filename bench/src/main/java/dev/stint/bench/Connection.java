package dev.stint.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;

/** One kept-alive connection with at most one request under way. */
final class Connection implements AutoCloseable {
  private static final int FIRST_BUFFER_BYTES = 4 * 1024;
  static final int MOST_ANSWER_BYTES = 4 * 1024 * 1024;

  private final int number;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final Answer answer = new Answer();
  private ByteBuffer in = ByteBuffer.allocate(FIRST_BUFFER_BYTES);
  private ByteBuffer out = ByteBuffer.allocate(FIRST_BUFFER_BYTES);
  private boolean awaiting;
  private long sentAtNanos;

  Connection(int number, InetSocketAddress address, Selector selector, int connectTimeoutMs)
      throws IOException {
    this.number = number;
    channel = SocketChannel.open();
    try {
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.socket().connect(address, connectTimeoutMs);
      channel.configureBlocking(false);
      key = channel.register(selector, SelectionKey.OP_READ, this);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  /** Counts from 0; scripts keep their state of a connection under it. */
  int number() {
    return number;
  }

  /** Sends a whole request. What the socket does not take at once goes out when it is writable. */
  void send(byte[] request, int length, long nowNanos) throws IOException {
    if (awaiting) {
      throw new IllegalStateException("connection " + number + " still waits for an answer");
    }
    awaiting = true;
    sentAtNanos = nowNanos;
    if (out.capacity() < length) {
      out = ByteBuffer.allocate(length);
    }
    out.clear().put(request, 0, length).flip();
    flush();
  }

  /** Sends and receives what the socket is ready for; true once the whole answer is there. */
  boolean advance() throws IOException {
    if (key.isWritable()) {
      flush();
    }
    if (!key.isReadable()) {
      return false;
    }
    int read = channel.read(in);
    if (read < 0) {
      throw new IOException("the server closed a connection");
    }
    if (!awaiting) {
      throw new IOException("the server sent an answer that nothing had asked for");
    }
    if (answer.parse(in.array(), in.position())) {
      in.clear();
      awaiting = false;
      return true;
    }
    if (!in.hasRemaining()) {
      grow();
    }
    return false;
  }

  /** The last whole answer; its bytes are good until the next {@link #advance}. */
  Answer answer() {
    return answer;
  }

  boolean isAwaiting() {
    return awaiting;
  }

  long sentAtNanos() {
    return sentAtNanos;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }

  private void flush() throws IOException {
    channel.write(out);
    int wanted =
        out.hasRemaining() ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != wanted) {
      key.interestOps(wanted);
    }
  }

  private void grow() throws IOException {
    if (in.capacity() >= MOST_ANSWER_BYTES) {
      throw new IOException("an answer is larger than " + MOST_ANSWER_BYTES + " bytes");
    }
    ByteBuffer larger = ByteBuffer.allocate(in.capacity() * 2);
    in.flip();
    larger.put(in);
    in = larger;
  }
}
