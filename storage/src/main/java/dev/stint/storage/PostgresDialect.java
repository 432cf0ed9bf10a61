package dev.stint.storage;

import dev.stint.engine.StoreConflictException;
import dev.stint.engine.StoreUnavailableException;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's statements; those that claim and those that write are {@link PostgresClaims} and
 * {@link PostgresSaves}. Lists and rows come as arrays, one per column, so that each statement has
 * one text and one plan whatever the number of rows. What many rows have in common may come as one
 * value instead, see {@link PostgresShapes}.
 */
final class PostgresDialect implements Dialect {
  private static final String TIME = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

  /** So many rows are read at a time where not all of them may be wanted. */
  private static final int FETCH = 50;

  static final String CLOCK = "SELECT " + TIME;

  /** The transaction that wrote a row, by which its version is told from others. */
  static final String VERSION = "CAST(CAST(job.xmin AS text) AS bigint)";

  /** The version of what this transaction writes. */
  private static final String OWN_VERSION = "txid_current() & 4294967295";

  static final String CLOCK_AND_VERSION = "SELECT %s, %s".formatted(TIME, OWN_VERSION);

  /** A number of our own, and one for each schema. */
  private static final String LEAD_LOCK = "7463, hashtext(current_schema())";

  static final String LEAD = "SELECT value FROM setting WHERE name = 'mirror_lead'";

  /** Begins when no transaction is left that has the lock of the one before. Binds: the lead. */
  static final String BEGIN_LEAD =
      """
      WITH locked AS MATERIALIZED (SELECT pg_advisory_xact_lock(%s))
      INSERT INTO setting (name, value) SELECT 'mirror_lead', ? FROM locked
      ON CONFLICT (name) DO UPDATE SET value = excluded.value
      """
          .formatted(LEAD_LOCK);

  /**
   * Keeps others from beginning a lead; gives whether that could be done, and then the clock, the
   * version and the lead. These are two statements, so that the second sees all that the first has
   * waited for.
   */
  static final String KEEP_LEAD =
      "SELECT pg_try_advisory_xact_lock_shared(%s); %s, (%s)"
          .formatted(LEAD_LOCK, CLOCK_AND_VERSION, LEAD);

  private static final String JOBS =
      """
      SELECT %s FROM job WHERE id = ANY(?)
      """
          .formatted(JobTable.ALL.names());

  private static final String LOCK_JOBS =
      """
      SELECT %s FROM job WHERE id = ANY(?) ORDER BY id FOR UPDATE
      """
          .formatted(JobTable.ALL.names());

  /** The same, but waits for nobody. */
  static final String LOCK_JOBS_AT_ONCE = LOCK_JOBS + " NOWAIT";

  /** What it says of a lock that could not be had. */
  static final String LOCK_NOT_AVAILABLE = "55P03";

  /** Binds: ids of live jobs. Reads: the id and the version of each that still is one. */
  static final String LOCK_VERSIONS =
      """
      SELECT id, %s FROM job_live AS job WHERE id = ANY(?) ORDER BY id FOR UPDATE
      """
          .formatted(VERSION);

  /** The same, and then the clock and the version to be written, as they are after the locks. */
  static final String LOCK_VERSIONS_AND_CLOCK = LOCK_VERSIONS + ";" + CLOCK_AND_VERSION;

  private static final String WORKS =
      """
      SELECT %s, %s FROM job JOIN job_content ON job_content.job_id = job.id
      WHERE job.id = ANY(?)
      """
          .formatted(JobTable.ALL.of("job"), ContentTable.VALUES.of("job_content"));

  private static final String HELD_BY =
      """
      SELECT wanted.worker_id, held.id
      FROM unnest(?::text[]) AS wanted (worker_id)
      CROSS JOIN LATERAL (
        SELECT job.id FROM job_live AS job
        WHERE job.worker_id = wanted.worker_id ORDER BY job.id LIMIT ?
      ) AS held
      """;

  private static final String LOCK_DUE = lockDue(JobTable.ALL, "job_live", JobTable.URGENT);

  private static final String LOCK_FADING = lockDue(JobTable.FADING_VALUES, "job", JobTable.FADING);

  private static final String CONTENTS =
      """
      SELECT %s FROM job_content WHERE job_id = ANY(?)
      """
          .formatted(ContentTable.ALL.names());

  private static final String ATTEMPTS =
      """
      SELECT %s FROM attempt WHERE job_id = ANY(?) ORDER BY job_id, fence
      """
          .formatted(AttemptTable.ALL.names());

  private static final String RECEIPTS =
      """
      SELECT %s
      FROM unnest(?::text[], ?::text[]) AS wanted (worker_id, claim_id)
      JOIN claim_receipt AS receipt USING (worker_id, claim_id)
      WHERE receipt.expires_at > ?
      """
          .formatted(Part.RECEIPTS.columns().of("receipt"));

  private static final String KEYS =
      """
      SELECT %s FROM idempotency_key WHERE key = ANY(?)
      """
          .formatted(Part.NEW_KEYS.columns().names());

  private static final String LAST_EVENT_SEQS =
      """
      SELECT wanted.id, newest.seq
      FROM unnest(?::uuid[]) AS wanted (id)
      CROSS JOIN LATERAL (
        SELECT seq FROM event WHERE job_id = wanted.id ORDER BY seq DESC LIMIT 1
      ) AS newest
      """;

  private static final String LOCK_WORKERS =
      """
      SELECT %s FROM worker WHERE worker_id = ANY(?) ORDER BY worker_id FOR UPDATE
      """
          .formatted(WorkerTable.ALL.names());

  private static final String LOCK_DUE_WORKERS =
      """
      SELECT %s FROM worker WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
      """
          .formatted(WorkerTable.ALL.names());

