package dev.stint.engine;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One thing that happened to one job. Written in the transaction that made it happen.
 *
 * @param seq its place in the order of all events, and within its job; 0 until it is stored
 * @param from the state before, or null if there was none
 * @param to the state after
 * @param fence of the attempt it is about, 0 if none
 * @param reason in a word or a sentence
 * @param data JSON that came with it
 * @param requestId of the request that caused it, null if time did
 */
public record Event(
    long seq,
    UUID jobId,
    long at,
    EventType type,
    @Nullable JobState from,
    JobState to,
    long fence,
    @Nullable String workerId,
    @Nullable String reason,
    @Nullable String data,
    @Nullable String requestId) {

  Event causedBy(String newRequestId) {
    return new Event(seq, jobId, at, type, from, to, fence, workerId, reason, data, newRequestId);
  }
}
