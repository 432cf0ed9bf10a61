package dev.stint.storage;

import dev.stint.engine.Attempt;
import dev.stint.engine.ClaimReceipt;
import dev.stint.engine.IdempotencyKey;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.Needs;
import dev.stint.engine.OutputMark;
import dev.stint.engine.Skills;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Fading;
import dev.stint.engine.Store.KeptKey;
import dev.stint.engine.Store.Pause;
import dev.stint.engine.Store.Transaction;
import dev.stint.engine.Store.Work;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;

/** A transaction as far as both databases do it alike. */
abstract class SqlTransaction implements Transaction {
  static final String LATEST_FADING =
      """
      SELECT min(due_at), count(*) FROM (
        SELECT due_at FROM job
        WHERE due_at IS NOT NULL AND due_at > ? AND due_at < ? AND %s
        ORDER BY due_at DESC LIMIT ?
      ) AS latest
      """
          .formatted(JobTable.FADING);

  static final String HASTEN =
      """
      UPDATE job SET due_at = updated_at + ?
      WHERE due_at IS NOT NULL AND due_at >= ? AND due_at < ? AND %s
        AND NOT claimable AND ttl_ms = 0 AND due_at > updated_at + ?
      """
          .formatted(JobTable.FADING);

  private static final String PROPOSE =
      "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO NOTHING";
  private static final String AGREED = "SELECT value FROM setting WHERE name = ?";

  /** As the databases order ids: by their bytes. */
  static final Comparator<UUID> ID_ORDER =
      (a, b) -> {
        int most = Long.compareUnsigned(a.getMostSignificantBits(), b.getMostSignificantBits());
        return most != 0
            ? most
            : Long.compareUnsigned(a.getLeastSignificantBits(), b.getLeastSignificantBits());
      };

  private final Session session;
  private final Dialect dialect;

  /** What is known to be stored, so that a save knows what it changes. */
  private final Saving.Seen seen =
      new Saving.Seen(new HashMap<>(), new HashSet<>(), new HashSet<>());

  /** What claims have read, as it is stored: a further claim finds it again until it is changed. */
  private Map<UUID, Work> found = Map.of();

  SqlTransaction(Session session, Dialect dialect) {
    this.session = session;
    this.dialect = dialect;
  }

  /** The time or somewhat less, where the time must not be fixed yet. */
  abstract long leastNow();

  /** Locks are about to be waited for. */
  void willWait() {}

  /**
   * Whether a job that ended while its lock was waited for is not found, as it is in another table
   * now; by whoever looks again it is.
   */
  boolean canMissWhatEnds() {
    return false;
  }

  /** What {@link #lockClaimable} does in this database. */
  abstract List<Work> findClaimable(String queue, Skills skills, int limit) throws SQLException;

  /**
   * Writes what a {@link Saving} hands out.
   *
   * @param isLast whether the transaction may end with that
   */
  abstract void write(Changes changes, Saving.Seen seen, boolean isLast) throws SQLException;

  /** Whether all of it lasts already. */
  boolean isCommitted() {
    return false;
  }

  abstract Needs needs(long id) throws SQLException;

  final Session session() {
    return session;
  }

  final PreparedStatement prepare(String sql) throws SQLException {
    return session.prepare(sql);
  }

  /** Those of these jobs of which it is remembered what is stored; they are locked. */
  abstract Map<UUID, Job> remembered(Collection<UUID> jobIds) throws SQLException;

  @Override
  public final Map<UUID, Job> lock(Collection<UUID> jobIds) {
    return run(() -> {
      Map<UUID, Job> jobs = new TreeMap<>(ID_ORDER);
      jobs.putAll(remembered(jobIds));
      seen.jobs().putAll(jobs);
      List<UUID> unknown = jobIds.stream().filter(id -> !jobs.containsKey(id)).toList();
      if (!unknown.isEmpty()) {
        willWait();
        lockInto(jobs, unknown);
        List<UUID> missing = unknown.stream().filter(id -> !jobs.containsKey(id)).toList();
        if (!missing.isEmpty() && canMissWhatEnds()) {
          lockInto(jobs, missing);
        }
      }
      return jobs;
    });
  }

  void lockInto(Map<UUID, Job> jobs, List<UUID> ids) throws SQLException {
    lockInto(jobs, ids, dialect.lockJobs());
  }

  final void lockInto(Map<UUID, Job> jobs, List<UUID> ids, String statement) throws SQLException {
    PreparedStatement select = prepare(statement);
    dialect.bindIds(select, 1, ids);
    readJobs(select).forEach(job -> jobs.put(job.id(), job));
  }

  @Override
  public final Map<String, List<UUID>> heldBy(Collection<String> workerIds, int limit) {
    return run(() -> {
      PreparedStatement select = prepare(dialect.heldBy());
      dialect.bindTexts(select, 1, workerIds);
      select.setInt(2, limit);
      return JobTable.readHeld(select, dialect);
    });
  }

