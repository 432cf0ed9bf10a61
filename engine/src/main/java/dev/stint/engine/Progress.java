package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * How far a worker says it is.
 *
 * @param percent 0 to 100
 * @param word the worker's own word for what it does now: capital letters and underscores
 * @param told how many events have told of it
 */
public record Progress(
    @Nullable Integer percent, @Nullable String message, @Nullable String word, int told) {
  /** So many events that tell of progress a job keeps; with each further one its oldest goes. */
  public static final int MAX_TOLD = 1_000;

  public static final Pattern WORD = Pattern.compile("[A-Z_]{1,32}");
  public static final Progress NONE = new Progress(null, null, null);

  public Progress(@Nullable Integer percent, @Nullable String message, @Nullable String word) {
    this(percent, message, word, 0);
  }

  public Progress {
    if (percent != null && (percent < 0 || percent > 100)) {
      throw new IllegalArgumentException("percent " + percent);
    }
    if (word != null && !WORD.matcher(word).matches()) {
      throw new IllegalArgumentException("word " + word);
    }
  }

  /** This, with what {@code newer} says put over it. */
  Progress updatedBy(Progress newer) {
    return new Progress(
        newer.percent != null ? newer.percent : percent,
        newer.message != null ? newer.message : message,
        newer.word != null ? newer.word : word,
        told);
  }

  /** The same, of which one event more has told. */
  Progress toldAgain() {
    return new Progress(percent, message, word, told + 1);
  }

  /** What a new attempt begins with: none, but the events are still there. */
  Progress ofNextAttempt() {
    return new Progress(null, null, null, told);
  }

  /**
   * For the event that tells of it.
   *
   * @param at when it was so by the worker's own clock, or null
   * @param words the message, or null where that goes with the event itself
   */
  @Nullable String json(@Nullable String at, @Nullable String words) {
    List<String> fields = new ArrayList<>(4);
    if (percent != null) {
      fields.add("\"percent\":" + percent);
    }
    if (word != null) {
      fields.add("\"status\":\"" + word + "\"");
    }
    if (at != null) {
      fields.add("\"heartbeatAt\":\"" + at + "\"");
    }
    if (words != null) {
      StringBuilder text = new StringBuilder("\"message\":");
      JsonStrings.append(text, words);
      fields.add(text.toString());
    }
    return fields.isEmpty() ? null : "{" + String.join(",", fields) + "}";
  }
}
