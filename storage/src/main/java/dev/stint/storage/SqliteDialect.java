package dev.stint.storage;

import dev.stint.engine.StoreConflictException;
import dev.stint.engine.StoreUnavailableException;
import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.sqlite.SQLiteErrorCode;
import org.sqlite.SQLiteException;

/**
 * SQLite's statements; those that write are {@link SqliteSaves}. Ids are blobs of 16 bytes. Lists
 * come as one JSON text through {@code json_each}; rows are written by batches of a prepared
 * statement, which for rows as wide as ours is several times as fast as taking them out of JSON.
 */
final class SqliteDialect implements Dialect {
  private static final String LOCK_JOBS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN job ON job.id = unhex(wanted.value)
      ORDER BY job.id
      """
          .formatted(JobTable.ALL.of("job"));

  private static final String HELD_BY =
      """
      SELECT wanted.value, job.id
      FROM json_each(?) AS wanted
      CROSS JOIN job ON job.id IN (
        SELECT held.id FROM job AS held WHERE held.worker_id = wanted.value
        ORDER BY held.id LIMIT ?
      )
      """;

  private static final String LOCK_DUE = lockDue(JobTable.ALL, JobTable.URGENT);

  private static final String LOCK_FADING = lockDue(JobTable.FADING_VALUES, JobTable.FADING);

  /**
   * The claimable jobs of a queue behind a class, class by class, each in the order of claims; the
   * index alone answers it. It is read only as far as needed: for a LIMIT that is bound, SQLite
   * would plan the statement anew each time.
   */
  static final String CLAIMABLE =
      """
      SELECT needs_id, id, priority, created_at FROM job
      WHERE queue = ? AND needs_id > ? AND claimable
      ORDER BY needs_id, priority DESC, created_at, id
      """;

  /** Binds: the first and the last id. Reads: those that there are between them, in order. */
  static final String PRESENT = "SELECT id FROM job WHERE id BETWEEN ? AND ? ORDER BY id";

  /** The classes of one tenant's jobs, or of those that are delivered to one place. */
  static final String CLASSES_OF = "SELECT id FROM needs WHERE target = ? AND tenant = ?";

  private static final String WORKS =
      """
      SELECT %s, %s
      FROM json_each(?) AS wanted
      CROSS JOIN job ON job.id = unhex(wanted.value)
      CROSS JOIN job_content ON job_content.job_id = job.id
      """
          .formatted(JobTable.ALL.of("job"), ContentTable.VALUES.of("job_content"));

  private static final String CONTENTS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN job_content ON job_id = unhex(wanted.value)
      """
          .formatted(ContentTable.ALL.of("job_content"));

  private static final String ATTEMPTS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN attempt ON attempt.job_id = unhex(wanted.value)
      ORDER BY attempt.job_id, attempt.fence
      """
          .formatted(AttemptTable.ALL.of("attempt"));

  private static final String RECEIPTS =
      """
      SELECT %s
      FROM json_each(?) AS worker
      CROSS JOIN json_each(?) AS claim ON claim.key = worker.key
      CROSS JOIN claim_receipt AS receipt
        ON receipt.worker_id = worker.value AND receipt.claim_id = claim.value
      WHERE receipt.expires_at > ?
      """
          .formatted(Part.RECEIPTS.columns().of("receipt"));

  private static final String KEYS =
      """
      SELECT %s
      FROM json_each(?) AS wanted
      CROSS JOIN idempotency_key AS kept ON kept.key = wanted.value
      """
          .formatted(Part.NEW_KEYS.columns().of("kept"));

  static final String LAST_EVENT_SEQS =
      """
      SELECT id, seq FROM (
        SELECT unhex(wanted.value) AS id,
               (SELECT max(seq) FROM event WHERE job_id = unhex(wanted.value)) AS seq
        FROM json_each(?) AS wanted
      ) WHERE seq IS NOT NULL
      """;

  /** The last number that was given to an event. */
  static final String LAST_EVENT_SEQ = "SELECT seq FROM sqlite_sequence WHERE name = 'event'";

  /** The update changes nothing, but lets the id be returned of a class that is there already. */
  static final String INTERN_NEEDS =
      """
      INSERT INTO needs (command, requirements, tenant, workspace, target) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (target, tenant, workspace, command, requirements)
      DO UPDATE SET command = excluded.command
      RETURNING id
      """;

  /** Binds: workers. Reads: {@link WorkerTable#ALL}. */
  private static final String LOCK_WORKERS =
      """
      SELECT %s FROM json_each(?) AS wanted CROSS JOIN worker ON worker.worker_id = wanted.value
      """
          .formatted(WorkerTable.ALL.of("worker"));

  private static final String LOCK_DUE_WORKERS =
      """
      SELECT %s FROM worker WHERE due_at <= ? ORDER BY due_at LIMIT ?
      """
          .formatted(WorkerTable.ALL.names());

  private static final String OUTPUT_MARKS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN output ON job_id = unhex(wanted.value)
      """
          .formatted(Part.OUTPUTS.columns().of("output"));

