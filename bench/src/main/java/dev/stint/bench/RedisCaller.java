package dev.stint.bench;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** One connection to a Redis of this machine, for the few commands of a native worker in ASCII. */
final class RedisCaller implements AutoCloseable {
  private static final int ANSWER_WITHIN_MS = 30_000;

  private final Socket socket;
  private final InputStream in;

  RedisCaller(int port) throws IOException {
    socket =
        Sockets.open(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_WITHIN_MS);
    in = new BufferedInputStream(socket.getInputStream());
  }

  /** Sends one command, and returns all words of its answer, however deep they are nested in it. */
  List<String> call(String... words) throws IOException {
    StringBuilder command = new StringBuilder("*" + words.length + "\r\n");
    for (String word : words) {
      command.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
    }
    socket.getOutputStream().write(command.toString().getBytes(StandardCharsets.US_ASCII));
    List<String> answer = new ArrayList<>();
    read(answer);
    return answer;
  }

  private void read(List<String> answer) throws IOException {
    String line = line();
    String rest = line.substring(1);
    switch (line.charAt(0)) {
      case '-' -> throw new IOException("Redis refuses: " + rest);
      case '$' -> {
        if (!rest.equals("-1")) {
          answer.add(new String(in.readNBytes(Integer.parseInt(rest)), StandardCharsets.US_ASCII));
          line();
        }
      }
      case '*' -> {
        int parts = Integer.parseInt(rest);
        for (int i = 0; i < parts; i++) {
          read(answer);
        }
      }
      default -> answer.add(rest);
    }
  }

  private String line() throws IOException {
    StringBuilder line = new StringBuilder();
    for (int c = in.read(); c != '\n'; c = in.read()) {
      if (c < 0) {
        throw new EOFException("Redis closed a connection");
      }
      line.append((char) c);
    }
    return line.substring(0, line.length() - 1);
  }

  @Override
  public void close() {
    Sockets.close(socket);
  }
}
