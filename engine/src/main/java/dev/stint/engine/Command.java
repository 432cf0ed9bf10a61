package dev.stint.engine;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A wish to change something, as a contract puts it to the {@link Ledger}.
 *
 * @param <O> the outcomes it can have
 */
public sealed interface Command<O extends Outcome> {

  /** A command about one known job. */
  sealed interface OnJob<O extends Outcome> extends Command<O> {
    UUID jobId();
  }

  /** A command about one worker and what it holds. */
  sealed interface OfWorker<O extends Outcome> extends Command<O> {
    String workerId();
  }

  /** What a worker says about the attempt it holds. */
  sealed interface Report<O extends Outcome> extends OnJob<O> {
    Proof proof();

    /** The word for it in events. */
    String word();

    /** What it said, as JSON, to be kept if it comes too late. */
    default @Nullable String said() {
      return null;
    }
  }

  /**
   * Makes a job.
   *
   * @param key makes repeats of the same submission harmless, or null
   * @param maxQueued refuse when this many are waiting in the queue
   */
  record Submit(
      UUID jobId, Draft draft, JobContent content, @Nullable IdempotencyKey key, long maxQueued)
      implements Command<Outcome.OfSubmit> {

    /** What {@link JobSpec} says, before the store's clock has told when it is. */
    public record Draft(
        String queue,
        Needs needs,
        int priority,
        long notBefore,
        long deadlineAt,
        long ttlMs,
        RetryPolicy retry,
        LeasePolicy lease) {}
  }

  /**
   * Takes the first claimable job of the first queue that has one.
   *
   * @param twoPhase the worker will acknowledge by {@link Start} within {@code assignmentTtlMs}
   * @param claimId makes a repeat within {@link ClaimReceipt#LIFE_MS} give the same lease, or null
   * @param terms for jobs that do not bring their own
   */
  record Claim(
      String workerId,
      List<String> queues,
      Skills skills,
      boolean twoPhase,
      @Nullable String claimId,
      Terms terms)
      implements Command<Outcome.OfClaim> {

    /**
     * The claimer's own lease times.
     *
     * @param silenceMs the worker counts as gone this long after its last sign of life
     * @param areTold whether the worker learns with the job how often it should beat; who does not
     *     cannot keep to shorter times that a job brings
     */
    public record Terms(
        long leaseTtlMs,
        long heartbeatIntervalMs,
        long assignmentTtlMs,
        long silenceMs,
        boolean areTold) {
      public Terms(
          long leaseTtlMs, long heartbeatIntervalMs, long assignmentTtlMs, long silenceMs) {
        this(leaseTtlMs, heartbeatIntervalMs, assignmentTtlMs, silenceMs, true);
      }

      /** The same for workers that are not told. */
      public Terms untold() {
        return new Terms(leaseTtlMs, heartbeatIntervalMs, assignmentTtlMs, silenceMs, false);
      }

      /** A time that a job brings, or 0, against the claimer's. */
      long against(long ownMs, long termMs) {
        return ownMs == 0 ? termMs : areTold ? ownMs : Math.max(ownMs, termMs);
      }
    }

    public Claim {
      queues = List.copyOf(queues);
    }

    /** Whether it only takes jobs to where they are delivered: who does so is no worker. */
    boolean isForDelivery() {
      return skills.target() != null;
    }

    /** The same, to be told from others by another id. */
    public Claim withClaimId(String id) {
      return new Claim(workerId, queues, skills, twoPhase, id, terms);
    }
  }

  /**
   * The worker acknowledges an assignment and begins.
   *
   * @param note JSON, what it says with it, to be told by the event
   */
  record Start(UUID jobId, Proof proof, @Nullable String note) implements Report<Outcome.OfReport> {
    public Start(UUID jobId, Proof proof) {
      this(jobId, proof, null);
    }

    @Override
    public String word() {
      return "start";
    }
  }

