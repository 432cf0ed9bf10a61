package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What there is to be seen of a small job, from its first event on. */
final class Sketch {
  private static final int MOST_EVENTS = 50;
  private static final int MOST_CHARS = 8_000;

  private final List<Event> events = new ArrayList<>();
  private Store.Mirrored job;
  private int chars;

  Sketch(Store.Arrival arrival) {
    String key = arrival.key() == null ? null : arrival.key().key();
    job = new Store.Mirrored(new Store.JobView(arrival.job(), arrival.content(), null), key);
    grow(arrival.content().payload());
    grow(arrival.content().metadata());
    grow(arrival.content().attributes());
  }

  /** Whether this is the job as it is stored, so that nobody else has changed it. */
  boolean isOf(@Nullable Job stored) {
    return job.view().job().equals(stored);
  }

  /**
   * The job is this from now on; false if it is not small any more, as with all that changes it.
   */
  boolean become(Job after) {
    return show(after, job.view().last());
  }

  boolean tried(Attempt attempt) {
    grow(attempt.result());
    grow(attempt.error());
    grow(attempt.metrics());
    return show(job.view().job(), attempt);
  }

  boolean add(Event event) {
    events.add(event);
    grow(event.data());
    return isSmall();
  }

  private boolean show(Job current, @Nullable Attempt last) {
    Store.JobView view = new Store.JobView(current, job.view().content(), last);
    job = new Store.Mirrored(view, job.key());
    return isSmall();
  }

  private void grow(@Nullable String text) {
    chars += text == null ? 0 : text.length();
  }

  private boolean isSmall() {
    return chars <= MOST_CHARS && events.size() <= MOST_EVENTS;
  }

  Outbox.Fresh fresh() {
    return new Outbox.Fresh(job, List.copyOf(events));
  }
}
