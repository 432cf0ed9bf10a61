package dev.stint.server;

import io.helidon.webserver.ServerConnectionException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;

/**
 * The body of an answer that is sent bit by bit: gathered until it is flushed, and watched while it
 * leaves, as that may take for ever with a client that does not read.
 */
final class Outflow extends OutputStream {
  private static final int SEND_AT_BYTES = 16 * 1024;

  private final OutputStream out;
  private final Client client;
  private final ByteArrayOutputStream gathered = new ByteArrayOutputStream();

  Outflow(OutputStream out, Client client) {
    this.out = out;
    this.client = client;
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    gathered.write(bytes, offset, length);
    if (gathered.size() >= SEND_AT_BYTES) {
      flush();
    }
  }

  @Override
  public void flush() throws IOException {
    if (gathered.size() == 0) {
      return;
    }
    send(() -> {
      gathered.writeTo(out);
      gathered.reset();
      out.flush();
    });
  }

  @Override
  public void close() throws IOException {
    flush();
    send(out::close);
  }

  private interface Sending {
    void run() throws IOException;
  }

  private void send(Sending sending) throws IOException {
    client.sending();
    try {
      sending.run();
    } catch (ServerConnectionException | UncheckedIOException e) {
      throw new IOException("the client has gone", e);
    } finally {
      client.sent();
    }
  }
}