  /**
   * The worker is alive, and may say how far it is.
   *
   * @param at when it was so by the worker's own clock, in ISO 8601, for information
   */
  record Heartbeat(UUID jobId, Proof proof, Progress progress, @Nullable String at)
      implements Report<Outcome.OfReport> {
    public Heartbeat(UUID jobId, Proof proof, Progress progress) {
      this(jobId, proof, progress, null);
    }

    @Override
    public String word() {
      return "heartbeat";
    }

    @Override
    public @Nullable String said() {
      return progress.json(at, progress.message());
    }
  }

  /**
   * The worker is done.
   *
   * @param result JSON
   * @param metrics JSON
   * @param note JSON, what else it says, to be told by the event
   */
  record Complete(
      UUID jobId,
      Proof proof,
      @Nullable String result,
      @Nullable String metrics,
      @Nullable String note)
      implements Report<Outcome.OfReport> {
    public Complete(UUID jobId, Proof proof, @Nullable String result, @Nullable String metrics) {
      this(jobId, proof, result, metrics, null);
    }

    @Override
    public String word() {
      return "complete";
    }

    @Override
    public @Nullable String said() {
      return result;
    }
  }

  /**
   * The worker could not do it.
   *
   * @param reason a short code or sentence
   * @param error JSON, all that the worker said of it
   * @param metrics JSON
   * @param note JSON, to be told by the event instead of the error
   */
  record Fail(
      UUID jobId,
      Proof proof,
      boolean retryable,
      String reason,
      @Nullable String error,
      @Nullable String metrics,
      @Nullable String note)
      implements Report<Outcome.OfReport> {
    public Fail(
        UUID jobId,
        Proof proof,
        boolean retryable,
        String reason,
        @Nullable String error,
        @Nullable String metrics) {
      this(jobId, proof, retryable, reason, error, metrics, error);
    }

    @Override
    public String word() {
      return "fail";
    }

    @Override
    public @Nullable String said() {
      return error;
    }
  }

  /**
   * The worker has a part of its output ready, before it is done.
   *
   * @param offset where it begins in this attempt's output, in bytes of UTF-8
   * @param maxBytes how much output a job may give in all
   */
  record Output(UUID jobId, Proof proof, long offset, String text, long maxBytes)
      implements Report<Outcome.OfOutput> {
    @Override
    public String word() {
      return "output";
    }
  }

  /**
   * The worker has stopped before the end, as it was asked to or by itself, and nobody is to go on.
   *
   * @param reason for a job that nobody asked to stop
   * @param said JSON, where it was and how far it came
   * @param metrics JSON
   */
  record Stop(
      UUID jobId, Proof proof, String reason, @Nullable String said, @Nullable String metrics)
      implements Report<Outcome.OfReport> {
    @Override
    public String word() {
      return "stop";
    }
  }

  /**
   * The worker gives the job back unfinished.
   *
   * @param delayMs how long it stays away from other workers
   * @param reason to be read on the job while it waits, or null
   * @param ifNotBegun only while its attempt was not acknowledged; nothing happens else
   */
  record Release(UUID jobId, Proof proof, long delayMs, @Nullable String reason, boolean ifNotBegun)
      implements Report<Outcome.OfReport> {
    public Release(UUID jobId, Proof proof) {
      this(jobId, proof, 0, null, false);
    }

    @Override
    public String word() {
      return "release";
    }
  }

  /** A worker tells its job's readers something in its own words; that changes nothing. */
  record Emit(UUID jobId, Proof proof, List<Saying> sayings) implements Report<Outcome.OfReport> {
    /** What a type may look like: it stands alone in a line of what readers get. */
    public static final Pattern TYPE = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");

    /**
     * One thing that a worker said.
     *
     * @param type its own word for it
     * @param step where in its work it is
     * @param data JSON
     */
    public record Saying(String type, String step, String data) {
      public Saying {
        if (!TYPE.matcher(type).matches()) {
          throw new IllegalArgumentException("type " + type);
        }
      }
    }

    public Emit {
      sayings = List.copyOf(sayings);
    }

    @Override
    public String word() {
      return "emit";
    }
  }

  /** It is known that the worker no longer has the job, so there is nothing to wait for. */
  record Abandon(UUID jobId, Proof proof, String reason) implements Report<Outcome.OfReport> {
    @Override
    public String word() {
      return "abandon";
    }
  }

