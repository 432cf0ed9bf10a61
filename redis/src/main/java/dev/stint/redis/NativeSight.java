package dev.stint.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is written about a job in Redis.
 *
 * @param result JSON, or what the worker took for it, once the status says that the job is over
 * @param error likewise
 * @param said the new entries of its events, oldest first
 * @param hasMore whether there are more of them than could be read at once
 */
record NativeSight(
    String status, String updatedTs, Text result, Text error, List<Said> said, boolean hasMore) {
  static final NativeSight NOTHING =
      new NativeSight("", "", Text.NONE, Text.NONE, List.of(), false);

  private static final Set<String> ENDS = Set.of("done", "error", "canceled");

  /**
   * What a worker wrote in one place.
   *
   * @param text empty if it is too long to be taken
   */
  record Text(String text, long bytes) {
    static final Text NONE = new Text("", 0);

    boolean isTooLong() {
      return text.isEmpty() && bytes > 0;
    }
  }

  /** One entry of a job's events. */
  record Said(StreamId id, String type, String step, Text data) {
    /** Whether the control plane wrote it. */
    boolean isOwn() {
      return Keys.isOwn(id.seq());
    }

    boolean ends() {
      return ENDS.contains(type);
    }
  }

  boolean isOver() {
    return ENDS.contains(status);
  }

  /** Changes when somebody writes the hash. */
  String signature() {
    return status + " " + updatedTs;
  }

  /** What workers wrote, without what the control plane did. */
  List<Said> foreign() {
    List<Said> foreign = new ArrayList<>(said);
    foreign.removeIf(Said::isOwn);
    return foreign;
  }

  /** The place behind all that was read. */
  StreamId last(StreamId before) {
    return said.isEmpty() ? before : said.getLast().id();
  }

  static @Nullable Said end(List<Said> said) {
    return said.stream().filter(Said::ends).findFirst().orElse(null);
  }
}
