package dev.stint.storage;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.UUID;

/**
 * Some jobs, named by the first and the last of them: no other job has an id between these. Ids
 * grow with time, so most jobs that go together once came together.
 */
record Run(UUID first, UUID last) {
  /**
   * Parts jobs into runs.
   *
   * @param jobs not empty
   * @param present the ids that there are from the first of the jobs on, in order; where they end
   *     early the jobs behind are runs of their own
   */
  static List<Run> of(SortedSet<UUID> jobs, Iterable<UUID> present) {
    List<Run> runs = new ArrayList<>();
    List<UUID> left = new ArrayList<>(jobs.reversed());
    Run run = null;
    for (UUID id : present) {
      if (!left.isEmpty() && id.equals(left.getLast())) {
        run = new Run(run == null ? id : run.first, left.removeLast());
      } else if (run != null) {
        runs.add(run);
        run = null;
      }
    }
    if (run != null) {
      runs.add(run);
    }
    left.reversed().forEach(id -> runs.add(new Run(id, id)));
    return runs;
  }
}
