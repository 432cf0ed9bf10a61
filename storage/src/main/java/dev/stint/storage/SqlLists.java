package dev.stint.storage;

import dev.stint.engine.Attempt;
import dev.stint.engine.Event;
import dev.stint.engine.JobIds;
import dev.stint.engine.JobState;
import dev.stint.engine.Store.EventFilter;
import dev.stint.engine.Store.JobFilter;
import dev.stint.engine.Store.JobView;
import dev.stint.engine.Store.Page;
import dev.stint.engine.Store.WorkerView;
import dev.stint.engine.Times;
import dev.stint.engine.Worker;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lists, newest first, along a key that is indexed anyway. Each call looks at no more than {@value
 * #LOOK} rows and says where to go on, so that a filter that fits nothing costs as little as one
 * that fits everything, and no index has to be kept for it.
 */
final class SqlLists {
  private static final int LOOK = 2_000;

  /** A page ends where it has become so long; the next goes on there. */
  private static final int MAX_PAGE_CHARS = 16 * 1024 * 1024;

  private static final int MAX_HELD = 20_000;
  static final UUID AFTER_ALL = new UUID(-1, -1);

  private static final UUID BEFORE_ALL = new UUID(0, 0);

  /** Ids begin with the time at which they were made, by a clock that may be a little off. */
  private static final long CLOCKS_DIFFER_MS = 60_000;

  static final String LAST_JOB_LOOKED_AT =
      "SELECT id FROM job WHERE id < ? AND id >= ? ORDER BY id DESC LIMIT 1 OFFSET " + (LOOK - 1);

  private static final String LAST_EVENT_LOOKED_AT =
      "SELECT seq FROM event WHERE seq < ? ORDER BY seq DESC LIMIT 1 OFFSET " + (LOOK - 1);

  private static final String WORKERS =
      "SELECT %s FROM worker WHERE worker_id > ? ORDER BY worker_id LIMIT ?"
          .formatted(WorkerTable.ALL.names());

  static final String HELD =
      """
      SELECT worker_id, id FROM job WHERE worker_id >= ? AND worker_id <= ?
      ORDER BY worker_id, id LIMIT %d
      """
          .formatted(MAX_HELD);

  private final Dialect dialect;
  private final NeedsCatalog catalog;

  SqlLists(Dialect dialect, NeedsCatalog catalog) {
    this.dialect = dialect;
    this.catalog = catalog;
  }

  /** Conditions that are there, and what they are bound to. */
  private static final class Conditions {
    private final List<String> texts = new ArrayList<>();
    private final List<String> values = new ArrayList<>();

    Conditions equal(String what, @Nullable String value) {
      if (value != null) {
        texts.add(what + " = ?");
        values.add(value);
      }
      return this;
    }

    /** Any of these, or anything if there are none; the values are our own words. */
    Conditions in(String what, Collection<String> words) {
      if (!words.isEmpty()) {
        texts.add(
            words.stream().sorted().collect(Collectors.joining("', '", what + " IN ('", "')")));
      }
      return this;
    }

    /** Has this text in it, in small or capital letters as far as the operator knows them. */
    Conditions has(String what, String like, @Nullable String text) {
      if (text != null) {
        texts.add(what + " " + like + " ? ESCAPE '!'");
        values.add("%" + text.replaceAll("[!%_]", "!$0") + "%");
      }
      return this;
    }

    Conditions is(String condition) {
      texts.add(condition);
      return this;
    }

    String where() {
      return texts.isEmpty()
          ? ""
          : texts.stream().collect(Collectors.joining(" AND ", "WHERE ", ""));
    }

    int bind(PreparedStatement statement, int first) throws SQLException {
      int parameter = first;
      for (String value : values) {
        statement.setString(parameter++, value);
      }
      return parameter;
    }
  }

  Page<JobView, UUID> jobs(Session session, JobFilter filter, @Nullable UUID before, int limit)
      throws SQLException {
    UUID from = before == null ? AFTER_ALL : before;
    UUID downTo = BEFORE_ALL;
    Conditions conditions =
        new Conditions()
            .in("job.state", filter.states().stream().map(JobState::name).toList())
            .equal("job.queue", filter.queue())
            .equal("job_content.task", filter.task())
            .equal("coalesce(job.worker_id, attempt.worker_id)", filter.workerId())
            .has("job_content.metadata", dialect.like(), filter.text());
    if (filter.until() != Times.NEVER) {
      conditions.is("job.created_at <= " + filter.until());
      UUID last = JobIds.firstAt(filter.until() + CLOCKS_DIFFER_MS);
      from = SqlTransaction.ID_ORDER.compare(last, from) < 0 ? last : from;
    }
    if (filter.since() > 0) {
      conditions.is("job.created_at >= " + filter.since());
      downTo = JobIds.firstAt(filter.since() - CLOCKS_DIFFER_MS);
    }
    PreparedStatement select =
        session.prepare(
            """
            SELECT %s
            FROM (SELECT * FROM job WHERE id < ? AND id >= ? ORDER BY id DESC LIMIT %d) AS job
            %s %s
            ORDER BY job.id DESC LIMIT ?
            """
                .formatted(SqlReads.VIEW_COLUMNS, LOOK, SqlReads.VIEW_JOINS, conditions.where()));
    dialect.bind(select, 1, from);
    dialect.bind(select, 2, downTo);
    select.setInt(conditions.bind(select, 3), limit);
    List<JobView> views = new ArrayList<>();
    boolean isLong =
        fill(views, select, row -> SqlReads.view(row, session, catalog), SqlLists::length);
    UUID next =
        isLong || views.size() >= limit
            ? views.getLast().job().id()
            : lastJobLookedAt(session, from, downTo);
    return new Page<>(views, next, isLong);
  }

  /** How a row is read. */
  private interface RowRead<T> {
    T read(RowReader row) throws SQLException;
  }

  /** Reads rows up to the end of the page; true if that is because it has become too long. */
  private <T> boolean fill(
      List<T> page, PreparedStatement select, RowRead<T> read, ToLongFunction<T> length)
      throws SQLException {
    dialect.fetchInParts(select);
    long chars = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (chars < MAX_PAGE_CHARS && row.next()) {
        T item = read.read(row);
        page.add(item);
        chars += length.applyAsLong(item);
      }
    }
    return chars >= MAX_PAGE_CHARS;
  }

  private static long length(JobView view) {
    Attempt last = view.last();
    return (long) ContentTable.length(view.content())
        + (last == null
            ? 0
            : ContentTable.length(last.result()) + ContentTable.length(last.error()));
  }

  private @Nullable UUID lastJobLookedAt(Session session, UUID from, UUID downTo)
      throws SQLException {
    PreparedStatement select = session.prepare(LAST_JOB_LOOKED_AT);
    dialect.bind(select, 1, from);
    dialect.bind(select, 2, downTo);
    try (ResultSet result = select.executeQuery()) {
      return result.next() ? dialect.uuid(result, 1) : null;
    }
  }

  /**
   * A job's own events are few and have an index, so they are all looked at. Output is left out
   * unless it is asked for: it may be long, and tells nothing of what happened.
   */
  Page<Event, Long> events(Session session, EventFilter filter, long beforeSeq, int limit)
      throws SQLException {
    UUID jobId = filter.jobId();
    String looked =
        jobId == null
            ? "seq < ? ORDER BY seq DESC LIMIT " + LOOK
            : "seq < ? AND job_id = ? ORDER BY seq DESC";
    Conditions conditions =
        new Conditions()
            .equal("type", filter.type() == null ? null : filter.type().word())
            .equal("worker_id", filter.workerId());
    if (filter.type() == null) {
      conditions.is("type <> 'output'");
    }
    if (filter.byTime() != null) {
      conditions.is(filter.byTime() ? "request_id IS NULL" : "request_id IS NOT NULL");
    }
    PreparedStatement select =
        session.prepare(
            "SELECT %s FROM (SELECT * FROM event WHERE %s) AS looked %s ORDER BY seq DESC LIMIT ?"
                .formatted(EventTable.ALL.names(), looked, conditions.where()));
    select.setLong(1, beforeSeq);
    int parameter = 2;
    if (jobId != null) {
      dialect.bind(select, parameter++, jobId);
    }
    select.setInt(conditions.bind(select, parameter), limit);
    List<Event> events = new ArrayList<>();
    boolean isLong =
        fill(events, select, EventTable::read, event -> ContentTable.length(event.data()));
    Long next = null;
    if (isLong || events.size() >= limit) {
      next = events.getLast().seq();
    } else if (jobId == null) {
      next = lastEventLookedAt(session, beforeSeq);
    }
    return new Page<>(events, next, isLong);
  }

  private static @Nullable Long lastEventLookedAt(Session session, long beforeSeq)
      throws SQLException {
    PreparedStatement select = session.prepare(LAST_EVENT_LOOKED_AT);
    select.setLong(1, beforeSeq);
    try (ResultSet result = select.executeQuery()) {
      return result.next() ? Long.valueOf(result.getLong(1)) : null;
    }
  }

  List<WorkerView> workers(Session session, String afterId, int limit) throws SQLException {
    PreparedStatement select = session.prepare(WORKERS);
    select.setString(1, afterId);
    select.setInt(2, limit);
    List<Worker> workers = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        workers.add(WorkerTable.read(row));
      }
    }
    if (workers.isEmpty()) {
      return List.of();
    }
    Map<String, List<UUID>> held = held(session, workers.getFirst().id(), workers.getLast().id());
    return workers.stream()
        .map(worker -> new WorkerView(worker, held.getOrDefault(worker.id(), List.of())))
        .toList();
  }

  private Map<String, List<UUID>> held(Session session, String firstId, String lastId)
      throws SQLException {
    PreparedStatement select = session.prepare(HELD);
    select.setString(1, firstId);
    select.setString(2, lastId);
    return JobTable.readHeld(select, dialect);
  }
}
