package dev.stint.storage;

import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.Mishap;
import dev.stint.engine.Store;
import dev.stint.engine.StoreUnavailableException;
import dev.stint.engine.Worker;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** A store as far as both databases do it alike. */
abstract class SqlStore implements Store {
  private static final Logger log = LoggerFactory.getLogger(SqlStore.class);
  private static final long SEARCH_WITHIN_SECONDS = 10;
  private static final long DAY_MS = TimeUnit.DAYS.toMillis(1);
  private static final String LAST_EVENT_AT = "SELECT at FROM event ORDER BY seq DESC LIMIT 1";

  private final Dialect dialect;
  private final SessionPool writers;
  private final SqlReads reads;
  private final OperatorReads operatorReads;
  private final SqlLists lists;
  private final MirrorReads mirrorReads;
  private final ForwardClock time = new ForwardClock();
  private final Semaphore searches;

  /**
   * A store.
   *
   * @param readers how many may read at once; half of them may search, which leaves some to
   *     everybody else
   */
  SqlStore(Dialect dialect, SessionPool writers, int readers, NeedsCatalog catalog) {
    searches = new Semaphore(readers / 2, true);
    this.dialect = dialect;
    this.writers = writers;
    reads = new SqlReads(dialect, catalog);
    operatorReads = new OperatorReads(dialect, catalog);
    lists = new SqlLists(dialect, catalog);
    mirrorReads = new MirrorReads(dialect, catalog);
  }

  abstract SqlTransaction begin(Session session) throws SQLException;

  /** Makes known what the transaction added, now that it lasts. */
  abstract void committed(SqlTransaction transaction);

  /** A transaction was given up, or nobody knows what became of it. */
  abstract void rolledBack();

  /** What is remembered of jobs may not be what is stored. */
  abstract void forget();

  /** A writer has a new session, as it lost the one it had. */
  void reopened() {}

  /** Whether a session that nobody has used for a while still works. */
  abstract boolean isAlive(Session session);

  abstract <T> T read(SqlWork<T> work);

