package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/**
 * How far a worker says it is.
 *
 * @param percent 0 to 100
 * @param word the worker's own word for what it does now
 */
public record Progress(@Nullable Integer percent, @Nullable String message, @Nullable String word) {
  public static final Progress NONE = new Progress(null, null, null);

  /** This, with what {@code newer} says put over it. */
  Progress updatedBy(Progress newer) {
    return new Progress(
        newer.percent != null ? newer.percent : percent,
        newer.message != null ? newer.message : message,
        newer.word != null ? newer.word : word);
  }
}
