package dev.stint.engine;

/**
 * The engine's own settings.
 *
 * @param retentionMs how long an ended job without a TTL of its own is kept
 * @param queueCapacity how many commands may wait to be committed
 * @param maxBatch how many of them one transaction takes
 * @param maxFollowers how many may read the events of jobs at once
 * @param mirrored whether a mirror of the jobs is kept, which has to be told of every change
 */
public record EngineSettings(
    long retentionMs, int queueCapacity, int maxBatch, int maxFollowers, boolean mirrored) {
  public static final EngineSettings DEFAULT =
      new EngineSettings(7L * 24 * 3_600_000, 16_384, 512, 10_000, false);
}
