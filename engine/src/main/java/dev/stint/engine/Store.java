package dev.stint.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Where jobs are kept: the list of what the engine asks of a database. One implementation per
 * database; {@code StoreConformance} holds for all of them. Any method may throw {@link
 * StoreUnavailableException} while the database is away; the same call works again when it is back.
 */
public interface Store extends AutoCloseable {

  /**
   * Runs {@code work} in one transaction that is durable when this returns, and rolled back if
   * anything is thrown. Called by at most {@link #writers()} threads at once.
   *
   * @throws StoreConflictException if another transaction got in the way; to be tried again
   */
  <T> T transact(Function<Transaction, T> work);

  /** How many transactions may usefully run at once. */
  int writers();

  /** Whether other control planes may be working on the same jobs. */
  boolean isShared();

  /** The job with all that belongs to it, as last committed. */
  Optional<JobView> find(UUID jobId);

  /** These jobs as last committed; those that do not exist are left out. */
  Map<UUID, Job> jobs(Collection<UUID> jobIds);

  /**
   * The events of a job after {@code afterSeq}, oldest first. They may be fewer than {@code limit}
   * though more are there, where they are long: {@link Event#mayBeFollowed} tells.
   */
  List<Event> events(UUID jobId, long afterSeq, int limit);

  /** The number of the newest event of each of these jobs, as far as they have any. */
  Map<UUID, Long> lastEventSeqs(Collection<UUID> jobIds);

  /** Jobs by id, newest first, from before {@code before} on if it is given. */
  Page<JobView, UUID> list(JobFilter filter, @Nullable UUID before, int limit);

  /** Events of all jobs and workers, newest first, from before {@code beforeSeq} on. */
  Page<Event, Long> history(EventFilter filter, long beforeSeq, int limit);

  /** The worker, if it is known. */
  Optional<Worker> worker(String workerId);

  /** Workers after {@code afterId}, in the order of their ids. */
  List<WorkerView> workers(String afterId, int limit);

  /** How many workers there are; looks at no more than {@code limit}. */
  WorkerCounts workerCounts(int limit);

  /** Which queues and workers are shut. */
  Shut shut();

  /**
   * A job that waits in a queue to be claimed, the oldest of those looked at: the first of each
   * kind and priority, but of no more than {@code looks}.
   */
  Optional<Waiting> oldestClaimable(String queue, int looks);

  /** How many claimable jobs with equal needs are given out before this one; at most a limit. */
  int aheadOf(Job job, int limit);

  /** Groups of FAILED jobs, those that failed last first, from behind {@code after} on. */
  List<DeadGroup> deadGroups(@Nullable DeadPlace after, int limit);

  /** The FAILED jobs of a group, newest first, from before {@code before} on if it is given. */
  List<UUID> deadJobs(String fingerprint, @Nullable UUID before, int limit);

  /** The value under this name that all control planes on the store share: the first wins. */
  String agree(String name, String proposal);

  /**
   * Brings forward the removal of ended jobs that are due for it later than a retention from now,
   * since they ended under a longer one. Looks at about {@code limit} jobs, the latest of those
   * that are due before {@code before}.
   *
   * @return where to go on: before which all others are due; 0 if there are none
   * @throws StoreConflictException if another transaction got in the way; to be tried again
   */
  long hastenRemovals(long retentionMs, long before, int limit);

  /**
   * Begins a new lead in showing jobs to others; the one before it is over. Waits for the
   * transactions that counted on that one, see {@link Transaction#leads}. Where nobody else can
   * have the store there is one lead only, and it never ends.
   *
   * @param lead what it is known by; never used before
   * @throws StoreConflictException if one of those takes too long; to be tried again
   */
  void lead(String lead);

  /** Whether this lead is not over; if so, it was not when anything was read before. */
  boolean leads(String lead);

  /** The attempts of a job that are over, oldest first. */
  List<Attempt> attempts(UUID jobId);

  /** How many jobs there are by queue and state, kept with every commit and never counted. */
  Map<TallyKey, Long> tally();

  /** The queues and needs of claimable jobs, each counted up to {@code limit}. */
  List<Ready> claimable(Collection<String> queues, int limit);

  /** The claimable jobs of a queue that need nothing special, in the order of claims. */
  List<UUID> claimableByAll(String queue, int limit);

  /**
   * What a mirror of the jobs has not been told yet, oldest first.
   *
   * @param from the least number to look at; to begin far before the first one may take longer
   */
  List<Note> notes(long from, int limit);

  /** These jobs as a mirror shows them; those that do not exist are left out. */
  List<Mirrored> mirrored(Collection<UUID> jobIds);

  /** The jobs behind {@code after}, or the first ones, in the order of their ids. */
  List<UUID> jobsAfter(@Nullable UUID after, int limit);

  /**
   * The events of many jobs, by the order of the jobs' ids and then their own. They may be fewer
   * than {@code limit} though more are there, as with {@link #events}.
   *
   * @param after of each job, the number behind which to begin
   * @param limit of all together
   */
  List<Event> eventsAfter(Map<UUID, Long> after, int limit);

