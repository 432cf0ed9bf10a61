package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.Store.Pause;
import dev.stint.engine.Store.Shut;
import dev.stint.engine.Store.Waiting;
import dev.stint.engine.Store.WorkerCounts;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What those read who run a fleet; the same statements serve both databases. */
final class OperatorReads {
  private static final String WORKER_COUNTS =
      """
      SELECT online, draining, count(*) FROM (SELECT online, draining FROM worker LIMIT ?) AS looked
      GROUP BY online, draining
      """;

  static final String PAUSED = "SELECT queue, reason, since FROM paused_queue";

  private static final String SHUT_OUT = "SELECT worker_id FROM worker WHERE draining OR revoked";

  /** Binds: queue, class, a priority. The first that is claimed of those with less priority. */
  static final String FIRST_BELOW =
      """
      SELECT id, priority, created_at, ready_at FROM job
      WHERE queue = ? AND needs_id = ? AND claimable AND priority <= ?
      ORDER BY priority DESC, created_at, id LIMIT 1
      """;

  /** Binds: queue, class, limit. In the order of claims. */
  static final String FIRST_IN_LINE =
      """
      SELECT id FROM job WHERE queue = ? AND needs_id = ? AND claimable
      ORDER BY priority DESC, created_at, id LIMIT ?
      """;

  private final Dialect dialect;
  private final NeedsCatalog catalog;

  OperatorReads(Dialect dialect, NeedsCatalog catalog) {
    this.dialect = dialect;
    this.catalog = catalog;
  }

  WorkerCounts workerCounts(Session session, int limit) throws SQLException {
    PreparedStatement select = session.prepare(WORKER_COUNTS);
    select.setInt(1, limit);
    long online = 0;
    long offline = 0;
    long draining = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        boolean isOnline = row.flag();
        boolean isDraining = row.flag();
        long n = row.number();
        online += isOnline ? n : 0;
        offline += isOnline ? 0 : n;
        draining += isDraining ? n : 0;
      }
    }
    return new WorkerCounts(online, offline, draining);
  }

  Shut shut(Session session) throws SQLException {
    Set<String> workers = new HashSet<>();
    try (ResultSet result = session.prepare(SHUT_OUT).executeQuery()) {
      while (result.next()) {
        workers.add(result.getString(1));
      }
    }
    return new Shut(paused(session, dialect), workers);
  }

  static Map<String, Pause> paused(Session session, Dialect dialect) throws SQLException {
    Map<String, Pause> paused = new HashMap<>();
    try (ResultSet result = session.prepare(PAUSED).executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        Pause pause = new Pause(row.text(), row.textOrNull(), row.number());
        paused.put(pause.queue(), pause);
      }
    }
    return paused;
  }

  Optional<Waiting> oldestClaimable(Session session, String queue, int looks) throws SQLException {
    Waiting oldest = null;
    int left = looks;
    for (long needsId : SqlReads.claimableClasses(session, queue)) {
      long priority = Integer.MAX_VALUE;
      while (left > 0 && priority >= Integer.MIN_VALUE) {
        left--;
        PreparedStatement select = session.prepare(FIRST_BELOW);
        select.setString(1, queue);
        select.setLong(2, needsId);
        select.setInt(3, (int) priority);
        try (ResultSet result = select.executeQuery()) {
          RowReader row = new RowReader(result, dialect);
          if (!row.next()) {
            break;
          }
          UUID id = row.uuid();
          priority = row.number() - 1;
          long since = Math.max(row.number(), row.number());
          if (oldest == null || since < oldest.since()) {
            oldest = new Waiting(id, queue, since);
          }
        }
      }
    }
    return Optional.ofNullable(oldest);
  }

  int aheadOf(Session session, Job job, int limit) throws SQLException {
    Long needsId = catalog.known().idOf(job.spec().needs());
    if (needsId == null) {
      return 0;
    }
    PreparedStatement select = session.prepare(FIRST_IN_LINE);
    select.setString(1, job.spec().queue());
    select.setLong(2, needsId);
    select.setInt(3, limit);
    int ahead = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next() && !row.uuid().equals(job.id())) {
        ahead++;
      }
    }
    return ahead;
  }
}
