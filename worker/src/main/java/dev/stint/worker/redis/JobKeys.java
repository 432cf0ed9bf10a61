package dev.stint.worker.redis;

import dev.stint.client.Json;
import dev.stint.client.Patience;
import dev.stint.client.sdk.Work;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a native worker writes about a job: its hash, its events and the acknowledgement, in the
 * order that the contract asks for. What belongs together is one transaction.
 */
final class JobKeys implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JobKeys.class);
  private static final Set<String> OVER = Set.of("done", "error", "canceled");
  private static final String DEFAULT_TTL = "3600";

  /** EXPIRE with 0, or with nothing, would remove the keys. */
  private static final Pattern TTL = Pattern.compile("[1-9][0-9]*");

  private static final int EVENTS_AT_ONCE = 50;

  private final Station station;
  private final Patience patience;
  private volatile @Nullable RedisConnection connection;

  JobKeys(Station station, Patience patience) {
    this.station = station;
    this.patience = patience;
  }

  /** Something to be done with Redis. */
  private interface Task<T> {
    T run(RedisConnection redis) throws IOException;
  }

  /**
   * Says that the job runs.
   *
   * @return false if there is nothing to do: it is over already, and its message may go
   */
  boolean begin(RedisJob job) throws IOException, InterruptedException {
    return untilItIsThere(redis -> {
      Object status = redis.call("HGET", hash(job), "status");
      if (job.id().isEmpty() || (status != null && OVER.contains(status))) {
        redis.call("XACK", job.queue(), RedisWorker.GROUP, job.messageId());
        return false;
      }
      redis.transaction(
          written(redis, job, Map.of("status", "running"), "running", "worker.start", Map.of()));
      return true;
    });
  }

  /**
   * Says how the job ended, and only then acknowledges its message. Nothing is said of a job that
   * is not this worker's any more.
   *
   * @param outcome {@code done}, {@code error} or {@code canceled}
   * @return whether it was said
   */
  boolean end(RedisJob job, String outcome, String result, String error)
      throws IOException, InterruptedException {
    Map<String, Object> data = error.isEmpty() ? Map.of() : Map.of("error", new Json.Text(error));
    return untilItIsThere(redis -> {
      if (!isOurs(redis, job)) {
        return false;
      }
      Map<String, String> fields = new LinkedHashMap<>();
      fields.put("status", outcome);
      fields.put("result", result);
      fields.put("error", error);
      List<String[]> steps = written(redis, job, fields, outcome, "worker." + outcome, data);
      steps.add(new String[] {"XACK", job.queue(), RedisWorker.GROUP, job.messageId()});
      redis.transaction(steps);
      return true;
    });
  }

  /** How far it is, for whoever follows it; if Redis is away just now, they do without. */
  void progress(RedisJob job, Map<String, Object> data) {
    try {
      once(redis -> {
        redis.transaction(written(redis, job, Map.of(), "progress", "worker.progress", data));
        return true;
      });
    } catch (IOException e) {
      log.debug("no progress is told", e);
    }
  }

  /** A sign of life; learns at the same time whether the work is still wanted. */
  void pulse(RedisJob job) throws IOException {
    once(redis -> {
      if (!isOurs(redis, job)) {
        job.work().stop(new Work.Stop.Lost());
      } else {
        lookAtEvents(redis, job);
        if (job.isCancelRequested()) {
          job.work().stop(new Work.Stop.Cancelled("cancel requested"));
        }
        redis.transaction(updated(redis, job, Map.of()));
      }
      return true;
    });
  }

  private boolean isOurs(RedisConnection redis, RedisJob job) throws IOException {
    String id = job.messageId();
    try {
      Object pending =
          redis.call("XPENDING", job.queue(), RedisWorker.GROUP, id, id, "1", station.consumer());
      return pending instanceof List<?> list && !list.isEmpty();
    } catch (RedisRefusedException e) {
      if (e.is("NOGROUP")) {
        return false;
      }
      throw e;
    }
  }

  /** All that have come since the last look. */
  private static void lookAtEvents(RedisConnection redis, RedisJob job) throws IOException {
    String count = Integer.toString(EVENTS_AT_ONCE);
    int seen;
    do {
      seen = 0;
      Object page = redis.call("XRANGE", events(job), "(" + job.lastEvent(), "+", "COUNT", count);
      if (page instanceof List<?> entries) {
        for (Object entry : entries) {
          List<?> idAndFields = (List<?>) entry;
          job.saw(String.valueOf(idAndFields.getFirst()), RedisJob.fields(idAndFields.get(1)));
        }
        seen = entries.size();
      }
    } while (seen == EVENTS_AT_ONCE);
  }

  /** The hash first, then the event; both live on for the job's TTL. */
  private List<String[]> written(
      RedisConnection redis,
      RedisJob job,
      Map<String, String> fields,
      String type,
      String step,
      Map<String, Object> data)
      throws IOException {
    Map<String, Object> more = new LinkedHashMap<>();
    more.put("worker_id", station.consumer());
    more.putAll(data);
    List<String[]> commands = updated(redis, job, fields);
    commands.add(
        1,
        new String[] {
          "XADD",
          events(job),
          "*",
          "type",
          type,
          "ts",
          now(),
          "step",
          step,
          "data",
          Json.write(more)
        });
    return commands;
  }

  private List<String[]> updated(RedisConnection redis, RedisJob job, Map<String, String> fields)
      throws IOException {
    List<String> hset = new ArrayList<>(List.of("HSET", hash(job), "updated_ts", now()));
    fields.forEach((name, value) -> hset.addAll(List.of(name, value)));
    List<String[]> commands = new ArrayList<>();
    commands.add(hset.toArray(String[]::new));
    Object ttl = redis.call("HGET", hash(job), "ttl_s");
    String seconds = ttl == null ? DEFAULT_TTL : ttl.toString();
    if (TTL.matcher(seconds).matches()) {
      commands.add(new String[] {"EXPIRE", hash(job), seconds});
      commands.add(new String[] {"EXPIRE", events(job), seconds});
    }
    return commands;
  }

  private static String hash(RedisJob job) {
    return "job:" + job.id();
  }

  private static String events(RedisJob job) {
    return "job:" + job.id() + ":events";
  }

  private static String now() {
    return Long.toString(System.currentTimeMillis());
  }

  /** Tries until Redis is there, or the worker has no more time. */
  private <T> T untilItIsThere(Task<T> task) throws IOException, InterruptedException {
    for (int failures = 0; ; failures++) {
      try {
        return once(task);
      } catch (IOException e) {
        if (patience.isStopping() || (e instanceof RedisRefusedException no && !no.isForLater())) {
          throw e;
        }
      }
      patience.backOff(failures);
    }
  }

  /** When the worker stops only over what is there: all would wait for a new one in turn. */
  private synchronized <T> T once(Task<T> task) throws IOException {
    if (connection == null && patience.isStopping()) {
      throw new IOException("the worker stops");
    }
    try {
      T answer = task.run(connected());
      patience.heard();
      return answer;
    } catch (RedisRefusedException e) {
      throw e;
    } catch (IOException e) {
      close();
      connection = null;
      patience.lost(station.url() + ": " + e.getMessage());
      throw e;
    } catch (RuntimeException | Error e) { // the rest of an answer may still be on its way
      close();
      connection = null;
      throw e;
    }
  }

  private RedisConnection connected() throws IOException {
    RedisConnection known = connection;
    if (known == null) {
      known = RedisConnection.open(station.url(), RedisConnection.TIMEOUT);
      connection = known;
    }
    return known;
  }

  /** Hangs up, also on an answer that somebody waits for. */
  @Override
  public void close() {
    RedisConnection known = connection;
    if (known != null) {
      known.close();
    }
  }
}
