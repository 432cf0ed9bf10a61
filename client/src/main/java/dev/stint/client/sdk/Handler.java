package dev.stint.client.sdk;

import org.jspecify.annotations.Nullable;

/** Does the work of one job. It may be called for several jobs at once. */
@FunctionalInterface
public interface Handler {
  /**
   * Does the work.
   *
   * @return the result: a map, list, string, number, boolean or null, or a {@link
   *     dev.stint.client.Json.Text} that is JSON already; anything else becomes a string
   * @throws JobFailedException to say how it failed, and whether it is worth another try
   * @throws Exception for any other failure; the job is tried again while attempts remain
   */
  @Nullable Object handle(Job job) throws Exception;
}
