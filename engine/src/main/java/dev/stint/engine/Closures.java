package dev.stint.engine;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which queues give out no jobs and which workers get none, in memory, so that a claim need not ask
 * the store. Moved along with each commit, and read anew where other control planes work on the
 * same jobs.
 */
final class Closures {
  private volatile Store.Shut shut = new Store.Shut(Map.of(), Set.of());
  private long version;

  /** What opened and what closed. */
  record Change(Set<String> resumedQueues, Set<String> shutOutWorkers) {}

  boolean isPaused(String queue) {
    return shut.queues().containsKey(queue);
  }

  Store.@Nullable Pause pause(String queue) {
    return shut.queues().get(queue);
  }

  Map<String, Store.Pause> pauses() {
    return shut.queues();
  }

  /** Whether it gets no jobs, since it drains or its token was revoked. */
  boolean isShutOut(String workerId) {
    return shut.workers().contains(workerId);
  }

  /** Those of which the queue gives out jobs. */
  List<Store.Ready> open(List<Store.Ready> ready) {
    return shut.queues().isEmpty()
        ? ready
        : ready.stream().filter(kind -> !isPaused(kind.queue())).toList();
  }

  /** To be asked for before the store is, for {@link #replace}. */
  synchronized long version() {
    return version;
  }

  /** Takes over what was read, unless something was committed here meanwhile. */
  synchronized Change replace(Store.Shut read, long versionBefore) {
    if (version != versionBefore) {
      return new Change(Set.of(), Set.of());
    }
    Set<String> resumed = new HashSet<>(shut.queues().keySet());
    resumed.removeAll(read.queues().keySet());
    Set<String> shutOut = new HashSet<>(read.workers());
    shutOut.removeAll(shut.workers());
    shut = new Store.Shut(Map.copyOf(read.queues()), Set.copyOf(read.workers()));
    return new Change(resumed, shutOut);
  }

  /** Takes over what was committed; null if that is nothing. */
  @Nullable Change apply(Store.Changes changes) {
    if (changes.workers().isEmpty()
        && changes.forgotten().isEmpty()
        && changes.paused().isEmpty()
        && changes.resumed().isEmpty()) {
      return null;
    }
    Set<String> toShutOut = new HashSet<>();
    Set<String> toResume = new HashSet<>();
    for (Worker worker : changes.workers()) {
      boolean isShutOut = worker.draining() || worker.revoked();
      if (isShutOut != isShutOut(worker.id())) {
        (isShutOut ? toShutOut : toResume).add(worker.id());
      }
    }
    changes.forgotten().stream().filter(this::isShutOut).forEach(toResume::add);
    boolean isNews =
        !toShutOut.isEmpty()
            || !toResume.isEmpty()
            || !changes.paused().isEmpty()
            || !changes.resumed().isEmpty();
    return isNews ? change(changes, toShutOut, toResume) : null;
  }

  private synchronized Change change(
      Store.Changes changes, Set<String> toShutOut, Set<String> toResume) {
    Map<String, Store.Pause> queues = new HashMap<>(shut.queues());
    changes.paused().forEach(pause -> queues.put(pause.queue(), pause));
    changes.resumed().forEach(queues::remove);
    Set<String> workers = new HashSet<>(shut.workers());
    workers.addAll(toShutOut);
    workers.removeAll(toResume);
    shut = new Store.Shut(Map.copyOf(queues), Set.copyOf(workers));
    version++;
    return new Change(Set.copyOf(changes.resumed()), toShutOut);
  }
}
