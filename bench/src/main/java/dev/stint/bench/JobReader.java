package dev.stint.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One reader of the events of a job, which notes when each report came. */
final class JobReader implements AutoCloseable {
  private static final int SILENT_FOR_MS = 60_000;
  private static final Pattern REPORT = Pattern.compile("\"message\":\"(\\d+)\"");

  private final FollowedJob job;
  private final Socket socket = new Socket();
  private final long[] received;

  JobReader(FollowedJob job, Target target, int reports) throws IOException {
    this.job = job;
    this.received = new long[reports];
    try {
      socket.setTcpNoDelay(true);
      socket.setSoTimeout(SILENT_FOR_MS);
      socket.connect(target.address(), SILENT_FOR_MS);
      socket.getOutputStream().write(target.get("/v1/jobs/" + job.id() + "/events"));
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * Reads up to the end, and returns how many reports came.
   *
   * @param reading counted down when it has read up to what happens now
   */
  int read(CountDownLatch reading) throws IOException, RunFailedException {
    BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    int next = 0;
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      long now = System.nanoTime();
      if (line.equals("event: running")) {
        reading.countDown();
      } else if (line.equals("event: done")) {
        if (next != received.length) {
          throw new RunFailedException("a reader missed reports: it saw " + next);
        }
        return next;
      } else if (line.startsWith("data: {\"type\":\"progress\"")) {
        Matcher report = REPORT.matcher(line);
        if (!report.find() || Integer.parseInt(report.group(1)) != next) {
          throw new RunFailedException("a reader expected report " + next + " but got: " + line);
        }
        received[next++] = now;
      }
    }
    throw new RunFailedException("a stream ended before its job did");
  }

  FollowedJob job() {
    return job;
  }

  long receivedNanos(int report) {
    return received[report];
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
