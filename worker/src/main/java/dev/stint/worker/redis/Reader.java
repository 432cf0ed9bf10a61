package dev.stint.worker.redis;

import dev.stint.client.Patience;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes messages from the stream as slots are free. After every connect it first takes what is its
 * own from before: what a killed worker of this name left, and what an answer that was lost had.
 */
final class Reader implements Runnable {
  private static final Logger log = LoggerFactory.getLogger(Reader.class);
  private static final String NEW = ">";
  private static final String FROM_THE_FIRST = "0";

  /** A payload may be large, and all that one read brings is in memory at once, twice. */
  private static final int MOST_AT_ONCE = 16;

  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final Duration WAKE_TIMEOUT = Duration.ofSeconds(2);

  private final Station station;
  private final Patience patience;
  private final Hands hands;
  private final JobKeys keys;
  private volatile @Nullable RedisConnection connection;
  private volatile @Nullable String clientId;
  private String from = FROM_THE_FIRST;

  Reader(Station station, Patience patience, Hands hands, JobKeys keys) {
    this.station = station;
    this.patience = patience;
    this.hands = hands;
    this.keys = keys;
  }

  /** Connects, if Redis is there, to learn early if it does not let this worker in. */
  void greet() throws RedisRefusedException {
    try {
      connect();
    } catch (IOException e) {
      disconnect();
      if (e instanceof RedisRefusedException refused && !refused.isForLater()) {
        throw refused;
      }
      patience.lost(station.url() + ": " + e.getMessage());
    }
  }

  /** Reads until the hands are closed. */
  @Override
  public void run() {
    int failures = 0;
    try {
      for (int free = hands.awaitFree(); free > 0; free = hands.awaitFree()) {
        try {
          read(Math.min(free, MOST_AT_ONCE));
          failures = 0;
        } catch (IOException e) {
          log.debug("no messages", e);
          patience.backOff(failures++);
        } catch (RuntimeException | Error e) { // there may be no room for what was read
          disconnect(); // what it was about to give is asked for again
          log.error("messages have to be read again", e);
          patience.rest(failures++);
        }
      }
    } catch (InterruptedException e) {
      log.debug("no more messages");
    } finally {
      disconnect();
    }
  }

  private void read(int most) throws IOException {
    Object answer;
    try {
      answer = readGroup(connect(), most);
    } catch (IOException e) {
      disconnect();
      patience.lost(station.url() + ": " + e.getMessage());
      throw e;
    }
    patience.heard();
    List<RedisJob> jobs = RedisJob.in(answer, keys);
    jobs.forEach(hands::take);
    if (!from.equals(NEW)) {
      from = jobs.isEmpty() ? NEW : jobs.getLast().messageId();
    }
  }

  private @Nullable Object readGroup(RedisConnection redis, int most) throws IOException {
    return redis.call(
        "XREADGROUP",
        "GROUP",
        RedisWorker.GROUP,
        station.consumer(),
        "COUNT",
        Integer.toString(most),
        "BLOCK",
        Long.toString(WAIT.toMillis()),
        "STREAMS",
        station.stream(),
        from);
  }

  private RedisConnection connect() throws IOException {
    RedisConnection known = connection;
    if (known != null) {
      return known;
    }
    RedisConnection opened =
        RedisConnection.open(station.url(), RedisConnection.TIMEOUT.plus(WAIT));
    connection = opened;
    try {
      opened.call("XGROUP", "CREATE", station.stream(), RedisWorker.GROUP, "0", "MKSTREAM");
    } catch (RedisRefusedException e) {
      if (!e.is("BUSYGROUP")) {
        throw e;
      }
    }
    clientId = String.valueOf(opened.call("CLIENT", "ID"));
    from = FROM_THE_FIRST;
    return opened;
  }

  private void disconnect() {
    clientId = null;
    hangUp();
    connection = null;
  }

  private void hangUp() {
    RedisConnection known = connection;
    if (known != null) {
      known.close();
    }
  }

  /**
   * Ends a read that waits. To hang up on it could lose what Redis is about to give, so that is
   * done only where Redis says nothing at all.
   */
  void wake() {
    String id = clientId;
    if (id != null) {
      try (RedisConnection other = RedisConnection.open(station.url(), WAKE_TIMEOUT)) {
        other.call("CLIENT", "UNBLOCK", id);
      } catch (IOException e) {
        log.debug("hangs up on Redis", e);
        hangUp();
      }
    }
  }
}