  /** The store's clock. Throws if the store does not answer. */
  long now();

  /** Tells the other control planes on this store what this one made claimable. */
  void announce(List<Ready> ready);

  /** Calls {@code listener} with what other control planes announce. */
  void onAnnouncement(Consumer<List<Ready>> listener);

  /** Tells those control planes of new events that lately said that they want to know. */
  void announceNews(List<Event> events);

  /** Tells the other control planes that this one wants to know of new events for a while. */
  void announceInterest();

  /** Calls {@code listener} with the jobs of which others say that they have new events. */
  void onNews(Consumer<Collection<UUID>> listener);

  @Override
  void close();

  /** As much of a job as one has to know to see whether it is to be removed, and to do that. */
  record Fading(UUID id, String queue, JobState state, long ttlMs, long updatedAt) {}

  /**
   * One transaction. Rows that are loaded are locked until it ends. To keep two control planes from
   * waiting for each other, {@link #lock} comes before anything else that locks.
   */
  interface Transaction {
    /** The store's time of this transaction: never earlier than that of the one before it. */
    long now();

    /**
     * Says that {@link #lockClaimable} will most likely be asked for this first. What has to be
     * asked before that, locks and the time, can then be asked together with it.
     */
    void willLook(String queue, Skills skills, int limit);

    /** Loads jobs by id, in id order; those that do not exist are left out. */
    Map<UUID, Job> lock(Collection<UUID> jobIds);

    /**
     * The jobs that workers hold, without locking them: whoever wants them locks them together with
     * all others, in one order, and then sees which are still held.
     *
     * @param limit for each worker
     */
    Map<String, List<UUID>> heldBy(Collection<String> workerIds, int limit);

    /** The workers with these ids, as far as they are known. */
    Map<String, Worker> lockWorkers(Collection<String> workerIds);

    /** Workers with {@code dueAt <= now}; skips those that others have locked. */
    List<Worker> lockDueWorkers(int limit);

    /** The queues that are paused. */
    Map<String, Pause> paused();

    /**
     * Jobs with {@code dueAt <= now} that are held or wait for their time, earliest first; skips
     * those that others have locked.
     */
    List<Job> lockDue(int limit);

    /** The same of those that wait to be claimed or are over: they have time, and may be many. */
    List<Fading> lockFading(int limit);

    /**
     * The first claimable jobs of a queue that {@code skills} satisfy: by priority, then age, then
     * id; skips those that others have locked.
     */
    List<Work> lockClaimable(String queue, Skills skills, int limit);

    /** The contents of jobs. */
    Map<UUID, JobContent> contents(Collection<UUID> jobIds);

    /** The attempts of these jobs that are over. */
    Map<UUID, List<Attempt>> attempts(Collection<UUID> jobIds);

    /** How far the output of these jobs has come, as far as they have any. */
    Map<UUID, OutputMark> outputMarks(Collection<UUID> jobIds);

    /** What was given for these claims, as far as it has not expired. */
    Map<ClaimReceipt.Key, ClaimReceipt> receipts(Collection<ClaimReceipt.Key> keys);

    /** The submissions known by these keys. */
    Map<String, KeptKey> keys(Collection<String> keys);

    /** The earliest {@code dueAt} of all jobs, or {@link Times#NEVER}. */
    long nextDueAt();

    /** Whether this lead is not over; if so, it lasts at least until this transaction ends. */
    boolean leads(String lead);

    /** Writes everything. Called at most twice per transaction. */
    void save(Changes changes);

    /**
     * The same, and nothing more is asked but what the events got for numbers: the transaction can
     * then be committed together with it. What fails after that must not be done again, so it is a
     * {@link StoreUnavailableException}, as if nobody knew whether it is committed.
     */
    void saveLast(Changes changes);

    /**
     * The numbers of the events of the last save, in their order. Only to be asked if {@link
     * #leads} said yes before that.
     */
    List<Long> eventSeqs();

    /**
     * The number of the last event that was saved, if a save numbers its events without gaps and in
     * the order of commits; 0 if only reading them can tell.
     */
    long lastEventSeq();
  }

  /** A claimable job and what it is about. */
  record Work(Job job, JobContent content) {}

  /** A job as readers see it; {@code last} is its newest attempt that is over. */
  record JobView(Job job, JobContent content, @Nullable Attempt last) {
    /** The newest attempt if it failed and nothing else, such as a cancel, has ended the job. */
    public @Nullable Attempt failure() {
      return last != null
              && last.end() == Attempt.End.FAILED
              && (!job.state().isTerminal() || last.next() == job.state())
          ? last
          : null;
    }
  }

  /** A job as a mirror shows it, with the idempotency key that it was submitted under. */
  record Mirrored(JobView view, @Nullable String key) {}

  /**
   * Something that a mirror has to look at again; exactly one of a job, a worker and a queue.
   *
   * @param seq 0 until it is stored
   * @param queue of a job only if the job is gone for good
   */
  record Note(
      long seq, long at, @Nullable UUID jobId, @Nullable String workerId, @Nullable String queue) {}

