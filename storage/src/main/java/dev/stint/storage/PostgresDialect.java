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
 * PostgreSQL's statements. Lists and rows come as arrays, one per column, so that each statement
 * has one text and one plan whatever the number of rows. What many rows have in common may come as
 * one value instead, see {@link PostgresShapes}.
 */
final class PostgresDialect implements Dialect {
  private static final String TIME = "CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)";

  static final String CLOCK = "SELECT " + TIME;

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
   * Keeps others from beginning a lead; gives whether that could be done, and then the clock and
   * the lead. These are two statements, so that the second sees all that the first has waited for.
   */
  static final String KEEP_LEAD =
      "SELECT pg_try_advisory_xact_lock_shared(%s); SELECT %s, (%s)"
          .formatted(LEAD_LOCK, TIME, LEAD);

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

  private static final String LOCK_HELD_BY =
      """
      SELECT %s FROM job WHERE worker_id = ? ORDER BY id LIMIT ? FOR UPDATE
      """
          .formatted(JobTable.ALL.names());

  private static final String LOCK_DUE =
      """
      SELECT %s FROM job WHERE due_at <= ? ORDER BY due_at LIMIT ? FOR UPDATE SKIP LOCKED
      """
          .formatted(JobTable.ALL.names());

  /**
   * Binds: a class, queue, the class, queue, the class twice, workspace twice, whether commands
   * only, capabilities, and what {@link #lockClaimable} binds. The class is one that probably
   * waits, or 0; any is right. Reads: the number of candidates, {@link JobTable#ALL} and {@link
   * ContentTable#VALUES}; one row of NULLs after the number if nothing could be locked.
   *
   * <p>Goes from class to class along the claim index, so that classes of which nothing waits here
   * cost nothing. To find the first job of a class is to pass all that were claimed since the last
   * vacuum, so the class that is given is taken to be there, and others are looked for below and
   * above it.
   */
  static final String LOCK_CLAIMABLE =
      lockClaimable(
          """
          RECURSIVE present (needs_id) AS (
            (SELECT ?::bigint AS needs_id
             UNION ALL
             (SELECT job.needs_id FROM job
              WHERE job.queue = ? AND job.claimable AND job.needs_id < ?
              ORDER BY job.needs_id LIMIT 1))
            UNION ALL
            SELECT (SELECT job.needs_id FROM job
                    WHERE job.queue = ? AND job.claimable AND job.needs_id > present.needs_id
                      AND job.needs_id < CASE WHEN present.needs_id < ?::bigint THEN ?::bigint
                                              ELSE 9223372036854775807 END
                    ORDER BY job.needs_id LIMIT 1)
            FROM present WHERE present.needs_id IS NOT NULL
          ), class AS MATERIALIZED (
            SELECT needs.id FROM present JOIN needs ON needs.id = present.needs_id
            WHERE needs.target = '' AND (? = '' OR needs.workspace = ?)
              AND (needs.command OR NOT ?) AND needs.requirements <@ ?::text[]
          )
          """);

  /**
   * The same for one tenant's jobs, or for those that are delivered to one place: their classes are
   * known by name, and no other has to be looked at. Binds first: target, tenant.
   */
  static final String LOCK_CLAIMABLE_OF =
      lockClaimable(
          """
          class AS MATERIALIZED (
            SELECT id FROM needs
            WHERE target = ? AND tenant = ? AND (? = '' OR workspace = ?)
              AND (command OR NOT ?) AND requirements <@ ?::text[]
          )
          """);