  private static final String MIRRORED =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN job ON job.id = unhex(wanted.value)
      %s\
      """
          .formatted(MirrorReads.COLUMNS, MirrorReads.JOINS);

  private static final String EVENTS_AFTER =
      """
      SELECT %s
      FROM json_each(?) AS wanted
      CROSS JOIN event ON event.job_id = unhex(wanted.key) AND event.seq > wanted.value
      ORDER BY event.job_id, event.seq LIMIT ?
      """
          .formatted(EventTable.ALL.of("event"));

  @Override
  public String save(Part part) {
    return SqliteSaves.save(part);
  }

  @Override
  public String lockJobs() {
    return LOCK_JOBS;
  }

  @Override
  public String jobs() {
    return LOCK_JOBS;
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
    return "job";
  }

  @Override
  public String lockDue() {
    return LOCK_DUE;
  }

  @Override
  public String lockFading() {
    return LOCK_FADING;
  }

  private static String lockDue(Columns columns, String which) {
    return """
    SELECT %s FROM job WHERE due_at <= ? AND %s ORDER BY due_at LIMIT ?
    """
        .formatted(columns.names(), which);
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

  /** They come one by one in any case. */
  @Override
  public void fetchInParts(PreparedStatement select) {}

  @Override
  public String like() {
    return "LIKE";
  }

  @Override
  public @Nullable UUID uuid(ResultSet result, int column) throws SQLException {
    byte[] bytes = result.getBytes(column);
    if (bytes == null) {
      return null;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new UUID(buffer.getLong(), buffer.getLong());
  }

  @Override
  public void bind(PreparedStatement statement, int parameter, UUID id) throws SQLException {
    statement.setBytes(parameter, bytes(id));
  }

  @Override
  public void bindIds(PreparedStatement statement, int parameter, Collection<UUID> ids)
      throws SQLException {
    StringBuilder json = new StringBuilder(2 + 35 * ids.size()).append('[');
    String comma = "";
    for (UUID id : ids) {
      json.append(comma).append('"').append(hex(id)).append('"');
      comma = ",";
    }
    statement.setString(parameter, json.append(']').toString());
  }

  @Override
  public void bindTexts(PreparedStatement statement, int parameter, Collection<String> texts)
      throws SQLException {
    statement.setString(parameter, JsonTexts.write(texts));
  }

  @Override
  public int bindSeqs(PreparedStatement statement, Map<UUID, Long> seqs) throws SQLException {
    statement.setString(
        1,
        seqs.entrySet().stream()
            .map(one -> '"' + hex(one.getKey()) + "\":" + one.getValue())
            .collect(Collectors.joining(",", "{", "}")));
    return 2;
  }

  private static String hex(UUID id) {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(id.getMostSignificantBits())
        + hex.toHexDigits(id.getLeastSignificantBits());
  }

  @Override
  public List<String> texts(ResultSet result, int column) throws SQLException {
    return JsonTexts.read(result.getString(column));
  }

  static byte[] bytes(UUID id) {
    return ByteBuffer.allocate(16)
        .putLong(id.getMostSignificantBits())
        .putLong(id.getLeastSignificantBits())
        .array();
  }

  @Override
  public RuntimeException failure(SQLException e) {
    SQLiteErrorCode code = code(e);
    if (code == SQLiteErrorCode.SQLITE_CONSTRAINT_PRIMARYKEY
        || code == SQLiteErrorCode.SQLITE_CONSTRAINT_UNIQUE) {
      return new StoreConflictException(e);
    }
    return switch (SQLiteErrorCode.getErrorCode(code.code & 0xff)) {
      case SQLITE_FULL,
          SQLITE_IOERR,
          SQLITE_BUSY,
          SQLITE_LOCKED,
          SQLITE_READONLY,
          SQLITE_CANTOPEN,
          SQLITE_PROTOCOL,
          SQLITE_NOMEM ->
          new StoreUnavailableException("the SQLite database does not answer: " + code.name(), e);
      default -> new IllegalStateException("SQLite refused a statement: " + code.name(), e);
    };
  }

  private static SQLiteErrorCode code(Throwable e) {
    return e instanceof SQLiteException failed
        ? failed.getResultCode()
        : SQLiteErrorCode.SQLITE_ERROR;
  }

  /** What helps where a database cannot be opened. */
  static String advice(Throwable failure) {
    String advice = "restore it from a backup";
    for (Throwable e = failure; e != null; e = e.getCause()) {
      advice =
          switch (SQLiteErrorCode.getErrorCode(code(e).code & 0xff)) {
            case SQLITE_FULL -> "make room on its disk";
            case SQLITE_BUSY, SQLITE_LOCKED -> "end the other program that has it open";
            default -> advice;
          };
    }
    return advice;
  }
}
