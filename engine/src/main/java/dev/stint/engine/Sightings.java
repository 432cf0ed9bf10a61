package dev.stint.engine;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which workers were written down when, so that a worker that claims a thousand times a minute is
 * not written down a thousand times. Forgetting one only means to write it down once more.
 */
final class Sightings {
  private static final long LONGEST_INTERVAL_MS = 10_000;
  private static final int MAX_WORKERS = 100_000;

  private final Map<String, Store.Sighting> last =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Store.Sighting> eldest) {
          return size() > MAX_WORKERS;
        }
      };

  /** Whether this sighting is to be written down. */
  synchronized boolean isNews(Store.Sighting sighting) {
    Store.Sighting before = last.get(sighting.workerId());
    return before == null
        || (sighting.skills() != null && !sighting.skills().equals(before.skills()))
        || before.at() + intervalMs(sighting) <= sighting.at();
  }

  /** These are written down, and committed. */
  synchronized void written(List<Store.Sighting> sightings) {
    for (Store.Sighting sighting : sightings) {
      Store.Sighting before = last.get(sighting.workerId());
      Skills skills = sighting.skills() == null && before != null ? before.skills() : null;
      last.put(
          sighting.workerId(),
          skills == null
              ? sighting
              : new Store.Sighting(
                  sighting.workerId(), skills, sighting.at(), sighting.silentAt()));
    }
  }

  /**
   * Often enough that nobody counts as gone for not having been written down, also if a store
   * leaves one sighting out while half of the silence is left.
   */
  private static long intervalMs(Store.Sighting sighting) {
    return Math.min(LONGEST_INTERVAL_MS, (sighting.silentAt() - sighting.at()) / 4);
  }
}