  @Override
  public final List<Job> lockDue(int limit) {
    long now = now();
    return run(() -> {
      List<Job> due = new ArrayList<>();
      try (ResultSet result = prepareDue(dialect.lockDue(), now, limit).executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          try {
            due.add(readJob(row));
          } catch (UnknownStateException e) {
            // One row that nobody can make sense of must not keep all leases from ending.
            e.tellOnce();
          }
        }
      }
      return due;
    });
  }

  @Override
  public final List<Fading> lockFading(int limit) {
    long now = now();
    return run(() -> {
      List<Fading> fading = new ArrayList<>();
      try (ResultSet result = prepareDue(dialect.lockFading(), now, limit).executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          fading.add(JobTable.readFading(row));
        }
      }
      return fading;
    });
  }

  private PreparedStatement prepareDue(String which, long now, int limit) throws SQLException {
    PreparedStatement select = prepare(which);
    select.setLong(1, now);
    select.setInt(2, limit);
    return select;
  }

  @Override
  public final Map<String, Worker> lockWorkers(Collection<String> workerIds) {
    willWait();
    return run(() -> {
      PreparedStatement select = prepare(dialect.lockWorkers());
      dialect.bindTexts(select, 1, workerIds);
      Map<String, Worker> workers = new HashMap<>();
      readWorkers(select).forEach(worker -> workers.put(worker.id(), worker));
      return workers;
    });
  }

  @Override
  public final List<Worker> lockDueWorkers(int limit) {
    long now = now();
    return run(() -> {
      PreparedStatement select = prepare(dialect.lockDueWorkers());
      select.setLong(1, now);
      select.setInt(2, limit);
      return readWorkers(select);
    });
  }

  @Override
  public final Map<String, Pause> paused() {
    return run(() -> OperatorReads.paused(session, dialect));
  }

  private List<Worker> readWorkers(PreparedStatement select) throws SQLException {
    List<Worker> workers = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        Worker worker = WorkerTable.read(row);
        seen.workers().add(worker.id());
        workers.add(worker);
      }
    }
    return workers;
  }

  @Override
  public final List<Work> lockClaimable(String queue, Skills skills, int limit) {
    if (limit <= 0) {
      return List.of();
    }
    return run(() -> {
      List<Work> found = findClaimable(queue, skills, limit);
      found.forEach(work -> seen.jobs().put(work.job().id(), work.job()));
      return found;
    });
  }

  @Override
  public final Map<UUID, JobContent> contents(Collection<UUID> jobIds) {
    if (jobIds.isEmpty()) {
      return Map.of();
    }
    return run(() -> {
      PreparedStatement select = prepare(dialect.contents());
      dialect.bindIds(select, 1, jobIds);
      Map<UUID, JobContent> contents = HashMap.newHashMap(jobIds.size());
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          contents.put(row.uuid(), ContentTable.read(row));
        }
      }
      return contents;
    });
  }

  @Override
  public final Map<UUID, List<Attempt>> attempts(Collection<UUID> jobIds) {
    if (jobIds.isEmpty()) {
      return Map.of();
    }
    return run(() -> {
      PreparedStatement select = prepare(dialect.attempts());
      dialect.bindIds(select, 1, jobIds);
      Map<UUID, List<Attempt>> attempts = new HashMap<>();
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          Attempt attempt = AttemptTable.read(row);
          attempts.computeIfAbsent(attempt.jobId(), id -> new ArrayList<>()).add(attempt);
        }
      }
      return attempts;
    });
  }

  @Override
  public final Map<UUID, OutputMark> outputMarks(Collection<UUID> jobIds) {
    if (jobIds.isEmpty()) {
      return Map.of();
    }
    return run(() -> {
      PreparedStatement select = prepare(dialect.outputMarks());
      dialect.bindIds(select, 1, jobIds);
      Map<UUID, OutputMark> marks = new HashMap<>();
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          OutputMark mark = new OutputMark(row.uuid(), row.number(), row.number(), row.number());
          marks.put(mark.jobId(), mark);
        }
      }
      return marks;
    });
  }

  @Override
  public final Map<ClaimReceipt.Key, ClaimReceipt> receipts(Collection<ClaimReceipt.Key> keys) {
    if (keys.isEmpty()) {
      return Map.of();
    }
    long now = leastNow();
    return run(() -> {
      PreparedStatement select = prepare(dialect.receipts());
      dialect.bindTexts(select, 1, keys.stream().map(ClaimReceipt.Key::workerId).toList());
      dialect.bindTexts(select, 2, keys.stream().map(ClaimReceipt.Key::claimId).toList());
      select.setLong(3, now);
      Map<ClaimReceipt.Key, ClaimReceipt> receipts = new HashMap<>();
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          var key = new ClaimReceipt.Key(row.text(), row.text());
          seen.receipts().add(key);
          receipts.put(key, new ClaimReceipt(key, row.uuid(), row.number(), row.number()));
        }
      }
      return receipts;
    });
  }

  @Override
  public final Map<String, KeptKey> keys(Collection<String> keys) {
    if (keys.isEmpty()) {
      return Map.of();
    }
    return run(() -> {
      PreparedStatement select = prepare(dialect.keys());
      dialect.bindTexts(select, 1, keys);
      Map<String, KeptKey> kept = new HashMap<>();
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          IdempotencyKey key = new IdempotencyKey(row.text(), row.text());
          kept.put(key.key(), new KeptKey(key, row.uuid()));
        }
      }
      return kept;
    });
  }

  @Override
  public final long nextDueAt() {
    String urgent = nextDueAt(dialect.live(), JobTable.URGENT);
    String fading = nextDueAt("job", JobTable.FADING);
    return Math.min(number(urgent, Times.NEVER), number(fading, Times.NEVER));
  }

  static String nextDueAt(String table, String which) {
    return """
    SELECT due_at FROM %s WHERE due_at IS NOT NULL AND %s AND state IN (%s)
    ORDER BY due_at LIMIT 1
    """
        .formatted(table, which, JobTable.STATES);
  }

  /** What {@link dev.stint.engine.Store#hastenRemovals} does, once. */
  final long hastenRemovals(long retentionMs, long before, int limit) {
    return run(() -> {
      PreparedStatement select = prepare(LATEST_FADING);
      long latest = Times.after(now(), retentionMs);
      select.setLong(1, latest);
      select.setLong(2, before);
      select.setInt(3, limit);
      long from;
      try (ResultSet result = select.executeQuery()) {
        if (!result.next() || result.getLong(2) == 0) {
          return 0L;
        }
        from = result.getLong(1);
      }
      PreparedStatement update = prepare(HASTEN);
      update.setLong(1, retentionMs);
      update.setLong(2, from);
      update.setLong(3, before);
      update.setLong(4, retentionMs);
      update.executeUpdate();
      return from;
    });
  }

  /** How many rows a statement without parameters changes. */
  final int update(String statement) {
    return run(() -> prepare(statement).executeUpdate());
  }

  /** The number that a query without parameters finds. */
  final long number(String query, long absent) {
    return run(() -> {
      try (ResultSet result = prepare(query).executeQuery()) {
        return result.next() ? result.getLong(1) : absent;
      }
    });
  }

  final String agree(String name, String proposal) {
    return run(() -> {
      PreparedStatement insert = prepare(PROPOSE);
      insert.setString(1, name);
      insert.setString(2, proposal);
      insert.executeUpdate();
      PreparedStatement select = prepare(AGREED);
      select.setString(1, name);
      try (ResultSet result = select.executeQuery()) {
        return result.next() ? result.getString(1) : proposal;
      }
    });
  }

  @Override
  public void willLook(String queue, Skills skills, int limit) {}

  @Override
  public final void save(Changes changes) {
    save(changes, false);
  }

  @Override
  public final void saveLast(Changes changes) {
    save(changes, true);
  }

  private void save(Changes changes, boolean isLast) {
    run(() -> {
      found = Map.of();
      write(changes, seen, isLast);
      changes.arrivals().forEach(arrival -> seen.jobs().put(arrival.job().id(), arrival.job()));
      changes.updates().forEach(job -> seen.jobs().put(job.id(), job));
      changes.receipts().forEach(receipt -> seen.receipts().add(receipt.key()));
      changes.workers().forEach(worker -> seen.workers().add(worker.id()));
      changes.removals().forEach(seen.jobs()::remove);
      return true;
    });
  }

  /** These jobs and what they are about, in this order; what is not remembered is read. */
  final List<Work> works(List<UUID> ids, Map<UUID, Work> remembered) throws SQLException {
    List<UUID> unknown =
        ids.stream().filter(id -> !remembered.containsKey(id) && !found.containsKey(id)).toList();
    if (!unknown.isEmpty()) {
      Map<UUID, Work> works = found.isEmpty() ? new HashMap<>() : found;
      found = works;
      PreparedStatement select = prepare(dialect.works());
      dialect.bindIds(select, 1, unknown);
      try (ResultSet result = select.executeQuery()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          Job job = JobTable.read(row, this::needs);
          works.put(job.id(), new Work(job, ContentTable.read(row)));
        }
      }
    }
    return ids.stream().map(id -> known(id, remembered)).toList();
  }

  private Work known(UUID id, Map<UUID, Work> remembered) {
    Work work = remembered.get(id);
    return work != null ? work : Objects.requireNonNull(found.get(id));
  }

  private List<Job> readJobs(PreparedStatement select) throws SQLException {
    List<Job> jobs = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        jobs.add(readJob(row));
      }
    }
    return jobs;
  }

  private Job readJob(RowReader row) throws SQLException {
    Job job = JobTable.read(row, this::needs);
    seen.jobs().put(job.id(), job);
    return job;
  }

  private <T> T run(SqlCall<T> call) {
    try {
      return call.get();
    } catch (SQLException e) {
      throw dialect.failure(e);
    }
  }

  @FunctionalInterface
  private interface SqlCall<T> {
    T get() throws SQLException;
  }
}