  /**
   * Binds, after what {@code classes} binds: queue, limit, queue, candidates twice, limit.
   *
   * <p>If there is one class only, its jobs are locked on the way along the claim index, past those
   * that others have locked. If there are several, the first of each are found without locking,
   * then the first of all are locked: where the locking comes before the limit, rows that others
   * have locked are replaced by the next candidates, and no more are locked than are returned. A
   * row that changed meanwhile is looked at again once it is locked; that second look is written so
   * that the planner cannot take the claim index for it, which on a table without statistics it
   * prefers to the primary key.
   */
  private static String lockClaimable(String classes) {
    return """
    WITH %1$s, straight AS MATERIALIZED (
      SELECT %2$s
      FROM job
      WHERE job.queue = ? AND job.claimable
        AND job.needs_id = (SELECT max(class.id) FROM class HAVING count(*) = 1)
      ORDER BY job.priority DESC, job.created_at, job.id
      LIMIT ? FOR UPDATE SKIP LOCKED
    ), candidate AS MATERIALIZED (
      SELECT first.id, first.priority, first.created_at
      FROM class CROSS JOIN LATERAL (
        SELECT job.id, job.priority, job.created_at FROM job
        WHERE job.queue = ? AND job.needs_id = class.id AND job.claimable
        ORDER BY job.priority DESC, job.created_at, job.id LIMIT ?
      ) AS first
      WHERE (SELECT count(*) FROM class) > 1
      ORDER BY first.priority DESC, first.created_at, first.id LIMIT ?
    ), locked AS MATERIALIZED (
      SELECT %2$s
      FROM candidate JOIN job ON job.id = candidate.id
      WHERE CAST(job.claimable AS integer) = 1
      ORDER BY candidate.priority DESC, candidate.created_at, candidate.id
      LIMIT ? FOR UPDATE OF job SKIP LOCKED
    )
    SELECT seen.n, %3$s, %4$s
    FROM (SELECT count(*) AS n FROM candidate) AS seen
    LEFT JOIN (
      (SELECT * FROM straight UNION ALL SELECT * FROM locked) AS taken
      JOIN job_content ON job_content.job_id = taken.id
    ) ON true
    ORDER BY taken.priority DESC, taken.created_at, taken.id
    """
        .formatted(
            classes,
            JobTable.ALL.of("job"),
            JobTable.ALL.of("taken"),
            ContentTable.VALUES.of("job_content"));
  }

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

  static final String INTERN_NEEDS =
      """
      INSERT INTO needs (command, requirements, tenant, workspace, target, fingerprint)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (fingerprint) DO NOTHING
      """;

  static final String NEEDS_ID = "SELECT id FROM needs WHERE fingerprint = ?";

  private static final String NEW_JOBS = insert("job", Part.NEW_JOBS);
  private static final String NEW_CONTENTS = insert("job_content", Part.NEW_CONTENTS);
  private static final String NEW_KEYS = insert("idempotency_key", Part.NEW_KEYS);
  private static final String NEW_ATTEMPTS = insert("attempt", Part.ATTEMPTS);
  private static final String NEW_EVENTS = insert("event", Part.EVENTS);

  private static final String MOVED_JOBS =
      """
      UPDATE job SET %s FROM unnest(%s) AS after (%s) WHERE job.id = after.id
      """
          .formatted(
              JobTable.MOVED_VALUES.assignmentsFrom("after"),
              JobTable.MOVED.arrays(),
              JobTable.MOVED.names());

  private static final String ALIVE_JOBS =
      """
      UPDATE job SET %s FROM unnest(%s) AS after (%s) WHERE job.id = after.id
      """
          .formatted(
              JobTable.ALIVE_VALUES.assignmentsFrom("after"),
              JobTable.ALIVE.arrays(),
              JobTable.ALIVE.names());

  private static final String EXPIRED_RECEIPTS =
      """
      DELETE FROM claim_receipt AS receipt
      USING unnest(?::bigint[], ?::bigint[]) AS asked (expired_at, at_most)
      CROSS JOIN LATERAL (
        SELECT old.worker_id, old.claim_id FROM claim_receipt AS old
        WHERE old.expires_at <= asked.expired_at
        ORDER BY old.expires_at LIMIT asked.at_most FOR UPDATE SKIP LOCKED
      ) AS expired
      WHERE receipt.worker_id = expired.worker_id AND receipt.claim_id = expired.claim_id
      """;

  private static final String REPLACED_RECEIPTS =
      """
      DELETE FROM claim_receipt AS receipt
      USING unnest(%s) AS replaced (%s)
      WHERE receipt.worker_id = replaced.worker_id AND receipt.claim_id = replaced.claim_id
        AND receipt.expires_at <= replaced.expired_at
      """
          .formatted(
              Part.REPLACED_RECEIPTS.columns().arrays(), Part.REPLACED_RECEIPTS.columns().names());

  private static final String NEW_RECEIPTS = insert("claim_receipt", Part.RECEIPTS);

  /** Leaves out whom the table shows within the last second, as two writers may see one worker. */
  private static final String SIGHTINGS =
      """
      INSERT INTO worker (%s)
      SELECT sighting.* FROM unnest(%s) AS sighting (%s)
      LEFT JOIN worker AS known ON known.worker_id = sighting.worker_id
        AND known.online
        AND known.commands_only = sighting.commands_only
        AND known.capabilities = sighting.capabilities
      WHERE known.last_seen IS NULL OR known.last_seen + 1000 <= sighting.last_seen
      ORDER BY sighting.worker_id
      ON CONFLICT (worker_id) DO UPDATE SET %s
      """
          .formatted(
              WorkerTable.SIGHTING.names(),
              WorkerTable.SIGHTING.arrays(),
              WorkerTable.SIGHTING.names(),
              WorkerTable.SIGHTING_VALUES.assignmentsFrom("excluded"));

