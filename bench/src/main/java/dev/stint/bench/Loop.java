package dev.stint.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * All connections on one thread with one selector. With hundreds of connections busy, each wake-up
 * finds many answers ready, and a request costs one read and one write; a thread per connection,
 * virtual or not, would park and be woken for each. The generator takes its time from the same
 * cores as the server, so cheap matters more than wide here.
 *
 * <p>Nothing here waits without end: a request that is not answered in time fails the run.
 */
final class Loop implements AutoCloseable {
  private static final int MOST_SLEEP_MS = 50;

  private final Selector selector;
  private final List<Connection> connections = new ArrayList<>();
  private final long answerWithinNanos;

  private Loop(Selector selector, Duration answerWithin) {
    this.selector = selector;
    this.answerWithinNanos = answerWithin.toNanos();
  }

  /** Opens that many connections; {@code answerWithin} bounds the connect and every answer. */
  static Loop open(Target target, int connections, Duration answerWithin)
      throws RunFailedException {
    return open(List.of(target), connections, answerWithin);
  }

  /** The same, to each of the targets in turn. */
  static Loop open(List<Target> targets, int connections, Duration answerWithin)
      throws RunFailedException {
    try {
      Loop loop = new Loop(Selector.open(), answerWithin);
      try {
        int timeoutMs = Math.toIntExact(answerWithin.toMillis());
        for (int i = 0; i < connections; i++) {
          Target target = targets.get(i % targets.size());
          loop.connections.add(new Connection(i, target.address(), loop.selector, timeoutMs));
        }
        return loop;
      } catch (IOException e) {
        loop.close();
        throw e;
      }
    } catch (IOException e) {
      throw new RunFailedException(
          "cannot connect to " + targets.getFirst().base() + ": " + e.getMessage(), e);
    }
  }

  /**
   * Runs the script on every connection for that long, then lets each finish what it has begun.
   *
   * @param onTick told now and then how many nanoseconds have passed
   * @return the nanoseconds of the window in which answers were counted
   */
  long run(Script script, Duration window, LongConsumer onTick) throws RunFailedException {
    long start = System.nanoTime();
    Slice slice = new Slice(script, start + window.toNanos());
    try {
      for (Connection connection : connections) {
        script.begin(connection, System.nanoTime());
        slice.busy++;
      }
      long nextTick = start;
      while (slice.busy > 0 && !script.isOver()) {
        selector.select(slice::advance, MOST_SLEEP_MS);
        slice.rethrow();
        long now = System.nanoTime();
        if (now >= nextTick) {
          nextTick = now + MOST_SLEEP_MS * 1_000_000L;
          failIfStalled(script, now);
          onTick.accept(Math.min(now - start, window.toNanos()));
        }
      }
    } catch (IOException e) {
      throw new RunFailedException("the connection to the server broke: " + e.getMessage(), e);
    }
    return window.toNanos();
  }

  @Override
  public void close() {
    try {
      for (Connection connection : connections) {
        connection.close();
      }
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void failIfStalled(Script script, long now) throws RunFailedException {
    for (Connection connection : connections) {
      if (connection.isAwaiting() && now - connection.sentAtNanos() > answerWithinNanos) {
        throw new RunFailedException(
            "no answer to %s within %d ms"
                .formatted(script.awaited(connection).word(), answerWithinNanos / 1_000_000));
      }
    }
  }

  /** One run of a script. Keeps what went wrong, since a selector's action may throw nothing. */
  private static final class Slice {
    private final Script script;
    private final long windowEndNanos;
    private int busy;
    private final List<Exception> failures = new ArrayList<>(1);

    Slice(Script script, long windowEndNanos) {
      this.script = script;
      this.windowEndNanos = windowEndNanos;
    }

    void advance(SelectionKey key) {
      Connection connection = (Connection) key.attachment();
      try {
        if (failures.isEmpty() && connection.advance()) {
          long now = System.nanoTime();
          if (!script.answered(connection, now, now < windowEndNanos)) {
            busy--;
          } else if (connection.answer().lastOnItsConnection()) {
            throw new IOException("the server closes connections; keep-alive is needed");
          }
        }
      } catch (IOException | RunFailedException e) {
        failures.add(e);
      }
    }

    void rethrow() throws IOException, RunFailedException {
      if (!failures.isEmpty()) {
        switch (failures.getFirst()) {
          case IOException e -> throw e;
          case RunFailedException e -> throw e;
          case Exception e -> throw new IllegalStateException(e);
        }
      }
    }
  }
}
