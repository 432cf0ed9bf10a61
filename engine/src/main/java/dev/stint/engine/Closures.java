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
  record Change(Set<String> resumedQueues, Set<String> drainingWorkers) {}

  boolean isPaused(String queue) {
    return shut.queues().containsKey(queue);
  }

  Store.@Nullable Pause pause(String queue) {
    return shut.queues().get(queue);
  }

  Map<String, Store.Pause> pauses() {
    return shut.queues();
  }

  boolean isDraining(String workerId) {
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
    Set<String> draining = new HashSet<>(read.workers());
    draining.removeAll(shut.workers());
    shut = new Store.Shut(Map.copyOf(read.queues()), Set.copyOf(read.workers()));
    return new Change(resumed, draining);
  }

  /** Takes over what was committed; null if that is nothing. */
  @Nullable Change apply(Store.Changes changes) {
    if (changes.workers().isEmpty()
        && changes.forgotten().isEmpty()
        && changes.paused().isEmpty()
        && changes.resumed().isEmpty()) {
      return null;
    }
    Set<String> toDrain = new HashSet<>();
    Set<String> toResume = new HashSet<>();
    for (Worker worker : changes.workers()) {
      if (worker.draining() != isDraining(worker.id())) {
        (worker.draining() ? toDrain : toResume).add(worker.id());
      }
    }
    changes.forgotten().stream().filter(this::isDraining).forEach(toResume::add);
    boolean isNews =
        !toDrain.isEmpty()
            || !toResume.isEmpty()
            || !changes.paused().isEmpty()
            || !changes.resumed().isEmpty();
    return isNews ? change(changes, toDrain, toResume) : null;
  }

  private synchronized Change change(
      Store.Changes changes, Set<String> toDrain, Set<String> toResume) {
    Map<String, Store.Pause> queues = new HashMap<>(shut.queues());
    changes.paused().forEach(pause -> queues.put(pause.queue(), pause));
    changes.resumed().forEach(queues::remove);
    Set<String> workers = new HashSet<>(shut.workers());
    workers.addAll(toDrain);
    workers.removeAll(toResume);
    shut = new Store.Shut(Map.copyOf(queues), Set.copyOf(workers));
    version++;
    return new Change(Set.copyOf(changes.resumed()), toDrain);
  }
}
