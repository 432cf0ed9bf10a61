package dev.stint.engine;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the rules say to a command about one job.
 *
 * @param after the job from now on; null if it is to be removed
 * @param settled the attempt that ended with it, if one did
 */
record Decision<O>(O outcome, @Nullable Job after, List<Event> events, @Nullable Attempt settled) {

  static <O> Decision<O> unchanged(O outcome, Job job) {
    return new Decision<>(outcome, job, List.of(), null);
  }
}
