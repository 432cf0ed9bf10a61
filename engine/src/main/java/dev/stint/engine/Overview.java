package dev.stint.engine;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All of a fleet at a glance.
 *
 * @param oldest the job that has waited longest to be claimed, or null if none waits
 * @param series minute by minute, as this control plane saw it
 */
public record Overview(
    long now,
    Map<JobState, Long> states,
    List<Queue> queues,
    Store.WorkerCounts workers,
    Store.@Nullable Waiting oldest,
    List<Minute> series) {

  /** The same, looked at at another time. */
  public Overview at(long time) {
    return new Overview(time, states, queues, workers, oldest, series);
  }

  /**
   * A queue at a glance.
   *
   * @param oldest of its jobs that can be claimed, or null if there is none
   */
  public record Queue(
      String name,
      Store.@Nullable Pause pause,
      Map<JobState, Long> counts,
      Store.@Nullable Waiting oldest,
      long completedPerMinute) {

    public long count(JobState state) {
      return counts.getOrDefault(state, 0L);
    }
  }

  /** What happened within one minute, from {@code at} on. */
  public record Minute(long at, long submitted, long completed, long failed) {}
}
