package dev.stint.engine;

import java.util.Locale;

/** What happened. Every change of a job is recorded as an event of one of these types. */
public enum EventType {
  SUBMITTED,
  /** A job with a start time in the future became claimable. */
  DUE,
  /** Claimed in two phases: the worker still has to acknowledge. */
  ASSIGNED,
  /** Claimed in one step: the worker runs it from now on. */
  CLAIMED,
  STARTED,
  ASSIGNMENT_EXPIRED,
  PROGRESS,
  /** A part of what the worker gives out before it is done. */
  OUTPUT,
  /** What a worker told its job's readers in words of its own. */
  EMITTED,
  COMPLETED,
  /** The worker reported a failure that is final. */
  FAILED,
  /** The worker reported a failure and the job will be tried again. */
  RETRY_SCHEDULED,
  /** The worker gave it back unfinished; that uses up no attempt. */
  RELEASED,
  /** The lease ran out. */
  LOST,
  /** A lost job was taken up again. */
  RECOVERED,
  /** The wait for the next attempt is over. */
  REQUEUED,
  /** No attempt is left. */
  EXHAUSTED,
  CANCEL_REQUESTED,
  CANCELLED,
  ABORTED,
  /** The worker did not stop within the grace period of a cancel. */
  CANCEL_TIMED_OUT,
  DEADLINE_EXCEEDED,
  /** Somebody had an ended job tried again. */
  REPLAYED,
  /** A report from an attempt that no longer counts, kept with what it said. */
  LATE_RESULT,
  /** A report by a worker that never held the job. */
  REPORT_REFUSED,
  WORKER_REGISTERED,
  /** A worker came back and said what it still runs. */
  WORKER_RECONNECTED,
  /** Somebody wanted to be this worker who is not, or this worker to be another. */
  WORKER_REFUSED,
  /** No token is valid for it any more. */
  WORKER_REVOKED,
  /** No sign of life for too long. */
  WORKER_OFFLINE,
  /** A sign of life of a worker that had been given up. */
  WORKER_ONLINE,
  /** It is to finish what it has, and gets nothing more. */
  WORKER_DRAINING,
  /** It gets jobs again. */
  WORKER_RESUMED,
  /** No job of the queue is given out. */
  QUEUE_PAUSED,
  QUEUE_RESUMED;

  private final String word = name().toLowerCase(Locale.ROOT);

  /** The word under which it is stored and shown, e.g. {@code late_result}. */
  public String word() {
    return word;
  }
}
