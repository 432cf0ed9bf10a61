package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Work;
import dev.stint.engine.StoreConflictException;
import dev.stint.storage.ClaimTrails.Look;
import dev.stint.storage.PostgresShapes.Piece;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A transaction on PostgreSQL, where other writers, here and elsewhere, go on at the same time. */
final class PostgresTransaction extends SqlTransaction {
  private final PostgresStore store;
  private final PostgresDialect dialect;
  private final JobCache cache;
  private final ClaimTrails trails;
  private final List<Changes> saved = new ArrayList<>(1);
  private final Map<String, Look> looks = new HashMap<>();
  private long now = -1;
  private boolean isTold;
  private long version;
  private boolean isLeading;
  private boolean isCommitted;
  private List<Long> eventSeqs = List.of();
  private @Nullable PostgresLook expected;
  private @Nullable PostgresLook made;
  private PostgresLook.@Nullable Found early;

  PostgresTransaction(
      Session session,
      PostgresStore store,
      PostgresDialect dialect,
      JobCache cache,
      ClaimTrails trails) {
    super(session, dialect);
    this.store = store;
    this.dialect = dialect;
    this.cache = cache;
    this.trails = trails;
  }

  /** Takes over what has been committed, and tells how many jobs it changed. */
  int teach() {
    int changed = 0;
    for (Changes changes : saved) {
      cache.learn(changes, version);
      changed += changes.updates().size();
      changes.updates().stream()
          .filter(Job::claimable)
          .map(job -> job.spec().queue())
          .distinct()
          .forEach(trails::putBack);
    }
    return changed;
  }

  /** Asked for only when needed: after locks were waited for, and thus not before their holders. */
  @Override
  public long now() {
    isTold = true;
    if (now < 0) {
      try {
        askClock();
      } catch (SQLException e) {
        throw dialect.failure(e);
      }
    }
    return now;
  }

  private void askClock() throws SQLException {
    PreparedStatement select =
        prepare(
            expected == null
                ? PostgresDialect.CLOCK_AND_VERSION
                : PostgresClaims.CLOCK_AND_CLAIMABLE);
    if (expected != null) {
      expected.bind(select, 1, dialect);
    }
    select.execute();
    readClockAndLook(select);
  }

  @Override
  long leastNow() {
    return store.time().latest();
  }

  /** Who has to be waited for may write a later time than was read; if nobody was told, read on. */
  @Override
  void willWait() {
    if (!isTold) {
      now = -1;
    }
  }

  @Override
  boolean canMissWhatEnds() {
    return true;
  }

  private void readClock(ResultSet result) throws SQLException {
    result.next();
    if (now < 0) {
      now = store.time().at(result.getLong(1));
    }
    version = result.getLong(2);
  }

  /** Asks for the clock at the same time. */
  @Override
  public boolean leads(String lead) {
    try {
      PreparedStatement keep = prepare(PostgresDialect.KEEP_LEAD);
      keep.execute();
      boolean isKept;
      try (ResultSet result = keep.getResultSet()) {
        isKept = result.next() && result.getBoolean(1);
      }
      keep.getMoreResults();
      try (ResultSet result = keep.getResultSet()) {
        readClock(result);
        isLeading = isKept && lead.equals(result.getString(3));
      }
      return isLeading;
    } catch (SQLException e) {
      throw dialect.failure(e);
    }
  }

  @Override
  public List<Long> eventSeqs() {
    return eventSeqs;
  }

  @Override
  Needs needs(long id) throws SQLException {
    return store.catalog().byId(id, session());
  }

  @Override
  public void willLook(String queue, Skills skills, int limit) {
    if (!skills.areNarrow()) {
      expected = PostgresLook.first(queue, skills, lookAt(queue).start(), limit);
    }
  }

  /**
   * If all are in memory it is enough to lock them and to see that nobody has changed them since.
   * If not, all are read: what is locked by one statement is locked in one order.
   */
  @Override
  Map<UUID, Job> remembered(Collection<UUID> jobIds) throws SQLException {
    Map<UUID, Job> remembered = new HashMap<>();
    if (cache.hasAll(jobIds)) {
      PreparedStatement select =
          prepare(
              expected == null
                  ? PostgresDialect.LOCK_VERSIONS_AND_CLOCK
                  : PostgresClaims.LOCK_VERSIONS_CLOCK_AND_CLAIMABLE);
      dialect.bindIds(select, 1, jobIds);
      if (expected != null) {
        expected.bind(select, 2, dialect);
      }
      select.execute();
      try (ResultSet result = select.getResultSet()) {
        RowReader row = new RowReader(result, dialect);
        while (row.next()) {
          Job job = cache.job(row.uuid(), row.number());
          if (job != null) {
            remembered.put(job.id(), job);
          }
        }
      }
      select.getMoreResults();
      readClockAndLook(select);
    }
    return remembered;
  }

  /**
   * What an early look has locked must not be held while others are waited for, who may wait for
   * just that. It comes to this only if a job ended elsewhere and somebody has it locked: then all
   * is given up, and carried out one by one.
   */
  @Override
  void lockInto(Map<UUID, Job> jobs, List<UUID> ids) throws SQLException {
    if (early == null) {
      super.lockInto(jobs, ids);
      return;
    }
    try {
      lockInto(jobs, ids, PostgresDialect.LOCK_JOBS_AT_ONCE);
    } catch (SQLException e) {
      if (PostgresDialect.LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw new StoreConflictException(e);
      }
      throw e;
    }
  }