  /** A submission that was made under an idempotency key. */
  record KeptKey(IdempotencyKey key, UUID jobId) {}

  record TallyKey(String queue, JobState state) {}

  /** So many jobs of one kind became claimable. */
  record Ready(String queue, Needs needs, int count) {}

  /**
   * A worker was seen: one that is not known yet, if it came with its skills.
   *
   * @param silentAt when it counts as gone unless it is seen again
   */
  record Sighting(String workerId, @Nullable Skills skills, long at, long silentAt) {}

  /** A worker, and the jobs it holds. */
  record WorkerView(Worker worker, List<UUID> holds) {}

  /**
   * Which jobs to show; null does not filter.
   *
   * @param states any of these, or all if there are none
   * @param workerId who holds it, or had it last
   * @param since made at this time or later
   * @param until made at this time or earlier
   * @param text stands in its metadata, in small or capital letters
   */
  record JobFilter(
      Set<JobState> states,
      @Nullable String queue,
      @Nullable String task,
      @Nullable String workerId,
      long since,
      long until,
      @Nullable String text) {
    public static final JobFilter ALL =
        new JobFilter(Set.of(), null, null, null, 0, Times.NEVER, null);

    public JobFilter {
      states = Set.copyOf(states);
    }

    public static JobFilter of(@Nullable JobState state, @Nullable String workerId) {
      Set<JobState> states = state == null ? Set.of() : Set.of(state);
      return new JobFilter(states, null, null, workerId, 0, Times.NEVER, null);
    }

    /** The same for these states. */
    public JobFilter in(Set<JobState> newStates) {
      return new JobFilter(newStates, queue, task, workerId, since, until, text);
    }
  }

  /** A queue that gives out no jobs for now. */
  record Pause(String queue, @Nullable String reason, long since) {}

  /** The queues that give out no jobs, and the workers that get none. */
  record Shut(Map<String, Pause> queues, Set<String> workers) {}

  record WorkerCounts(long online, long offline, long draining) {}

  /** A job that waits, and since when. */
  record Waiting(UUID jobId, String queue, long since) {}

  /** FAILED jobs with one fingerprint; {@code sample} is the one that failed last. */
  record DeadGroup(
      String fingerprint, String code, String shape, long count, long first, DeadSample sample) {}

  /** One failure of a group. */
  record DeadSample(UUID jobId, String queue, @Nullable String message, long at) {}

  /** Where a list of groups goes on. */
  record DeadPlace(long last, String fingerprint) {}

  /** A job has FAILED, and to which group that puts it. */
  record DeadLetter(Fingerprint fingerprint, DeadSample sample) {}

  /**
   * Which events to show; null does not filter.
   *
   * @param byTime whether time caused it, and not a request
   */
  record EventFilter(
      @Nullable UUID jobId,
      @Nullable String workerId,
      @Nullable EventType type,
      @Nullable Boolean byTime) {}

  /**
   * A part of a list.
   *
   * @param next where the next part begins, or null if this was the last; a part may be short or
   *     empty and yet not be the last, as each looks only at so many rows
   * @param isLong whether it has as much text as one answer may have, however few its items are
   */
  record Page<T, C>(List<T> items, @Nullable C next, boolean isLong) {}

  /** A new job. */
  record Arrival(Job job, JobContent content, @Nullable IdempotencyKey key) {}

  /**
   * What one transaction writes. A job stands in at most one of {@code arrivals}, {@code updates}
   * and {@code removals}. Removals come first: removing a job removes all that belongs to it, and
   * frees its idempotency key for an arrival.
   *
   * @param workers as they are from now on; it is a conflict if one is known that was not locked
   * @param forgotten workers that go for good
   * @param paused queues that are paused from now on, or for another reason
   * @param resumed queues that no longer are
   * @param dead jobs that have FAILED
   * @param risen jobs that were FAILED and no longer are, or have FAILED anew; before {@code dead}
   * @param outputs how far the output of jobs has come, each job once
   * @param faded how many of its oldest events that tell of progress a job lets go
   * @param eventsBefore with every event of a worker that is written, a few go that are older
   * @param tally by how much the number of jobs changed
   * @param notes for a mirror, if there is one
   * @param relayed the numbers of notes that it has taken in, each pair from one to another
   */
  record Changes(
      List<Arrival> arrivals,
      List<Job> updates,
      List<UUID> removals,
      List<Attempt> attempts,
      List<Event> events,
      List<ClaimReceipt> receipts,
      List<Sighting> sightings,
      List<Worker> workers,
      List<String> forgotten,
      List<Pause> paused,
      List<String> resumed,
      List<DeadLetter> dead,
      List<UUID> risen,
      List<OutputMark> outputs,
      Map<UUID, Integer> faded,
      long eventsBefore,
      Map<TallyKey, Long> tally,
      List<Note> notes,
      List<Range> relayed) {}

  /** All numbers from {@code first} to {@code last}. */
  record Range(long first, long last) {}
}
