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
 * SQLite's statements. Ids are blobs of 16 bytes. Lists come as one JSON text through {@code
 * json_each}; rows are written by batches of a prepared statement, which for rows as wide as ours
 * is several times as fast as taking them out of JSON.
 */
final class SqliteDialect implements Dialect {
  private static final String LOCK_JOBS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN job ON job.id = unhex(wanted.value)
      ORDER BY job.id
      """
          .formatted(JobTable.ALL.of("job"));

  private static final String LOCK_HELD_BY =
      """
      SELECT %s FROM job WHERE worker_id = ? ORDER BY id LIMIT ?
      """
          .formatted(JobTable.ALL.names());

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

  private static final String NEW_JOBS = insert("job", Part.NEW_JOBS);
  private static final String NEW_CONTENTS = insert("job_content", Part.NEW_CONTENTS);
  private static final String NEW_KEYS = insert("idempotency_key", Part.NEW_KEYS);
  private static final String NEW_ATTEMPTS = insert("attempt", Part.ATTEMPTS);
  private static final String NEW_EVENTS = insert("event", Part.EVENTS);

  private static final String MOVED_JOBS =
      """
      UPDATE job SET %s WHERE id = ?
      """
          .formatted(JobTable.MOVED_VALUES.assignments());

  private static final String ALIVE_JOBS =
      """
      UPDATE job SET %s WHERE id = ?
      """
          .formatted(JobTable.ALIVE_VALUES.assignments());

  private static final String EXPIRED_RECEIPTS =
      """
      DELETE FROM claim_receipt WHERE (worker_id, claim_id) IN (
        SELECT worker_id, claim_id FROM claim_receipt WHERE expires_at <= ? LIMIT ?)
      """;

  private static final String REPLACED_RECEIPTS =
      """
      DELETE FROM claim_receipt WHERE worker_id = ? AND claim_id = ? AND expires_at <= ?
      """;

  private static final String NEW_RECEIPTS = insert("claim_receipt", Part.RECEIPTS);

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

  private static final String EXPIRED_EVENTS =
      """
      DELETE FROM event WHERE seq IN (
        SELECT seq FROM event WHERE job_id IS NULL AND at < ? ORDER BY at LIMIT ?)
      """;

  private static final String WORKERS = upsertWorker(WorkerTable.ALL, WorkerTable.VALUES);
  private static final String SIGHTINGS =
      upsertWorker(WorkerTable.SIGHTING, WorkerTable.SIGHTING_VALUES);

  private static final String SEEN =
      "UPDATE worker SET online = ?, last_seen = ?, due_at = ? WHERE worker_id = ?";

  private static String upsertWorker(Columns all, Columns values) {
    return """
    INSERT INTO worker (%s) VALUES (%s) ON CONFLICT (worker_id) DO UPDATE SET %s
    """
        .formatted(all.names(), all.parameters(), values.assignmentsFrom("excluded"));
  }

  private static final String OUTPUT_MARKS =
      """
      SELECT %s
      FROM json_each(?) AS wanted CROSS JOIN output ON job_id = unhex(wanted.value)
      """
          .formatted(Part.OUTPUTS.columns().of("output"));

  private static final String FADED_EVENTS =
      """
      DELETE FROM event WHERE seq IN (
        SELECT seq FROM event WHERE job_id = ? AND type IN ('progress', 'emitted')
        ORDER BY seq LIMIT ?)
      """;

  private static final String OUTPUTS =
      """
      INSERT INTO output (%s) VALUES (%s) ON CONFLICT (job_id) DO UPDATE
      SET fence = excluded.fence, next_offset = excluded.next_offset, bytes = excluded.bytes
      """
          .formatted(Part.OUTPUTS.columns().names(), Part.OUTPUTS.columns().parameters());

  private static final String TALLY =
      """
      INSERT INTO tally (%s) VALUES (%s)
      ON CONFLICT (queue, state, shard) DO UPDATE SET n = n + excluded.n
      """
          .formatted(Part.TALLY.columns().names(), Part.TALLY.columns().parameters());

  private static final String RISEN_COUNTS =
      """
      INSERT INTO dead_group (fingerprint, shard, n)
      SELECT fingerprint, ?, -1 FROM dead_letter WHERE job_id = ?
      ON CONFLICT (fingerprint, shard) DO UPDATE SET n = n - 1
      """;

  private static final String DEAD = insert("dead_letter", Part.DEAD);
  private static final String NOTES = insert("outbox", Part.NOTES);

  private static final String DEAD_GROUPS =
      """
      INSERT INTO dead_group (%s) VALUES (%s)
      ON CONFLICT (fingerprint, shard) DO UPDATE SET
        n = n + excluded.n,
        code = excluded.code, shape = excluded.shape,
        first_at = coalesce(first_at, excluded.first_at),
        last_at = excluded.last_at, sample_job = excluded.sample_job,
        sample_queue = excluded.sample_queue, sample_message = excluded.sample_message
      """
          .formatted(DeadTable.GROUP.names(), DeadTable.GROUP.parameters());

  private static final String PAUSED_QUEUES =
      """
      INSERT INTO paused_queue (%s) VALUES (%s)
      ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason, since = excluded.since
      """
          .formatted(
              Part.PAUSED_QUEUES.columns().names(), Part.PAUSED_QUEUES.columns().parameters());

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

  private static String insert(String table, Part part) {
    return """
    INSERT INTO %s (%s) VALUES (%s)
    """
        .formatted(table, part.columns().names(), part.columns().parameters());
  }

  @Override
  public String save(Part part) {
    return switch (part) {
      case NEW_JOBS -> NEW_JOBS;
      case NEW_CONTENTS -> NEW_CONTENTS;
      case NEW_KEYS -> NEW_KEYS;
      case MOVED_JOBS -> MOVED_JOBS;
      case ALIVE_JOBS -> ALIVE_JOBS;
      case REMOVED_JOBS -> "DELETE FROM job WHERE id BETWEEN ? AND ?";
      case REMOVED_CONTENTS -> "DELETE FROM job_content WHERE job_id BETWEEN ? AND ?";
      case REMOVED_KEYS -> "DELETE FROM idempotency_key WHERE job_id BETWEEN ? AND ?";
      case REMOVED_ATTEMPTS -> "DELETE FROM attempt WHERE job_id BETWEEN ? AND ?";
      case REMOVED_EVENTS -> "DELETE FROM event WHERE job_id BETWEEN ? AND ?";
      case REMOVED_RECEIPTS -> "DELETE FROM claim_receipt WHERE job_id BETWEEN ? AND ?";
      case RISEN_COUNTS -> RISEN_COUNTS;
      case RISEN -> "DELETE FROM dead_letter WHERE job_id = ?";
      case DEAD -> DEAD;
      case DEAD_GROUPS -> DEAD_GROUPS;
      case EMPTY_GROUPS -> "DELETE FROM dead_group WHERE shard = ? AND n = 0";
      case RESUMED_QUEUES -> "DELETE FROM paused_queue WHERE queue = ?";
      case PAUSED_QUEUES -> PAUSED_QUEUES;
      case REMOVED_OUTPUTS -> "DELETE FROM output WHERE job_id BETWEEN ? AND ?";
      case ATTEMPTS -> NEW_ATTEMPTS;
      case EVENTS -> NEW_EVENTS;
      case FADED_EVENTS -> FADED_EVENTS;
      case OUTPUTS -> OUTPUTS;
      case EXPIRED_RECEIPTS -> EXPIRED_RECEIPTS;
      case REPLACED_RECEIPTS -> REPLACED_RECEIPTS;
      case RECEIPTS -> NEW_RECEIPTS;
      case EXPIRED_EVENTS -> EXPIRED_EVENTS;
      case FORGOTTEN_WORKERS -> "DELETE FROM worker WHERE worker_id = ?";
      case WORKERS -> WORKERS;
      case SIGHTINGS -> SIGHTINGS;
      case SEEN -> SEEN;
      case RELAYED -> "DELETE FROM outbox WHERE seq BETWEEN ? AND ?";
      case NOTES -> NOTES;
      case TALLY -> TALLY;
    };
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
  public String lockHeldBy() {
    return LOCK_HELD_BY;
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
    SQLiteErrorCode code =
        e instanceof SQLiteException failed ? failed.getResultCode() : SQLiteErrorCode.SQLITE_ERROR;
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
}
