package dev.stint.engine;

import java.util.UUID;

/** What a claim with a {@code claim_id} was given, so that a lost answer can be given again. */
public record ClaimReceipt(Key key, UUID jobId, long fence, long expiresAt) {
  public static final long LIFE_MS = 5 * 60_000;

  /** A worker's name for one claim. */
  public record Key(String workerId, String claimId) {}
}
