package dev.stint.redis;

import java.util.List;
import java.util.UUID;

/** The names of keys in Redis. Those that begin with {@code stint:} are Stint's own business. */
public final class Keys {
  /** The consumer group of every queue's stream. */
  public static final String GROUP = "workers";

  public static final String PENDING = "queue:pending";
  public static final String PROCESSING = "queue:processing";
  public static final String FAILED = "queue:failed";

  /** What was relayed last, by whom: if it is not that, Redis has lost something. */
  public static final String RELAYED = "stint:relayed";

  /** Which database is shown: another one's keys must not be touched. */
  public static final String STORE = "stint:store";

  /** From here on the second part of an event's id tells that it is ours. */
  public static final long OWN_EVENTS = 1_000_000_000_000L;

  /**
   * Ours are so far apart, by the store's numbers: what a worker adds in the same millisecond is
   * given the next id by Redis, and must not look like one of ours.
   */
  public static final long OWN_STEP = 1_000;

  /** The prefix of request ids of what was taken over from Redis and is never written back. */
  public static final String TAKEN_OVER = "redis:";

  static final String MESSAGES = "stint:messages:";
  static final String IDEMPOTENCY = "idempotency:";
  static final String JOB = "job:";
  static final String EVENTS = ":events";
  static final String TASK = "task:";
  static final String WORKER = "worker:";

  /** What the names of our keys begin with, but for the streams of queues. */
  private static final List<String> PREFIXES =
      List.of("stint:", JOB, TASK, WORKER, "queue:", IDEMPOTENCY);

  private Keys() {}

  /** Whether a queue of this name can have no stream, since the key may be one of ours. */
  static boolean isReserved(String queue) {
    return PREFIXES.stream().anyMatch(queue::startsWith);
  }

  /** Whether an entry of a job's events is ours, by the second part of its id. */
  static boolean isOwn(long sequence) {
    return sequence >= OWN_EVENTS && (sequence - OWN_EVENTS) % OWN_STEP == 0;
  }

  public static String job(UUID jobId) {
    return JOB + jobId;
  }

  public static String events(UUID jobId) {
    return JOB + jobId + EVENTS;
  }

  public static String task(UUID jobId) {
    return TASK + jobId;
  }

  public static String worker(String workerId) {
    return WORKER + workerId;
  }

  /** A hash: the message of each job that has one in the stream of this queue. */
  public static String messages(String queue) {
    return MESSAGES + queue;
  }
}