  private static final String OUTPUT_MARKS =
      """
      SELECT %s FROM output WHERE job_id = ANY(?)
      """
          .formatted(Part.OUTPUTS.columns().names());

  /** Shards that cancel each other out go; the tables are locked, so that none counts meanwhile. */
  static final List<String> FOLD =
      List.of(
          "LOCK TABLE tally, dead_group IN EXCLUSIVE MODE",
          """
          DELETE FROM tally WHERE (queue, state) IN (
            SELECT queue, state FROM tally GROUP BY queue, state HAVING sum(n) = 0)
          """,
          """
          DELETE FROM dead_group WHERE fingerprint IN (
            SELECT fingerprint FROM dead_group GROUP BY fingerprint HAVING sum(n) = 0)
          """);

  private static final String MIRRORED =
      """
      SELECT %s FROM job
      %s
      WHERE job.id = ANY(?)
      """
          .formatted(MirrorReads.COLUMNS, MirrorReads.JOINS);

  /**
   * Without the {@code OFFSET} the planner is free to go along all events in their order, and while
   * the table has no statistics it does.
   */
  private static final String EVENTS_AFTER =
      """
      SELECT %s
      FROM unnest(?::uuid[], ?::bigint[]) AS wanted (id, seq)
      CROSS JOIN LATERAL (
        SELECT * FROM event
        WHERE event.job_id = wanted.id AND event.seq > wanted.seq OFFSET 0
      ) AS event
      ORDER BY event.job_id, event.seq LIMIT ?
      """
          .formatted(EventTable.ALL.of("event"));

  @Override
  public String save(Part part) {
    return PostgresSaves.save(part);
  }

  @Override
  public String lockJobs() {
    return LOCK_JOBS;
  }

  @Override
  public String jobs() {
    return JOBS;
  }

  @Override
  public String works() {
    return WORKS;
  }

  @Override
  public String heldBy() {
    return HELD_BY;
  }

  @Override
  public String live() {
    return "job_live";
  }

  @Override
  public String lockDue() {
    return LOCK_DUE;
  }

  @Override
  public String lockFading() {
    return LOCK_FADING;
  }

  private static String lockDue(Columns columns, String table, String which) {
    return """
    SELECT %s FROM %s WHERE due_at <= ? AND %s ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
    """
        .formatted(columns.names(), table, which);
  }

  @Override
  public String lockWorkers() {
    return LOCK_WORKERS;
  }

  @Override
  public String lockDueWorkers() {
    return LOCK_DUE_WORKERS;
  }

  @Override
  public String contents() {
    return CONTENTS;
  }

  @Override
  public String attempts() {
    return ATTEMPTS;
  }

  @Override
  public String receipts() {
    return RECEIPTS;
  }

  @Override
  public String keys() {
    return KEYS;
  }

  @Override
  public String outputMarks() {
    return OUTPUT_MARKS;
  }

  @Override
  public String mirrored() {
    return MIRRORED;
  }

  @Override
  public String eventsAfter() {
    return EVENTS_AFTER;
  }

  @Override
  public String lastEventSeqs() {
    return LAST_EVENT_SEQS;
  }

  /** The driver does so only within a transaction; the pool ends it when it gets it back. */
  @Override
  public void fetchInParts(PreparedStatement select) throws SQLException {
    select.getConnection().setAutoCommit(false);
    select.setFetchSize(FETCH);
  }

  @Override
  public String like() {
    return "ILIKE";
  }

  @Override
  public @Nullable UUID uuid(ResultSet result, int column) throws SQLException {
    return (UUID) result.getObject(column);
  }

  @Override
  public void bind(PreparedStatement statement, int parameter, UUID id) throws SQLException {
    statement.setObject(parameter, id);
  }

  @Override
  public void bindIds(PreparedStatement statement, int parameter, Collection<UUID> ids)
      throws SQLException {
    statement.setObject(parameter, new UuidArray(ids.toArray(new UUID[0])));
  }

  @Override
  public void bindTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException {
    statement.setArray(
        parameter, statement.getConnection().createArrayOf("text", texts.toArray(new String[0])));
  }

  @Override
  public int bindSeqs(PreparedStatement statement, Map<UUID, Long> seqs) throws SQLException {
    List<UUID> ids = List.copyOf(seqs.keySet());
    bindIds(statement, 1, ids);
    Long[] numbers = ids.stream().map(seqs::get).toArray(Long[]::new);
    statement.setArray(2, statement.getConnection().createArrayOf("bigint", numbers));
    return 3;
  }

  @Override
  public List<String> texts(ResultSet result, int column) throws SQLException {
    return List.of((String[]) result.getArray(column).getArray());
  }

  @Override
  public RuntimeException failure(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    return switch (state) {
      // serialization failure, deadlock, unique violation
      case "40001", "40P01", "23505" -> new StoreConflictException(e);
      // lock not available in time
      case LOCK_NOT_AVAILABLE -> new StoreConflictException.InVain(e);
      default ->
          isAway(e, state)
              ? new StoreUnavailableException(
                  "the PostgreSQL database does not answer: " + state, e)
              : new IllegalStateException("PostgreSQL refused a statement: " + state, e);
    };
  }

  /**
   * No connection, no resources, shutting down, timed out, a standby that cannot write, or tables
   * that are gone or may not be used, as while a backup is restored.
   */
  private static boolean isAway(SQLException e, String state) {
    return e instanceof SQLTransientConnectionException
        || state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58")
        || state.equals("57014")
        || state.equals("25P03")
        || state.equals("25006")
        || state.equals("42P01")
        || state.equals("3F000")
        || state.equals("42501");
  }
}