  private static final String WORKERS =
      """
      INSERT INTO worker (%s) SELECT * FROM unnest(%s) ON CONFLICT (worker_id) DO UPDATE SET %s
      """
          .formatted(
              WorkerTable.ALL.names(),
              WorkerTable.ALL.arrays(),
              WorkerTable.VALUES.assignmentsFrom("excluded"));

  private static final String SEEN =
      """
      UPDATE worker SET online = seen.online, last_seen = seen.last_seen, due_at = seen.due_at
      FROM unnest(%s) AS seen (%s) WHERE worker.worker_id = seen.worker_id
      """
          .formatted(WorkerTable.SEEN.arrays(), WorkerTable.SEEN.names());

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

  private static final String EXPIRED_EVENTS =
      """
      DELETE FROM event
      USING unnest(?::bigint[], ?::bigint[]) AS asked (before, at_most)
      CROSS JOIN LATERAL (
        SELECT old.seq FROM event AS old WHERE old.job_id IS NULL AND old.at < asked.before
        ORDER BY old.at LIMIT asked.at_most FOR UPDATE SKIP LOCKED
      ) AS expired
      WHERE event.seq = expired.seq
      """;

  private static final String OUTPUT_MARKS =
      """
      SELECT %s FROM output WHERE job_id = ANY(?)
      """
          .formatted(Part.OUTPUTS.columns().names());

  private static final String FADED_EVENTS =
      """
      DELETE FROM event
      USING unnest(%s) AS asked (%s)
      CROSS JOIN LATERAL (
        SELECT old.seq FROM event AS old
        WHERE old.job_id = asked.job_id AND old.type IN ('progress', 'emitted')
        ORDER BY old.seq LIMIT asked.at_most
      ) AS faded
      WHERE event.seq = faded.seq
      """
          .formatted(Part.FADED_EVENTS.columns().arrays(), Part.FADED_EVENTS.columns().names());

  private static final String OUTPUTS =
      """
      INSERT INTO output (%s) SELECT * FROM unnest(%s) ON CONFLICT (job_id) DO UPDATE
      SET fence = excluded.fence, next_offset = excluded.next_offset, bytes = excluded.bytes
      """
          .formatted(Part.OUTPUTS.columns().names(), Part.OUTPUTS.columns().arrays());

  private static final String TALLY =
      """
      INSERT INTO tally (%s) SELECT * FROM unnest(%s)
      ON CONFLICT (queue, state, shard) DO UPDATE SET n = tally.n + excluded.n
      """
          .formatted(Part.TALLY.columns().names(), Part.TALLY.columns().arrays());

  /** Binds arrays of equal length; the shard is the same in all rows. */
  private static final String RISEN_COUNTS =
      """
      INSERT INTO dead_group (fingerprint, shard, n)
      SELECT letter.fingerprint, (?::bigint[])[1], -count(*)
      FROM dead_letter AS letter WHERE letter.job_id = ANY(?::uuid[])
      GROUP BY letter.fingerprint ORDER BY letter.fingerprint
      ON CONFLICT (fingerprint, shard) DO UPDATE SET n = dead_group.n + excluded.n
      """;

  private static final String DEAD = insert("dead_letter", Part.DEAD);
  private static final String NOTES = insert("outbox", Part.NOTES);

  private static final String DEAD_GROUPS =
      """
      INSERT INTO dead_group (%s) SELECT * FROM unnest(%s)
      ON CONFLICT (fingerprint, shard) DO UPDATE SET
        n = dead_group.n + excluded.n,
        code = excluded.code, shape = excluded.shape,
        first_at = coalesce(dead_group.first_at, excluded.first_at),
        last_at = excluded.last_at, sample_job = excluded.sample_job,
        sample_queue = excluded.sample_queue, sample_message = excluded.sample_message
      """
          .formatted(DeadTable.GROUP.names(), DeadTable.GROUP.arrays());

  private static final String EMPTY_GROUPS =
      """
      DELETE FROM dead_group USING unnest(?::bigint[]) AS emptied (shard)
      WHERE dead_group.shard = emptied.shard AND dead_group.n = 0
      """;

