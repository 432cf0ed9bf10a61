package dev.stint.storage;

import dev.stint.engine.Job;
import dev.stint.engine.Needs;
import dev.stint.engine.Skills;
import dev.stint.engine.Store.Changes;
import dev.stint.engine.Store.Work;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A transaction on SQLite's one writing connection: nobody else writes, so nothing is locked. */
final class SqliteTransaction extends SqlTransaction {
  private static final int SHARD = 0;
  private static final long BEFORE_ALL_CLASSES = 0;

  /** What a claim goes by: higher priority, then older, then smaller id as bytes compare. */
  private record Candidate(UUID id, long priority, long createdAt) {
    static final Comparator<Candidate> CLAIM_ORDER =
        Comparator.comparingLong(Candidate::priority)
            .reversed()
            .thenComparingLong(Candidate::createdAt)
            .thenComparing(Candidate::id, ID_ORDER);
  }

  private final SqliteDialect dialect;
  private final NeedsCatalog catalog;
  private final JobCache cache;
  private final long now;
  private final List<Changes> saved = new ArrayList<>(1);
  private final Map<Needs, Long> added = new HashMap<>();
  private final Map<Long, Needs> addedById = new HashMap<>();

  SqliteTransaction(
      Session session, SqliteDialect dialect, NeedsCatalog catalog, JobCache cache, long now) {
    super(session, dialect);
    this.dialect = dialect;
    this.catalog = catalog;
    this.cache = cache;
    this.now = now;
  }

  /** Counts of queues that have come and gone. */
  int forgetEmptyCounts() {
    return update("DELETE FROM tally WHERE n = 0");
  }

  @Override
  long leastNow() {
    return now();
  }

  @Override
  public long now() {
    return now;
  }

  /** The classes of needs that this transaction was the first to see. */
  Map<Needs, Long> addedNeeds() {
    return added;
  }

  /** All that was saved, in order. */
  List<Changes> saved() {
    return saved;
  }

  /** The cache holds what is committed, so it serves only until this transaction has written. */
  @Override
  Map<UUID, Job> remembered(Collection<UUID> jobIds) {
    return remembered(jobIds, id -> cache.job(id, SqliteStore.ONE_VERSION));
  }

  private <T> Map<UUID, T> remembered(Collection<UUID> jobIds, Function<UUID, @Nullable T> memory) {
    Map<UUID, T> remembered = new HashMap<>();
    if (saved.isEmpty()) {
      for (UUID id : jobIds) {
        T known = memory.apply(id);
        if (known != null) {
          remembered.put(id, known);
        }
      }
    }
    return remembered;
  }

  @Override
  Needs needs(long id) throws SQLException {
    Needs own = addedById.get(id);
    return own != null ? own : catalog.byId(id, session());
  }

  /** Takes the first few of each class that there is and the worker satisfies, and merges them. */
  @Override
  List<Work> findClaimable(String queue, Skills skills, int limit) throws SQLException {
    List<Candidate> candidates = new ArrayList<>();
    if (skills.areNarrow()) {
      for (long needsId : classesOf(skills)) {
        addOf(candidates, queue, needsId, limit);
      }
    } else {
      OptionalLong readUpTo = OptionalLong.of(BEFORE_ALL_CLASSES);
      while (readUpTo.isPresent()) {
        readUpTo = addBehind(candidates, queue, readUpTo.getAsLong(), skills, limit);
      }
    }
    candidates.sort(Candidate.CLAIM_ORDER);
    List<UUID> first = candidates.stream().limit(limit).map(Candidate::id).toList();
    return works(first, remembered(first, id -> cache.work(id, SqliteStore.ONE_VERSION)));
  }

