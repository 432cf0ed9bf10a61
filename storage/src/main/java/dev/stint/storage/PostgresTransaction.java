package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Work;
import dev.stint.storage.ClaimTrails.Look;
import dev.stint.storage.ClaimTrails.Start;
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

/** A transaction on PostgreSQL, where other writers, here and elsewhere, go on at the same time. */
final class PostgresTransaction extends SqlTransaction {
  /** How many more candidates than asked for a claim looks at, as others may have locked some. */
  private static final int SLACK = 64;

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
  private List<Long> eventSeqs = List.of();

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
      try (ResultSet result = prepare(PostgresDialect.CLOCK_AND_VERSION).executeQuery()) {
        readClock(result);
      } catch (SQLException e) {
        throw dialect.failure(e);
      }
    }
    return now;
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

  /**
   * If all are in memory it is enough to lock them and to see that nobody has changed them since.
   * If not, all are read: what is locked by one statement is locked in one order.
   */
  @Override
  Map<UUID, Job> remembered(Collection<UUID> jobIds) throws SQLException {
    Map<UUID, Job> remembered = new HashMap<>();
    if (cache.hasAll(jobIds)) {
      PreparedStatement select = prepare(PostgresDialect.LOCK_VERSIONS_AND_CLOCK);
      dialect.bindIds(select, 1, jobIds);
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
      try (ResultSet result = select.getResultSet()) {
        readClock(result);
      }
    }
    return remembered;
  }

  /**
   * Tries with more candidates as long as others may have locked all that were looked at, so that
   * "nothing" is never said of a queue that has something. All looks of a transaction begin at the
   * same place: they find what the first one took once more, and must not lock others instead.
   */
  @Override
  List<Work> findClaimable(String queue, Skills skills, int limit) throws SQLException {
    boolean isNarrow = skills.areNarrow();
    Look look = isNarrow ? Look.UNKNOWN : looks.computeIfAbsent(queue, trails::look);
    int candidates = limit + SLACK;
    Found found = tryClaimable(queue, skills, look.start(), limit, candidates);
    if (found.work.size() < limit && !look.start().isFromTheFront()) {
      look = look.fromTheFront();
      looks.put(queue, look);
      found = tryClaimable(queue, skills, look.start(), limit, candidates);
    }
    while (found.work.size() < limit && found.candidates >= candidates) {
      candidates = Math.multiplyExact(candidates, 4);
      found = tryClaimable(queue, skills, look.start(), limit, candidates);
    }
    if (!isNarrow && !found.work.isEmpty()) {
      Job last = found.work.getLast().job();
      trails.ended(queue, look, last, store.idOf(last.spec().needs()), found.candidates == 0);
    }
    return found.work;
  }

  private record Found(long candidates, List<Work> work) {}

  private Found tryClaimable(String queue, Skills skills, Start start, int limit, int candidates)
      throws SQLException {
    boolean isNarrow = skills.areNarrow();
    PreparedStatement select =
        prepare(isNarrow ? PostgresClaims.LOCK_CLAIMABLE_OF : PostgresClaims.LOCK_CLAIMABLE);
    int parameter = isNarrow ? bindWhose(select, skills) : bindPresent(select, queue, start);
    String workspace = NeedsCatalog.kept(skills.workspace());
    select.setString(parameter++, workspace);
    select.setString(parameter++, workspace);
    select.setBoolean(parameter++, skills.commandsOnly());
    dialect.bindTexts(select, parameter++, skills.capabilities());
    select.setString(parameter++, queue);
    select.setLong(parameter++, start.classId());
    select.setLong(parameter++, start.priority());
    select.setInt(parameter++, limit);
    select.setString(parameter++, queue);
    select.setLong(parameter++, start.classId());
    select.setLong(parameter++, start.priority());
    select.setLong(parameter++, start.createdAt());
    select.setInt(parameter++, limit);
    select.setString(parameter++, queue);
    select.setInt(parameter++, candidates);
    select.setInt(parameter++, candidates);
    select.setInt(parameter, limit);
    List<UUID> locked = new ArrayList<>();
    Map<UUID, Work> remembered = new HashMap<>();
    long seen = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        seen = row.number();
        UUID id = row.uuidOrNull();
        if (id != null) {
          locked.add(id);
          Work known = cache.work(id, row.number());
          if (known != null) {
            remembered.put(id, known);
          }
        }
      }
    }
    return new Found(seen, works(locked, remembered));
  }

  private static int bindWhose(PreparedStatement select, Skills skills) throws SQLException {
    select.setString(1, NeedsCatalog.kept(skills.target()));
    select.setString(2, NeedsCatalog.kept(skills.tenant()));
    return 3;
  }

  private static int bindPresent(PreparedStatement select, String queue, Start start)
      throws SQLException {
    long likely = start.classId();
    select.setLong(1, likely);
    select.setString(2, queue);
    select.setLong(3, likely);
    select.setString(4, queue);
    select.setLong(5, likely);
    select.setLong(6, likely);
    return 7;
  }

  /** Others write at the same time: numbers have gaps, and other writers' may be told earlier. */
  @Override
  public long lastEventSeq() {
    return 0;
  }

  /** Sends the statements of all parts that have rows at once, and waits for them once. */
  @Override
  void write(Changes changes, Saving.Seen seen) throws SQLException {
    Map<Part, PostgresRows> parts = new EnumMap<>(Part.class);
    Saving.Sinks sinks =
        part -> parts.computeIfAbsent(part, absent -> new PostgresRows(absent.columns()));
    Saving saving = new Saving(sinks, store::idOf);
    saving.remove(changes.removals());
    saving.write(changes, seen, now(), session().shard());
    List<Piece> pieces = new ArrayList<>();
    parts.forEach((part, rows) -> pieces.add(new Piece(part, rows)));
    if (!pieces.isEmpty()) {
      send(pieces);
    }
    saved.add(changes);
  }

  private void send(List<Piece> pieces) throws SQLException {
    PostgresShapes.Shape shape = store.shapes(isLeading).of(pieces);
    PreparedStatement all = prepare(shape.sql());
    int parameter = 1;
    for (int i = 0; i < pieces.size(); i++) {
      parameter = pieces.get(i).bind(all, parameter, shape.arrays().get(i));
    }
    all.execute();
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
