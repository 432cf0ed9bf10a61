package dev.stint.bench;

import java.io.IOException;
import java.net.Socket;
import java.util.Arrays;

/** One kept-alive connection whose thread waits for each answer. */
final class WaitingConnection implements AutoCloseable {
  private static final int ANSWER_WITHIN_MS = 15_000;
  private static final int FIRST_BUFFER_BYTES = 4 * 1024;

  private final Socket socket;
  private final Answer answer = new Answer();
  private byte[] in = new byte[FIRST_BUFFER_BYTES];

  WaitingConnection(Target target) throws IOException {
    socket = Sockets.open(target.address(), ANSWER_WITHIN_MS);
  }

  /**
   * Sends a whole request and returns its answer, whose bytes are good until the next.
   *
   * @param call its name, for whoever reads that it was answered with another status
   */
  Answer exchange(String call, byte[] request, int expectedStatus)
      throws IOException, RunFailedException {
    socket.getOutputStream().write(request);
    int length = 0;
    do {
      if (length == in.length) {
        grow();
      }
      int read = socket.getInputStream().read(in, length, in.length - length);
      if (read < 0) {
        throw new IOException("the server closed a connection");
      }
      length += read;
    } while (!answer.parse(in, length));
    if (answer.status() != expectedStatus) {
      throw new RunFailedException(call + " was answered " + answer.shown());
    }
    return answer;
  }

  @Override
  public void close() {
    Sockets.close(socket);
  }

  private void grow() throws IOException {
    if (in.length >= Connection.MOST_ANSWER_BYTES) {
      throw new IOException("an answer is larger than " + Connection.MOST_ANSWER_BYTES + " bytes");
    }
    in = Arrays.copyOf(in, 2 * in.length);
  }
}
