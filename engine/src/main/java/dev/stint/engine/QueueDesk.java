package dev.stint.engine;

import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Carries out what one transaction has to do with queues as a whole. */
final class QueueDesk {
  private final Batch batch;
  private final Map<String, Store.Pause> paused;
  private final long now;

  /**
   * The desk of one transaction.
   *
   * @param paused the queues that are; kept up to date
   */
  QueueDesk(Batch batch, Map<String, Store.Pause> paused, long now) {
    this.batch = batch;
    this.paused = paused;
    this.now = now;
  }

  Outcome.QueueSet carryOut(Command.OfQueue command, @Nullable String requestId) {
    return switch (command) {
      case Command.PauseQueue pause -> pause(pause, requestId);
      case Command.ResumeQueue resume -> resume(resume.queue(), requestId);
    };
  }

  /** Another reason for the same pause is news as well; the time at which it began stays. */
  private Outcome.QueueSet pause(Command.PauseQueue wish, @Nullable String requestId) {
    Store.Pause known = paused.get(wish.queue());
    if (known != null && Objects.equals(known.reason(), wish.reason())) {
      return new Outcome.QueueSet(wish.queue(), known, false);
    }
    Store.Pause pause =
        new Store.Pause(wish.queue(), wish.reason(), known == null ? now : known.since());
    paused.put(wish.queue(), pause);
    batch.pause(
        pause, Event.ofQueue(now, EventType.QUEUE_PAUSED, wish.queue(), wish.reason()), requestId);
    return new Outcome.QueueSet(wish.queue(), pause, true);
  }

  private Outcome.QueueSet resume(String queue, @Nullable String requestId) {
    boolean wasPaused = paused.remove(queue) != null;
    if (wasPaused) {
      batch.resume(queue, Event.ofQueue(now, EventType.QUEUE_RESUMED, queue, null), requestId);
    }
    return new Outcome.QueueSet(queue, null, wasPaused);
  }
}
