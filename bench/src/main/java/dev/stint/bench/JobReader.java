package dev.stint.bench;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One reader of the events of a job, which notes when each report came. */
final class JobReader implements AutoCloseable {
  private static final Pattern REPORT = Pattern.compile("\"message\":\"(\\d+)\"");

  private final FollowedJob job;
  private final JobEvents events;
  private final long[] received;

  JobReader(FollowedJob job, Target target, int reports) throws IOException {
    this.job = job;
    this.received = new long[reports];
    this.events = new JobEvents(target, job.id());
  }

  /**
   * Reads up to the end, and returns how many reports came.
   *
   * @param reading counted down when it has read up to what happens now
   */
  int read(CountDownLatch reading) throws IOException, RunFailedException {
    int next = 0;
    for (String line = events.line(); line != null; line = events.line()) {
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
    events.close();
  }
}
