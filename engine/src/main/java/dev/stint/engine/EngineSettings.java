package dev.stint.engine;

/**
 * The engine's own settings.
 *
 * @param retentionMs how long an ended job without a TTL of its own is kept
 * @param queueCapacity how many commands may wait to be committed
 * @param maxBatch how many of them one transaction takes
 */
public record EngineSettings(long retentionMs, int queueCapacity, int maxBatch) {
  public static final EngineSettings DEFAULT = new EngineSettings(7L * 24 * 3_600_000, 16_384, 512);
}
