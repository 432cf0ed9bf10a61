package dev.stint.storage;

/** SQLite's statements that write, one for each {@link Part} of what a transaction saves. */
final class SqliteSaves {
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

  private static final String EXPIRED_EVENTS =
      """
      DELETE FROM event WHERE seq IN (
        SELECT seq FROM event WHERE job_id IS NULL AND at < ? ORDER BY at LIMIT ?)
      """;

  private static final String NEW_WORKERS = insert("worker", Part.NEW_WORKERS);
  private static final String WORKERS = upsertWorker(WorkerTable.ALL, WorkerTable.VALUES);
  private static final String SIGHTINGS =
      upsertWorker(WorkerTable.SIGHTING, WorkerTable.SIGHTING_VALUES);

  private static final String SEEN =
      "UPDATE worker SET online = ?, last_seen = ?, due_at = ? WHERE worker_id = ?";

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

  private static String insert(String table, Part part) {
    return """
    INSERT INTO %s (%s) VALUES (%s)
    """
        .formatted(table, part.columns().names(), part.columns().parameters());
  }

  private static String upsertWorker(Columns all, Columns values) {
    return """
    INSERT INTO worker (%s) VALUES (%s) ON CONFLICT (worker_id) DO UPDATE SET %s
    """
        .formatted(all.names(), all.parameters(), values.assignmentsFrom("excluded"));
  }

  private SqliteSaves() {}

  /** Writes one row of {@link Part#columns()}, or removes a {@link Run}. */
  static String save(Part part) {
    return switch (part) {
      case NEW_JOBS, NEW_ENDED_JOBS -> NEW_JOBS;
      case NEW_CONTENTS -> NEW_CONTENTS;
      case NEW_KEYS -> NEW_KEYS;
      case MOVED_JOBS, HELD_JOBS, ENDED_JOBS, REVISED_JOBS -> MOVED_JOBS;
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
      case NEW_WORKERS -> NEW_WORKERS;
      case WORKERS -> WORKERS;
      case SIGHTINGS -> SIGHTINGS;
      case SEEN -> SEEN;
      case RELAYED -> "DELETE FROM outbox WHERE seq BETWEEN ? AND ?";
      case NOTES -> NOTES;
      case TALLY -> TALLY;
    };
  }
}