  /** Reads what may take a second, as many rows are looked at. */
  final <T> T search(SqlWork<T> work) {
    try {
      if (!searches.tryAcquire(SEARCH_WITHIN_SECONDS, TimeUnit.SECONDS)) {
        throw new StoreUnavailableException("too many search the store at once");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StoreUnavailableException("interrupted while reading the store", e);
    }
    try {
      return read(work);
    } finally {
      searches.release();
    }
  }

  /** What time it is, told from readings of the store's clock. */
  final ForwardClock time() {
    return time;
  }

  /**
   * Lets time go on from where it was, if the clock was set back before this process began: else
   * leases that it gives would be over at once for another control plane, whose time went on. What
   * is more than a day ahead was written with a clock that was wrong.
   */
  final void resumeTime() {
    long now = now();
    long last =
        read(session -> {
          try (ResultSet result = session.prepare(LAST_EVENT_AT).executeQuery()) {
            return result.next() ? result.getLong(1) : 0L;
          }
        });
    if (last > now && last - now <= DAY_MS) {
      time.at(last);
    }
  }

  final SessionPool writerSessions() {
    return writers;
  }

  @Override
  public final <T> T transact(Function<Transaction, T> work) {
    SessionPool.Slot slot = writers.take();
    boolean committed = false;
    try {
      Session session = sessionOf(slot);
      SqlTransaction transaction = begin(session);
      T result = apply(work, transaction);
      if (!transaction.isCommitted()) {
        commit(session.connection()::commit);
      }
      committed = true;
      makeKnown(transaction);
      return result;
    } catch (SQLException e) {
      throw suspected(dialect.failure(e));
    } catch (StoreUnavailableException e) {
      throw suspected(e);
    } finally {
      try {
        if (!committed) {
          rolledBack();
          rollBack(slot);
        }
      } finally {
        writers.give(slot, committed);
      }
    }
  }

  /** What ends a transaction. */
  @FunctionalInterface
  interface Commit {
    void run() throws SQLException;
  }

  /** What has been committed with its last statement must not be done again. */
  private static <T> T apply(Function<Transaction, T> work, SqlTransaction transaction) {
    try {
      return work.apply(transaction);
    } catch (RuntimeException | Error e) {
      if (transaction.isCommitted()) {
        throw new StoreUnavailableException("it was committed, but cannot be told", e);
      }
      throw e;
    }
  }

  /** What a driver cannot finish may be committed all the same, so it must not be done again. */
  static void commit(Commit commit) throws SQLException {
    try {
      commit.run();
    } catch (RuntimeException | Error e) {
      throw new StoreUnavailableException("nobody knows whether it was committed", e);
    }
  }

  /** It lasts: what goes wrong now must not have it done again, nor leave half of it remembered. */
  private void makeKnown(SqlTransaction transaction) {
    try {
      committed(transaction);
    } catch (RuntimeException | Error e) {
      forget();
      Mishap.logAt(Level.ERROR, log, "cannot remember what was committed; it will be read", e);
    }
  }

  /** What does not answer, or may not write any more, is looked at before it is used again. */
  private RuntimeException suspected(RuntimeException failure) {
    if (failure instanceof StoreUnavailableException) {
      writers.suspect();
    }
    return failure;
  }

  private Session sessionOf(SessionPool.Slot slot) throws SQLException {
    Session open = slot.openSession();
    if (open != null && (!writers.isDoubtful(slot) || isAlive(open))) {
      return open;
    }
    if (open != null) {
      writers.discard(slot);
    }
    Session session = writers.session(slot);
    reopened();
    return session;
  }

  /** Leaves a clean session behind, or none: a transaction must never begin inside another's. */
  private void rollBack(SessionPool.Slot slot) {
    try {
      Session session = slot.openSession();
      if (session != null) {
        session.connection().rollback();
      }
    } catch (SQLException | RuntimeException | Error e) {
      writers.discard(slot);
    }
  }

  @Override
  public final Optional<JobView> find(UUID jobId) {
    return read(session -> reads.find(session, jobId));
  }

  @Override
  public final Map<UUID, Job> jobs(Collection<UUID> jobIds) {
    return read(session -> reads.jobs(session, jobIds));
  }

  @Override
  public final List<Event> events(UUID jobId, long afterSeq, int limit) {
    return read(session -> reads.events(session, jobId, afterSeq, limit));
  }

  @Override
  public final Map<UUID, Long> lastEventSeqs(Collection<UUID> jobIds) {
    return read(session -> reads.lastEventSeqs(session, jobIds));
  }

  @Override
  public final Page<JobView, UUID> list(JobFilter filter, @Nullable UUID before, int limit) {
    return search(session -> lists.jobs(session, filter, before, limit));
  }

  @Override
  public final Page<Event, Long> history(EventFilter filter, long beforeSeq, int limit) {
    return search(session -> lists.events(session, filter, beforeSeq, limit));
  }

  @Override
  public final Optional<Worker> worker(String workerId) {
    return read(session -> reads.worker(session, workerId));
  }

  @Override
  public final List<WorkerView> workers(String afterId, int limit) {
    return search(session -> lists.workers(session, afterId, limit));
  }

  @Override
  public final WorkerCounts workerCounts(int limit) {
    return search(session -> operatorReads.workerCounts(session, limit));
  }

  @Override
  public final Shut shut() {
    return read(operatorReads::shut);
  }

  @Override
  public final Optional<Waiting> oldestClaimable(String queue, int looks) {
    return read(session -> operatorReads.oldestClaimable(session, queue, looks));
  }

  @Override
  public final int aheadOf(Job job, int limit) {
    return read(session -> operatorReads.aheadOf(session, job, limit));
  }

  @Override
  public final List<DeadGroup> deadGroups(@Nullable DeadPlace after, int limit) {
    return search(session -> DeadTable.groups(session, dialect, after, limit));
  }

  @Override
  public final List<UUID> deadJobs(String fingerprint, @Nullable UUID before, int limit) {
    return read(session -> DeadTable.jobs(session, dialect, fingerprint, before, limit));
  }

  @Override
  public final String agree(String name, String proposal) {
    return transact(transaction -> ((SqlTransaction) transaction).agree(name, proposal));
  }

  @Override
  public final long hastenRemovals(long retentionMs, long before, int limit) {
    return transact(
        transaction -> ((SqlTransaction) transaction).hastenRemovals(retentionMs, before, limit));
  }

  /** Nobody else can have the store. */
  @Override
  public void lead(String lead) {}

  @Override
  public boolean leads(String lead) {
    return true;
  }

  @Override
  public final List<Attempt> attempts(UUID jobId) {
    return read(session -> reads.attempts(session, jobId));
  }

  @Override
  public final Map<TallyKey, Long> tally() {
    return read(reads::tally);
  }

  @Override
  public final List<Ready> claimable(Collection<String> queues, int limit) {
    return read(session -> reads.claimable(session, queues, limit));
  }

  @Override
  public final List<UUID> claimableByAll(String queue, int limit) {
    return read(session -> mirrorReads.claimableByAll(session, queue, limit));
  }

  @Override
  public final List<Note> notes(long from, int limit) {
    return read(session -> OutboxTable.oldest(session, dialect, from, limit));
  }

  @Override
  public final List<Mirrored> mirrored(Collection<UUID> jobIds) {
    return read(session -> mirrorReads.jobs(session, jobIds));
  }

  @Override
  public final List<UUID> jobsAfter(@Nullable UUID after, int limit) {
    return read(session -> mirrorReads.jobsAfter(session, after, limit));
  }

  @Override
  public final List<Event> eventsAfter(Map<UUID, Long> after, int limit) {
    return read(session -> mirrorReads.events(session, after, limit));
  }
}