  /**
   * Adds the first few of each class behind one, until a class has more of them than are of use.
   *
   * @return that class, or empty if all were read
   */
  private OptionalLong addBehind(
      List<Candidate> candidates, String queue, long needsId, Skills skills, int limit)
      throws SQLException {
    PreparedStatement select = prepare(SqliteDialect.CLAIMABLE);
    select.setString(1, queue);
    select.setLong(2, needsId);
    long current = needsId;
    int wanted = 0;
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (row.next()) {
        long next = row.number();
        if (next != current) {
          current = next;
          wanted = skills.satisfy(needs(next)) ? limit : 0;
        }
        if (wanted == 0) {
          return OptionalLong.of(current);
        }
        candidates.add(new Candidate(row.uuid(), row.number(), row.number()));
        wanted--;
      }
      return OptionalLong.empty();
    }
  }

  /** The classes that a worker for one tenant, or a delivery to one place, can have. */
  private List<Long> classesOf(Skills skills) throws SQLException {
    PreparedStatement select = prepare(SqliteDialect.CLASSES_OF);
    select.setString(1, NeedsCatalog.kept(skills.target()));
    select.setString(2, NeedsCatalog.kept(skills.tenant()));
    List<Long> ids = new ArrayList<>();
    try (ResultSet result = select.executeQuery()) {
      while (result.next()) {
        ids.add(result.getLong(1));
      }
    }
    List<Long> satisfied = new ArrayList<>();
    for (long id : ids) {
      if (skills.satisfy(needs(id))) {
        satisfied.add(id);
      }
    }
    return satisfied;
  }

  /** Adds the first few of one class. */
  private void addOf(List<Candidate> candidates, String queue, long needsId, int limit)
      throws SQLException {
    PreparedStatement select = prepare(SqliteDialect.CLAIMABLE);
    select.setString(1, queue);
    select.setLong(2, needsId - 1);
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      for (int i = 0; i < limit && row.next() && row.number() == needsId; i++) {
        candidates.add(new Candidate(row.uuid(), row.number(), row.number()));
      }
    }
  }

  @Override
  void write(Changes changes, Saving.Seen seen, boolean isLast) throws SQLException {
    remove(changes.removals());
    Map<Part, SqliteBatch> rows = new EnumMap<>(Part.class);
    Saving.Sinks sinks =
        any -> {
          Part part = any.inOneTable();
          SqliteBatch batch = rows.get(part);
          if (batch == null) {
            batch = new SqliteBatch(prepare(dialect.save(part)));
            rows.put(part, batch);
          }
          return batch;
        };
    new Saving(sinks, this::idOf).write(changes, seen, now, SHARD);
    for (Map.Entry<Part, SqliteBatch> part : rows.entrySet()) {
      int changed = part.getValue().execute();
      if (part.getKey().updatesJobs()) {
        expect(part.getValue().rows(), changed);
      }
    }
    saved.add(changes);
  }

  private void remove(Collection<UUID> jobIds) throws SQLException {
    if (jobIds.isEmpty()) {
      return;
    }
    SortedSet<UUID> sorted = new TreeSet<>(ID_ORDER);
    sorted.addAll(jobIds);
    List<Run> runs = Run.of(sorted, present(sorted));
    for (Part part : Saving.REMOVALS) {
      SqliteBatch gone = new SqliteBatch(prepare(dialect.save(part)));
      for (Run run : runs) {
        gone.uuid(run.first()).uuid(run.last()).endRow();
      }
      int changed = gone.execute();
      if (part.updatesJobs()) {
        expect(jobIds.size(), changed);
      }
    }
  }

  /** The ids from the first to the last of these, or of as many as may be worth reading. */
  private List<UUID> present(SortedSet<UUID> jobIds) throws SQLException {
    int atMost = 2 * jobIds.size();
    List<UUID> present = new ArrayList<>(atMost);
    PreparedStatement select = prepare(SqliteDialect.PRESENT);
    dialect.bind(select, 1, jobIds.getFirst());
    dialect.bind(select, 2, jobIds.getLast());
    try (ResultSet result = select.executeQuery()) {
      RowReader row = new RowReader(result, dialect);
      while (present.size() < atMost && row.next()) {
        present.add(row.uuid());
      }
    }
    return present;
  }

  private static void expect(int jobs, int changed) {
    if (changed != jobs) {
      throw new IllegalStateException("a job to be changed does not exist");
    }
  }

  /** Only this connection writes, and to one table the numbers go up one by one. */
  @Override
  public long lastEventSeq() {
    return number(SqliteDialect.LAST_EVENT_SEQ, 0);
  }

  /** Nobody else can have the store. */
  @Override
  public boolean leads(String lead) {
    return true;
  }

  @Override
  public List<Long> eventSeqs() {
    int events = saved.getLast().events().size();
    long last = events == 0 ? 0 : lastEventSeq();
    return LongStream.rangeClosed(last - events + 1, last).limit(events).boxed().toList();
  }

  private long idOf(Needs needs) throws SQLException {
    Long known = catalog.known().idOf(needs);
    if (known == null) {
      known = added.get(needs);
    }
    return known != null ? known : add(needs);
  }

  private long add(Needs needs) throws SQLException {
    PreparedStatement insert = prepare(SqliteDialect.INTERN_NEEDS);
    catalog.bind(insert, needs);
    try (ResultSet result = insert.executeQuery()) {
      result.next();
      long id = result.getLong(1);
      added.put(needs, id);
      addedById.put(id, needs);
      return id;
    }
  }
}
