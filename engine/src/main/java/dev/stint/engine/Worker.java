package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * A worker as it is known.
 *
 * @param slots how many jobs it says it runs at once
 * @param nonceHash of the secret that it registered with, or null if it has none
 * @param registeredAt 0 if it never registered and was only seen
 * @param seq of its newest sign of life since it registered, 0 before the first
 * @param metrics JSON, as it last measured them
 * @param online whether it counts as there
 * @param dueAt while it is online, when silence makes it count as gone; after that, when it is
 *     forgotten
 */
public record Worker(
    String id,
    Skills skills,
    int slots,
    @Nullable String nonceHash,
    long firstSeen,
    long lastSeen,
    long registeredAt,
    long seq,
    @Nullable String metrics,
    boolean online,
    long dueAt) {

  @Override
  public String toString() {
    return "Worker[" + id + (online ? ", online]" : ", offline]");
  }
}
