package dev.stint.engine;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * When a full queue will have room again, for those who have to be sent away: by how fast jobs have
 * left it within the last minute, and by how many were sent away before and will come back too.
 */
final class Vacancies {
  static final int LEAST_SECONDS = 1;
  static final int MOST_SECONDS = 300;

  /** Nothing has left the queue lately, so nothing is known. */
  static final int UNKNOWN_SECONDS = 60;

  private static final int MAX_QUEUES = 1_000;

  private final Throughput departures = new Throughput();

  /** Until when the room that will be there is promised to others, by queue. */
  private final Map<String, Double> promisedUntil =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Double> eldest) {
          return size() > MAX_QUEUES;
        }
      };

  /** So many jobs have left their queues. */
  void add(Map<String, Integer> departed) {
    departures.add(departed);
  }

  /**
   * In how many seconds to come again.
   *
   * @param tooMany how many have to leave before there is room for one
   */
  int seconds(String queue, long tooMany) {
    return seconds(queue, tooMany, departures.perSecond(queue), System.nanoTime() / 1e9);
  }

  synchronized int seconds(String queue, long tooMany, double perSecond, double now) {
    if (perSecond <= 0) {
      return UNKNOWN_SECONDS;
    }
    double promised = Math.max(now, promisedUntil.getOrDefault(queue, now));
    double free = Math.max(promised + 1 / perSecond, now + tooMany / perSecond);
    double until = Math.clamp(free, now, now + MOST_SECONDS);
    promisedUntil.put(queue, until);
    return Math.clamp((long) Math.ceil(until - now), LEAST_SECONDS, MOST_SECONDS);
  }
}
