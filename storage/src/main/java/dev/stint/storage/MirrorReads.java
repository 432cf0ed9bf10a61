package dev.stint.storage;

import dev.stint.engine.Event;
import dev.stint.engine.Store.Mirrored;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a mirror of the jobs reads: many jobs and many events by one statement each. */
final class MirrorReads {
  /** Reads: a view, and the idempotency key if there is one. */
  static final String COLUMNS = SqlReads.VIEW_COLUMNS + ", idempotency_key.key";

  static final String JOINS =
      SqlReads.VIEW_JOINS + "LEFT JOIN idempotency_key ON idempotency_key.job_id = job.id\n";

  static final String AFTER = "SELECT id FROM job WHERE id > ? ORDER BY id LIMIT ?";

  static final String CLAIMABLE_BY_ALL =
      """
      SELECT job.id FROM job JOIN needs ON needs.id = job.needs_id
      WHERE job.queue = ? AND job.claimable
        AND needs.target = '' AND needs.tenant = '' AND needs.workspace = ''
        AND needs.requirements = ?
      ORDER BY job.priority DESC, job.created_at, job.id LIMIT ?
      """;

  private static final UUID BEFORE_ALL = new UUID(0, 0);

  private final Dialect dialect;
  private final NeedsCatalog catalog;

  MirrorReads(Dialect dialect, NeedsCatalog catalog) {
    this.dialect = dialect;
    this.catalog = catalog;
  }

  List<Mirrored> jobs(Session session, Collection<UUID> jobIds) throws SQLException {
    PreparedStatement select = session.prepare(dialect.mirrored());
    dialect.bindIds(select, 1, jobIds);
    List<Mirrored> jobs = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        jobs.add(new Mirrored(SqlReads.view(row, session, catalog), row.textOrNull()));
      }
    }
    return jobs;
  }

  List<UUID> jobsAfter(Session session, @Nullable UUID after, int limit) throws SQLException {
    PreparedStatement select = session.prepare(AFTER);
    dialect.bind(select, 1, after == null ? BEFORE_ALL : after);
    select.setInt(2, limit);
    return ids(select);
  }

  List<UUID> claimableByAll(Session session, String queue, int limit) throws SQLException {
    PreparedStatement select = session.prepare(CLAIMABLE_BY_ALL);
    select.setString(1, queue);
    dialect.bindTexts(select, 2, List.of());
    select.setInt(3, limit);
    return ids(select);
  }

  private List<UUID> ids(PreparedStatement select) throws SQLException {
    List<UUID> ids = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        ids.add(row.uuid());
      }
    }
    return ids;
  }

  List<Event> events(Session session, Map<UUID, Long> after, int limit) throws SQLException {
    PreparedStatement select = session.prepare(dialect.eventsAfter());
    select.setInt(dialect.bindSeqs(select, after), limit);
    return EventTable.readPage(select, dialect);
  }
}
