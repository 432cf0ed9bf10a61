package dev.stint.storage;

import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.Job;
import dev.stint.engine.JobContent;
import dev.stint.engine.JobState;
import dev.stint.engine.Store.JobView;
import dev.stint.engine.Store.Ready;
import dev.stint.engine.Store.TallyKey;
import dev.stint.engine.Worker;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What is read outside of transactions; the same statements serve both databases. */
final class SqlReads {
  /** What a {@link JobView} is read from. */
  static final String VIEW_COLUMNS =
      """
      %s, %s, %s\
      """
          .formatted(
              JobTable.ALL.of("job"),
              ContentTable.VALUES.of("job_content"),
              AttemptTable.ALL.of("attempt"));

  /** What belongs to a {@code job} in a view: its content, and its last attempt if there is one. */
  static final String VIEW_JOINS =
      """
      JOIN job_content ON job_content.job_id = job.id
      LEFT JOIN attempt ON attempt.job_id = job.id
        AND attempt.fence = (SELECT max(fence) FROM attempt WHERE attempt.job_id = job.id)
      """;

  static final String FIND =
      "SELECT %s FROM job %s WHERE job.id = ?".formatted(VIEW_COLUMNS, VIEW_JOINS);

  private static final String WORKER =
      "SELECT %s FROM worker WHERE worker_id = ?".formatted(WorkerTable.ALL.names());

  private static final String EVENTS =
      """
      SELECT %s FROM event WHERE job_id = ? AND seq > ? ORDER BY seq LIMIT ?
      """
          .formatted(EventTable.ALL.names());

  private static final String ATTEMPTS =
      """
      SELECT %s FROM attempt WHERE job_id = ? ORDER BY fence
      """
          .formatted(AttemptTable.ALL.names());

  private static final String TALLY =
      """
      SELECT queue, state, sum(n) FROM tally GROUP BY queue, state HAVING sum(n) <> 0
      """;

  /** Walks from class to class along the claim index, so that nothing else is looked at. */
  static final String CLAIMABLE_CLASSES =
      """
      WITH RECURSIVE present (queue, needs_id) AS (
        SELECT wanted.queue, (SELECT needs_id FROM job
                WHERE job.queue = wanted.queue AND claimable ORDER BY needs_id LIMIT 1)
        FROM (SELECT CAST(? AS text) AS queue) AS wanted
        UNION ALL
        SELECT present.queue, (SELECT job.needs_id FROM job
                WHERE job.queue = present.queue AND claimable AND job.needs_id > present.needs_id
                ORDER BY job.needs_id LIMIT 1)
        FROM present WHERE present.needs_id IS NOT NULL
      )
      SELECT needs_id FROM present WHERE needs_id IS NOT NULL
      """;

  static final String CLAIMABLE_COUNT =
      """
      SELECT count(*) FROM (
        SELECT 1 FROM job WHERE queue = ? AND needs_id = ? AND claimable LIMIT ?
      ) AS counted
      """;

  private final Dialect dialect;
  private final NeedsCatalog catalog;

  SqlReads(Dialect dialect, NeedsCatalog catalog) {
    this.dialect = dialect;
    this.catalog = catalog;
  }

  Optional<JobView> find(Session session, UUID jobId) throws SQLException {
    PreparedStatement select = session.prepare(FIND);
    dialect.bind(select, 1, jobId);
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      return row.next() ? Optional.of(view(row, session, catalog)) : Optional.empty();
    }
  }

  Map<UUID, Job> jobs(Session session, Collection<UUID> jobIds) throws SQLException {
    PreparedStatement select = session.prepare(dialect.jobs());
    dialect.bindIds(select, 1, jobIds);
    Map<UUID, Job> jobs = new HashMap<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        Job job = JobTable.read(row, id -> catalog.byId(id, session));
        jobs.put(job.id(), job);
      }
    }
    return jobs;
  }

  static JobView view(RowReader row, Session session, NeedsCatalog catalog) throws SQLException {
    Job job = JobTable.read(row, id -> catalog.byId(id, session));
    JobContent content = ContentTable.read(row);
    return new JobView(job, content, AttemptTable.readIfThere(row));
  }

  Optional<Worker> worker(Session session, String workerId) throws SQLException {
    PreparedStatement select = session.prepare(WORKER);
    select.setString(1, workerId);
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      return row.next() ? Optional.of(WorkerTable.read(row)) : Optional.empty();
    }
  }

  List<Event> events(Session session, UUID jobId, long afterSeq, int limit) throws SQLException {
    PreparedStatement select = session.prepare(EVENTS);
    dialect.bind(select, 1, jobId);
    select.setLong(2, afterSeq);
    select.setInt(3, limit);
    return EventTable.readPage(select, dialect);
  }

  Map<UUID, Long> lastEventSeqs(Session session, Collection<UUID> jobIds) throws SQLException {
    PreparedStatement select = session.prepare(dialect.lastEventSeqs());
    dialect.bindIds(select, 1, jobIds);
    Map<UUID, Long> newest = new HashMap<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        newest.put(row.uuid(), row.number());
      }
    }
    return newest;
  }

  List<Attempt> attempts(Session session, UUID jobId) throws SQLException {
    PreparedStatement select = session.prepare(ATTEMPTS);
    dialect.bind(select, 1, jobId);
    List<Attempt> attempts = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        attempts.add(AttemptTable.read(row));
      }
    }
    return attempts;
  }

  Map<TallyKey, Long> tally(Session session) throws SQLException {
    Map<TallyKey, Long> tally = new HashMap<>();
    try (ResultSet result = session.prepare(TALLY).executeQuery()) {
      while (result.next()) {
        tally.put(
            new TallyKey(result.getString(1), JobState.valueOf(result.getString(2))),
            result.getLong(3));
      }
    }
    return tally;
  }

  List<Ready> claimable(Session session, Collection<String> queues, int limit) throws SQLException {
    List<Ready> ready = new ArrayList<>();
    for (String queue : new LinkedHashSet<>(queues)) {
      for (long needsId : claimableClasses(session, queue)) {
        int count = claimableCount(session, queue, needsId, limit);
        if (count > 0) {
          ready.add(new Ready(queue, catalog.byId(needsId, session), count));
        }
      }
    }
    return ready;
  }

  /** The classes of which the queue has claimable jobs. */
  static List<Long> claimableClasses(Session session, String queue) throws SQLException {
    PreparedStatement select = session.prepare(CLAIMABLE_CLASSES);
    select.setString(1, queue);
    List<Long> classes = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      while (result.next()) {
        classes.add(result.getLong(1));
      }
    }
    return classes;
  }

  private static int claimableCount(Session session, String queue, long needsId, int limit)
      throws SQLException {
    PreparedStatement select = session.prepare(CLAIMABLE_COUNT);
    select.setString(1, queue);
    select.setLong(2, needsId);
    select.setInt(3, limit);
    try (ResultSet result = select.executeQuery()) {
      return result.next() ? result.getInt(1) : 0;
    }
  }
}
