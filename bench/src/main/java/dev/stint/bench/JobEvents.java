package dev.stint.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** The events of one job, as its stream tells them. */
final class JobEvents implements AutoCloseable {
  private static final int SILENT_FOR_MS = 60_000;

  private final Socket socket;
  private final BufferedReader lines;

  JobEvents(Target target, String jobId) throws IOException {
    socket = Sockets.open(target.address(), SILENT_FOR_MS);
    try {
      socket.getOutputStream().write(target.get("/v1/jobs/" + jobId + "/events"));
      lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /** The next line of the stream, or null at its end. */
  @Nullable String line() throws IOException {
    return lines.readLine();
  }

  /** Reads up to the next event, which has to be of this type. */
  void expect(String type) throws IOException, RunFailedException {
    String begin = "event: ";
    for (String line = line(); line != null; line = line()) {
      if (line.equals(begin + type)) {
        return;
      }
      if (line.startsWith(begin)) {
        throw new RunFailedException("expected '%s%s' but got '%s'".formatted(begin, type, line));
      }
    }
    throw new RunFailedException("a stream of events ended without '%s'".formatted(type));
  }

  @Override
  public void close() {
    Sockets.close(socket);
  }
}