  private static final String PAUSED_QUEUES =
      """
      INSERT INTO paused_queue (%s) SELECT * FROM unnest(%s)
      ON CONFLICT (queue) DO UPDATE SET reason = excluded.reason, since = excluded.since
      """
          .formatted(Part.PAUSED_QUEUES.columns().names(), Part.PAUSED_QUEUES.columns().arrays());

  /** Shards that cancel each other out; the table is locked, so that none counts meanwhile. */
  static final List<String> FOLD_DEAD_GROUPS =
      List.of(
          "LOCK TABLE dead_group IN EXCLUSIVE MODE",
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

  private static final String RELAYED =
      """
      DELETE FROM outbox USING unnest(%s) AS relayed (%s)
      WHERE outbox.seq BETWEEN relayed.first AND relayed.last
      """
          .formatted(Part.RELAYED.columns().arrays(), Part.RELAYED.columns().names());

  private static String insert(String table, Part part) {
    return """
    INSERT INTO %s (%s) SELECT * FROM unnest(%s)
    """
        .formatted(table, part.columns().names(), part.columns().arrays());
  }

  @Override
  public String save(Part part) {
    return switch (part) {
      case NEW_JOBS -> NEW_JOBS;
      case NEW_CONTENTS -> NEW_CONTENTS;
      case NEW_KEYS -> NEW_KEYS;
      case MOVED_JOBS -> MOVED_JOBS;
      case ALIVE_JOBS -> ALIVE_JOBS;
      case REMOVED_JOBS -> "DELETE FROM job WHERE id = ANY(?::uuid[])";
      case REMOVED_CONTENTS -> "DELETE FROM job_content WHERE job_id = ANY(?::uuid[])";
      case REMOVED_KEYS -> "DELETE FROM idempotency_key WHERE job_id = ANY(?::uuid[])";
      case REMOVED_ATTEMPTS -> "DELETE FROM attempt WHERE job_id = ANY(?::uuid[])";
      case REMOVED_EVENTS -> "DELETE FROM event WHERE job_id = ANY(?::uuid[])";
      case REMOVED_RECEIPTS -> "DELETE FROM claim_receipt WHERE job_id = ANY(?::uuid[])";
      case RISEN_COUNTS -> RISEN_COUNTS;
      case RISEN -> "DELETE FROM dead_letter WHERE job_id = ANY(?::uuid[])";
      case DEAD -> DEAD;
      case DEAD_GROUPS -> DEAD_GROUPS;
      case EMPTY_GROUPS -> EMPTY_GROUPS;
      case RESUMED_QUEUES -> "DELETE FROM paused_queue WHERE queue = ANY(?::text[])";
      case PAUSED_QUEUES -> PAUSED_QUEUES;
      case REMOVED_OUTPUTS -> "DELETE FROM output WHERE job_id = ANY(?::uuid[])";
      case ATTEMPTS -> NEW_ATTEMPTS;
      case EVENTS -> NEW_EVENTS;
      case FADED_EVENTS -> FADED_EVENTS;
      case OUTPUTS -> OUTPUTS;
      case EXPIRED_RECEIPTS -> EXPIRED_RECEIPTS;
      case REPLACED_RECEIPTS -> REPLACED_RECEIPTS;
      case RECEIPTS -> NEW_RECEIPTS;
      case EXPIRED_EVENTS -> EXPIRED_EVENTS;
      case FORGOTTEN_WORKERS -> "DELETE FROM worker WHERE worker_id = ANY(?::text[])";
      case WORKERS -> WORKERS;
      case SIGHTINGS -> SIGHTINGS;
      case SEEN -> SEEN;
      case RELAYED -> RELAYED;
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
    return JOBS;
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
      // serialization failure, deadlock, lock not available in time, unique violation
      case "40001", "40P01", "55P03", "23505" -> new StoreConflictException(e);
      default ->
          isAway(e, state)
              ? new StoreUnavailableException(
                  "the PostgreSQL database does not answer: " + state, e)
              : new IllegalStateException("PostgreSQL refused a statement: " + state, e);
    };
  }

  /** No connection, no resources, shutting down, timed out, or a standby that cannot write. */
  private static boolean isAway(SQLException e, String state) {
    return e instanceof SQLTransientConnectionException
        || state.startsWith("08")
        || state.startsWith("53")
        || state.startsWith("57P")
        || state.startsWith("58")
        || state.equals("57014")
        || state.equals("25P03")
        || state.equals("25006");
  }
}
