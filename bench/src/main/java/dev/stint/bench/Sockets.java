package dev.stint.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;

/** Sockets whose thread waits for what comes, but not without end. */
final class Sockets {
  private Sockets() {}

  /** Connects; {@code withinMs} bounds that and every read. */
  static Socket open(InetSocketAddress address, int withinMs) throws IOException {
    Socket socket = new Socket();
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(withinMs);
      socket.connect(address, withinMs);
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
