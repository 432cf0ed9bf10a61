package dev.stint.engine;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What came of a command. Refusals that are to be expected are outcomes, not exceptions. */
public sealed interface Outcome {

  sealed interface OfSubmit extends Outcome {}

  sealed interface OfClaim extends Outcome {}

  sealed interface OfReport extends Outcome {}

  sealed interface OfOutput extends Outcome {}

  sealed interface OfDelivery extends Outcome {}

  sealed interface OfCancel extends Outcome {}

  sealed interface OfAbort extends Outcome {}

  sealed interface OfRegister extends Outcome {}

  sealed interface OfBeat extends Outcome {}

  sealed interface OfDismiss extends Outcome {}

  sealed interface OfDrain extends Outcome {}

  sealed interface OfReplay extends Outcome {}

  record Submitted(Job job, JobContent content) implements OfSubmit {}

  /** The same submission came before, with the same key: this is its job. */
  record Replayed(UUID jobId) implements OfSubmit {}

  /** The key was used before, for something else. */
  record KeyConflict(UUID jobId) implements OfSubmit {}

  /** Too many jobs wait in the queue; there should be room again in so many seconds. */
  record QueueFull(String queue, long queued, int retryAfterSeconds) implements OfSubmit {}

  /**
   * The job is the worker's for now. {@code lease} is the one in {@code job}.
   *
   * @param messageId of the message by which the job was given out
   */
  record Claimed(Job job, Lease lease, JobContent content, String messageId) implements OfClaim {
    public Claimed(Job job, Lease lease, JobContent content) {
      this(job, lease, content, job.enqueueId());
    }

    Claimed by(String newMessageId) {
      return new Claimed(job, lease, content, newMessageId);
    }
  }

  /** No queue had a job for this worker. */
  record NothingClaimable() implements OfClaim {}

  /**
   * The worker that got the job's message holds it, by this lease.
   *
   * @param repeated it did so before
   */
  record Delivered(Lease lease, boolean repeated) implements OfDelivery {}

  /**
   * The job has moved on since that message was written.
   *
   * @param mayMakeWay to a claim that is still to learn of the message, and then makes way for it
   */
  record NotDeliverable(Job job, boolean mayMakeWay) implements OfDelivery {}

  /** The worker still holds the job; {@code job} tells until when, and whether it should stop. */
  record Held(Job job, Lease lease) implements OfReport {}

  /** The attempt is over. {@code next} is where that put the job, also when told again. */
  record Settled(UUID jobId, JobState next, boolean repeated) implements OfReport {}

  /** The report is not from the current attempt, so it changed nothing. */
  record Stale(Job job) implements OfReport, OfOutput {}

  record UnknownJob() implements OfReport, OfOutput, OfDelivery, OfCancel, OfAbort, OfReplay {}

  /** The output is kept up to {@code offset}, where it goes on. */
  record OutputTaken(Job job, Lease lease, long offset) implements OfOutput {}

  /** Something is missing before it: the output goes on at {@code expectedOffset}. */
  record OutputGap(long expectedOffset) implements OfOutput {}

  /** The job has given all the output that it may. */
  record OutputFull(long expectedOffset, long maxBytes) implements OfOutput {}

  /** The job was ended at once. */
  record Ended(Job job) implements OfCancel, OfAbort {}

  /** The worker will be asked to stop, and has until the job's {@link Cancel#graceUntil()}. */
  record CancelAsked(Job job) implements OfCancel {}

  /** It had ended before. */
  record AlreadyTerminal(Job job) implements OfCancel, OfAbort {}

  /** The worker that was named does not hold it. */
  record NotHeld() implements OfAbort {}

  /** These were ended; {@code more}: it held so many that some are left for another call. */
  record Aborted(List<UUID> jobIds, boolean more) implements Outcome {}

  record Registered(Worker worker) implements OfRegister {}

  /** The worker is known by a nonce, and this was not it. */
  record NonceMismatch() implements OfRegister {}

  /**
   * The sign of life was heard.
   *
   * @param applied false if a newer one had been heard before, so that this one changed nothing
   * @param held what the worker holds now
   */
  record Beaten(boolean applied, List<Job> held) implements OfBeat {}

  record UnknownWorker() implements OfBeat, OfDismiss, OfDrain {}

  record Enrolled(Worker worker) implements Outcome {}

  record Dismissed() implements OfDismiss {}

  /** Whether the worker gets jobs is as it was asked for. */
  record Drained(Worker worker, boolean isChanged) implements OfDrain {}

  /** It waits to be claimed again. */
  record Revived(Job job) implements OfReplay {}

  /** Only what has FAILED or was ABORTED can be tried again, and only before its deadline. */
  record NotRevivable(Job job) implements OfReplay {}

  /**
   * The queue is as it was asked for; {@code pause} is null if it gives out jobs.
   *
   * @param isChanged false if it was so before
   */
  record QueueSet(String queue, Store.@Nullable Pause pause, boolean isChanged)
      implements Outcome {}

  record Noted() implements Outcome {}

  /** What the worker still holds. */
  record Reconnected(List<Job> held) implements Outcome {}

  /**
   * Time has acted.
   *
   * @param moved how many jobs time acted upon
   * @param removed how many of these are gone
   * @param isAllUrgentDone whether nothing is due now but what can wait: the deadline of a job that
   *     nobody has, or its removal
   * @param nextDueAt when time will act next
   */
  record Swept(int moved, int removed, boolean isAllUrgentDone, long nextDueAt)
      implements Outcome {}
}
