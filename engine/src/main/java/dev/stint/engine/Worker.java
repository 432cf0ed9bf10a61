package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * A worker as it is known.
 *
 * @param slots how many jobs it says it runs at once
 * @param nonceHash of the secret that it registered with, or null if it has none
 * @param name for people, or null
 * @param tokenHash of the only token that is valid for it, or null if any is that was signed for it
 * @param revoked no token is valid for it until it is enrolled again
 * @param registeredAt 0 if it never registered and was only seen
 * @param seq of its newest sign of life since it registered, 0 before the first
 * @param metrics JSON, as it last measured them
 * @param online whether it counts as there
 * @param dueAt while it is online, when silence makes it count as gone; after that, when it is
 *     forgotten
 * @param draining it is to finish what it has, and gets nothing more
 */
public record Worker(
    String id,
    Skills skills,
    int slots,
    @Nullable String nonceHash,
    @Nullable String name,
    @Nullable String tokenHash,
    boolean revoked,
    long firstSeen,
    long lastSeen,
    long registeredAt,
    long seq,
    @Nullable String metrics,
    boolean online,
    long dueAt,
    boolean draining) {

  /** Whether {@link #slots} is its own word; of who was only seen one is assumed. */
  boolean saysSlots() {
    return registeredAt > 0;
  }

  /** Whether it counts as there at {@code now}. */
  public boolean isThere(long now) {
    return online && dueAt > now;
  }

  /** This worker, seen now. */
  Worker seen(long now, long silenceMs, long newSeq, @Nullable String newMetrics) {
    return new Worker(
        id,
        skills,
        slots,
        nonceHash,
        name,
        tokenHash,
        revoked,
        firstSeen,
        now,
        registeredAt,
        newSeq,
        newMetrics,
        true,
        Times.after(now, silenceMs),
        draining);
  }

  /** This worker, gone. */
  Worker gone(boolean isRevoked, long newDueAt) {
    return new Worker(
        id,
        skills,
        slots,
        nonceHash,
        name,
        tokenHash,
        isRevoked,
        firstSeen,
        lastSeen,
        registeredAt,
        seq,
        metrics,
        false,
        newDueAt,
        draining);
  }

  /** This worker, to get jobs or none. */
  Worker draining(boolean isDraining) {
    return new Worker(
        id,
        skills,
        slots,
        nonceHash,
        name,
        tokenHash,
        revoked,
        firstSeen,
        lastSeen,
        registeredAt,
        seq,
        metrics,
        online,
        dueAt,
        isDraining);
  }

  @Override
  public String toString() {
    return "Worker[" + id + (online ? ", online]" : ", offline]");
  }
}
