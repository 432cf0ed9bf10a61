package dev.stint.engine;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to one job, to a worker or to a queue. Written in the transaction that
 * made it happen.
 *
 * @param seq its place in the order of all events, and within its job; 0 until it is stored
 * @param jobId null if it is about a worker or a queue alone
 * @param from the state before, or null if there was none
 * @param to the state after, or null if it is about no job
 * @param fence of the attempt it is about, 0 if none
 * @param reason in a word or a sentence
 * @param data JSON that came with it
 * @param requestId of the request that caused it, null if time did
 */
public record Event(
    long seq,
    @Nullable UUID jobId,
    long at,
    EventType type,
    @Nullable JobState from,
    @Nullable JobState to,
    long fence,
    @Nullable String workerId,
    @Nullable String reason,
    @Nullable String data,
    @Nullable String requestId) {
  /** A page of events ends with the one that makes it so long, however few they are. */
  public static final int MAX_PAGE_CHARS = 4 * 1024 * 1024;

  /** Whether there may be more behind a page of events that has not reached its limit. */
  public static boolean mayBeFollowed(List<Event> page, int limit) {
    if (page.size() >= limit) {
      return true;
    }
    long chars = 0;
    for (Event event : page) {
      chars += event.length();
    }
    return chars >= MAX_PAGE_CHARS;
  }

  /** How many characters of any length it has. */
  public int length() {
    return (reason == null ? 0 : reason.length()) + (data == null ? 0 : data.length());
  }

  /** Something about a worker that is about no job. */
  static Event ofWorker(long at, EventType type, String workerId, @Nullable String reason) {
    return new Event(0, null, at, type, null, null, 0, workerId, reason, null, null);
  }

  /** Something about a queue as a whole; its name is in the data. */
  static Event ofQueue(long at, EventType type, String queue, @Nullable String reason) {
    StringBuilder data = new StringBuilder("{\"queue\":");
    JsonStrings.append(data, queue);
    return new Event(
        0, null, at, type, null, null, 0, null, reason, data.append('}').toString(), null);
  }

  /** Whether the job is over with it. */
  public boolean endsJob() {
    return to != null && to.isTerminal() && (from == null || !from.isTerminal());
  }

  /** Whether it took up a job again that was over. */
  boolean revives() {
    return from != null && from.isTerminal() && to != null && !to.isTerminal();
  }

  /** This event as it is stored. */
  Event numbered(long newSeq) {
    return new Event(newSeq, jobId, at, type, from, to, fence, workerId, reason, data, requestId);
  }

  Event causedBy(String newRequestId) {
    return new Event(seq, jobId, at, type, from, to, fence, workerId, reason, data, newRequestId);
  }
}
