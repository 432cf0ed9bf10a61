package dev.stint.engine;

import java.util.List;

/**
 * A second way out of the queues, on which workers get jobs without a claim. So that nobody runs
 * what another was given, it is asked for each job that was claimed, after the commit and before
 * the answer.
 */
public interface Transport {

  /**
   * Takes what was claimed out of the transport, each job once. Waits for a bounded time and does
   * not throw: if the transport is away, claims go on without it.
   *
   * @return an answer for each job, in their order
   */
  List<Taking> take(List<Job> jobs);

  /** How long a worker of the transport may be silent. */
  long nativeLeaseMs();

  /** What the transport says of one job. */
  sealed interface Taking {
    /** Nobody else gets it. The id is that of its message, or one that names none. */
    record Taken(String messageId) implements Taking {
      /** In the form of a message's id, so that a worker may acknowledge it; there is none. */
      public static Taken withoutMessage(Job job) {
        return new Taken("0-" + job.enqueues());
      }
    }

    /** This worker had got it before. */
    record Delivered(String messageId, String workerId) implements Taking {}
  }
}