  /**
   * A worker got the job without a claim, by its message in a stream that it reads by itself. Told
   * again it changes nothing.
   *
   * @param enqueueId of the stay in the queue that the message stands for
   * @param leaseTtlMs how long the worker may be silent
   * @param unansweredFence of a claim that nobody was told of, which makes way; 0 if there is none
   */
  record Deliver(
      UUID jobId,
      String enqueueId,
      String messageId,
      String workerId,
      long leaseTtlMs,
      long unansweredFence)
      implements OnJob<Outcome.OfDelivery> {
    /** For the events that it causes: says that they came by the stream. */
    public String requestId() {
      return BY_STREAM + messageId;
    }
  }

  /** What the request id of all begins with that is taken over from workers of a stream. */
  String BY_STREAM = "redis:";

  /** Asks a job to stop. {@code graceMs} is for jobs that do not bring their own. */
  record RequestCancel(UUID jobId, String reason, long graceMs)
      implements OnJob<Outcome.OfCancel> {}

  /** Ends a job at once; if {@code heldBy} is given, only while that worker holds it. */
  record Abort(UUID jobId, @Nullable String heldBy, String reason)
      implements OnJob<Outcome.OfAbort> {}

  /** Ends at once what a worker holds. */
  record AbortHeldBy(String workerId, String reason) implements OfWorker<Outcome.Aborted> {}

  /**
   * Makes a worker known, or known anew.
   *
   * @param nonceHash of the secret that the worker chose, or null; once there is one, only who
   *     knows it may register under this id
   * @param silenceMs the worker counts as gone this long after its last sign of life
   */
  record Register(
      String workerId, Skills skills, int slots, @Nullable String nonceHash, long silenceMs)
      implements OfWorker<Outcome.OfRegister> {}

  /**
   * A worker is alive, and so is all that it runs.
   *
   * @param seq grows with each beat of a registered worker; an older one than the newest is ignored
   * @param metrics JSON, as the worker measured them
   * @param mayBeNew whether a worker that nobody knows yet is known from now on, as by a claim
   */
  record Beat(
      String workerId,
      @Nullable Long seq,
      @Nullable String metrics,
      long silenceMs,
      boolean mayBeNew)
      implements OfWorker<Outcome.OfBeat> {}

  /** An admin gives a worker a token, which voids the one before it. */
  record Enrol(String workerId, String name, String tokenHash)
      implements OfWorker<Outcome.Enrolled> {}

  /** An admin revokes a worker's token; what it held goes on to others at once. */
  record Dismiss(String workerId) implements OfWorker<Outcome.OfDismiss> {}

  /** Something that was refused to a worker is to be found again among the events. */
  record NoteRefusal(String workerId, String reason) implements OfWorker<Outcome.Noted> {}

  /** A worker is back and runs these jobs; what else it held is taken from it. */
  record Reconnect(String workerId, Set<UUID> running, long silenceMs)
      implements OfWorker<Outcome.Reconnected> {
    public Reconnect {
      running = Set.copyOf(running);
    }
  }

  /** Lets a worker finish what it has and gives it nothing more, or gives it jobs again. */
  record Drain(String workerId, boolean isDraining) implements OfWorker<Outcome.OfDrain> {}

  /** Has an ended job tried again, with as many attempts as it had when it was new. */
  record Replay(UUID jobId, long delayMs) implements OnJob<Outcome.OfReplay> {}

  /** A command about a queue as a whole. */
  sealed interface OfQueue extends Command<Outcome.QueueSet> {
    String queue();
  }

  /** Gives out no job of a queue until it is resumed. */
  record PauseQueue(String queue, @Nullable String reason) implements OfQueue {}

  record ResumeQueue(String queue) implements OfQueue {}

  /** Lets time act on jobs whose moment has come. */
  record Sweep(int limit) implements Command<Outcome.Swept> {}

  /** A mirror may show these jobs wrongly, and has to look at them again. */
  record LookAgain(List<UUID> jobIds) implements Command<Outcome.Noted> {}

  /** A mirror has taken in these notes. */
  record Relayed(List<Store.Range> notes) implements Command<Outcome.Noted> {}
}
