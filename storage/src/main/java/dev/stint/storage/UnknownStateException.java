package dev.stint.storage;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A job is in no state that there is: somebody has changed its row by hand. */
final class UnknownStateException extends IllegalStateException {
  private static final Logger log = LoggerFactory.getLogger(UnknownStateException.class);
  private static final int MAX_TOLD = 1_000;
  private static final Set<UUID> TOLD = ConcurrentHashMap.newKeySet();

  private final UUID jobId;

  UnknownStateException(UUID jobId, String state, IllegalArgumentException cause) {
    super("job %s is in no state that there is: %s".formatted(jobId, state), cause);
    this.jobId = jobId;
  }

  /** For who passes it over, and comes by again and again. */
  void tellOnce() {
    if (TOLD.size() < MAX_TOLD && TOLD.add(jobId)) {
      log.error("{}; it is passed over until its row is put right", getMessage());
    }
  }
}
