package dev.stint.client.sdk;

import org.jspecify.annotations.Nullable;

/**
 * What came of a submission.
 *
 * @param jobId null if it was refused
 * @param status as a call for this job alone would have been answered: 201, 200 if it was there
 *     already, or what it was refused with
 * @param problem why it was refused, or null
 */
public record Submitted(@Nullable String jobId, int status, @Nullable String problem) {
  public boolean isAccepted() {
    return jobId != null;
  }
}