  /** Reads what the clock said, and what came of the look that was expected, if one was. */
  private void readClockAndLook(PreparedStatement select) throws SQLException {
    try (ResultSet result = select.getResultSet()) {
      readClock(result);
    }
    if (expected != null) {
      select.getMoreResults();
      try (ResultSet result = select.getResultSet()) {
        early = PostgresLook.read(result, dialect);
      }
      made = expected;
      expected = null;
    }
  }

  private Look lookAt(String queue) {
    return looks.computeIfAbsent(queue, trails::look);
  }

  /**
   * Tries with more candidates as long as others may have locked all that were looked at, so that
   * "nothing" is never said of a queue that has something. All looks of a transaction begin at the
   * same place: they find what the first one took once more, and must not lock others instead.
   */
  @Override
  List<Work> findClaimable(String queue, Skills skills, int limit) throws SQLException {
    boolean isNarrow = skills.areNarrow();
    Look begin = isNarrow ? Look.UNKNOWN : lookAt(queue);
    PostgresLook look = PostgresLook.first(queue, skills, begin.start(), limit);
    PostgresLook.Found found = look(look);
    if (found.versions().size() < limit && !begin.start().isFromTheFront()) {
      begin = begin.fromTheFront();
      looks.put(queue, begin);
      look = look.from(begin.start());
      found = look(look);
    }
    while (found.versions().size() < limit && found.candidates() >= look.candidates()) {
      look = look.wider();
      found = look(look);
    }
    List<Work> works = works(found);
    if (!isNarrow && !works.isEmpty()) {
      Job last = works.getLast().job();
      trails.ended(queue, begin, last, store.idOf(last.spec().needs()), found.candidates() == 0);
    }
    return works;
  }

  /** Unless it is the one that was made when others were locked. */
  private PostgresLook.Found look(PostgresLook look) throws SQLException {
    PostgresLook.Found found = early;
    early = null;
    expected = null;
    if (found != null && look.equals(made)) {
      return found;
    }
    PreparedStatement select = prepare(look.sql());
    look.bind(select, 1, dialect);
    try (ResultSet result = select.executeQuery()) {
      return PostgresLook.read(result, dialect);
    }
  }

  private List<Work> works(PostgresLook.Found found) throws SQLException {
    Map<UUID, Work> remembered = new HashMap<>();
    for (Map.Entry<UUID, Long> locked : found.versions().entrySet()) {
      Work known = cache.work(locked.getKey(), locked.getValue());
      if (known != null) {
        remembered.put(locked.getKey(), known);
      }
    }
    return works(List.copyOf(found.versions().keySet()), remembered);
  }

  /** Others write at the same time: numbers have gaps, and other writers' may be told earlier. */
  @Override
  public long lastEventSeq() {
    return 0;
  }

  @Override
  boolean isCommitted() {
    return isCommitted;
  }

  /**
   * Sends the statements of all parts that have rows at once, and waits for them once. What comes
   * last is committed with them if nothing can come of it but what is expected: the jobs that it
   * changes were all seen and locked, so none of them can be missing.
   */
  @Override
  void write(Changes changes, Saving.Seen seen, boolean isLast) throws SQLException {
    Map<Part, PostgresRows> parts = new EnumMap<>(Part.class);
    Saving.Sinks sinks =
        part -> parts.computeIfAbsent(part, absent -> new PostgresRows(absent.columns()));
    Saving saving = new Saving(sinks, store::idOf);
    saving.remove(changes.removals());
    saving.write(changes, seen, now(), session().shard());
    List<Piece> pieces = new ArrayList<>();
    parts.forEach((part, rows) -> pieces.add(new Piece(part, rows)));
    boolean isEnd =
        isLast
            && changes.removals().isEmpty()
            && changes.updates().stream().allMatch(job -> seen.jobs().containsKey(job.id()));
    if (!pieces.isEmpty()) {
      send(pieces, isEnd);
    }
    saved.add(changes);
  }

  private void send(List<Piece> pieces, boolean isEnd) throws SQLException {
    PostgresShapes.Shape shape = store.shapes(isLeading).of(pieces);
    PreparedStatement all = prepare(isEnd ? shape.sqlAndCommit() : shape.sql());
    int parameter = 1;
    for (int i = 0; i < pieces.size(); i++) {
      parameter = pieces.get(i).bind(all, parameter, shape.arrays().get(i));
    }
    if (isEnd) {
      SqlStore.commit(all::execute);
      isCommitted = true;
    } else {
      all.execute();
    }
    for (Piece piece : pieces) {
      if (isLeading && piece.part() == Part.EVENTS) {
        eventSeqs = readSeqs(all);
      } else if (piece.part().updatesJobs() && all.getUpdateCount() != piece.rows().rows()) {
        throw new IllegalStateException("a job to be changed does not exist");
      }
      all.getMoreResults();
    }
  }

  private static List<Long> readSeqs(PreparedStatement statement) throws SQLException {
    List<Long> seqs = new ArrayList<>();
    try (ResultSet result = statement.getResultSet()) {
      while (result.next()) {
        seqs.add(result.getLong(1));
      }
    }
    return seqs;
  }
}
