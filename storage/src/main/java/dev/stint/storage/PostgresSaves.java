package dev.stint.storage;

import java.util.BitSet;

/** PostgreSQL's statements that write, one for each {@link Part} of what a transaction saves. */
final class PostgresSaves {
  private static final String NEW_JOBS = insert("job_live", Part.NEW_JOBS);
  private static final String NEW_ENDED_JOBS = insert("job_over", Part.NEW_ENDED_JOBS);
  private static final String NEW_CONTENTS = insert("job_content", Part.NEW_CONTENTS);
  private static final String NEW_KEYS = insert("idempotency_key", Part.NEW_KEYS);
  private static final String NEW_ATTEMPTS = insert("attempt", Part.ATTEMPTS);
  private static final String NEW_EVENTS = insert("event", Part.EVENTS);

  private static final String SAME_JOB = "job.id = ANY(ARRAY[given.id])";

  private static final String MOVED_JOBS = update(Part.MOVED_JOBS);
  private static final String HELD_JOBS = update(Part.HELD_JOBS);
  private static final String ENDED_JOBS = update(Part.ENDED_JOBS);
  private static final String REVISED_JOBS = update(Part.REVISED_JOBS);
  private static final String ALIVE_JOBS = update(Part.ALIVE_JOBS);

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

  /**
   * Which sightings are written. Most say no more than that a worker is still there that counts as
   * there for half of its silence yet. Those are left out if the table shows the worker within the
   * last second, as two writers may see one worker, and if another transaction has its row locked.
   * So they wait for nobody, and do not close a circle of transactions that have locked a worker
   * and see another one. The next sign of life comes before that half is over, and is waited for.
   */
  private static final String IF_NEWS =
      """
      WHERE (known.online AND %s
          AND known.due_at - sighting.last_seen > (sighting.due_at - sighting.last_seen) / 2
        ) IS NOT TRUE
        OR (known.last_seen + 1000 <= sighting.last_seen AND EXISTS (
          SELECT 1 FROM worker AS free
          WHERE free.worker_id = sighting.worker_id FOR UPDATE SKIP LOCKED))
      ORDER BY sighting.worker_id
      """;

  private static final String SIGHTINGS =
      """
      INSERT INTO worker (%s)
      SELECT sighting.* FROM unnest(%s) AS sighting (%s)
      LEFT JOIN worker AS known ON known.worker_id = sighting.worker_id
      %s
      ON CONFLICT (worker_id) DO UPDATE SET %s
      """
          .formatted(
              WorkerTable.SIGHTING.names(),
              WorkerTable.SIGHTING.arrays(),
              WorkerTable.SIGHTING.names(),
              IF_NEWS.formatted(
                  """
                  known.commands_only = sighting.commands_only
                    AND known.capabilities = sighting.capabilities\
                  """),
              WorkerTable.SIGHTING_VALUES.assignmentsFrom("excluded"));

  /** The same for workers that are known; an update would not go in the order of ids. */
  private static final String SEEN =
      """
      INSERT INTO worker (%s, %s)
      SELECT %s, %s FROM unnest(%s) AS sighting (%s)
      JOIN worker AS known ON known.worker_id = sighting.worker_id
      %s
      ON CONFLICT (worker_id) DO UPDATE SET %s
      """
          .formatted(
              WorkerTable.LASTING.names(),
              WorkerTable.SEEN_VALUES.names(),
              WorkerTable.LASTING.of("known"),
              WorkerTable.SEEN_VALUES.of("sighting"),
              WorkerTable.SEEN.arrays(),
              WorkerTable.SEEN.names(),
              IF_NEWS.formatted("true"),
              WorkerTable.SEEN_VALUES.assignmentsFrom("excluded"));

  private static final String NEW_WORKERS = insert("worker", Part.NEW_WORKERS);

  private static final String WORKERS =
      """
      INSERT INTO worker (%s) SELECT * FROM unnest(%s) ON CONFLICT (worker_id) DO UPDATE SET %s
      """
          .formatted(
              WorkerTable.ALL.names(),
              WorkerTable.ALL.arrays(),
              WorkerTable.VALUES.assignmentsFrom("excluded"));

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

  /**
   * Changes jobs: those that live on where they are, those that end by taking them over to the
   * others, and those that were over wherever they belong then.
   *
   * <p>Each row looks for its job by {@link #SAME_JOB}. Of a table that was empty at its last
   * vacuum the planner believes that it still is, and would rather compare all jobs with all rows;
   * with an equality it could.
   *
   * @param arrays the columns that come as arrays; of each other one comes one value
   */
  static String update(Part part, BitSet arrays) {
    Columns given = part.columns().at(arrays);
    Columns values = part.columns().first(part.columns().size() - 1);
    return part == Part.ENDED_JOBS
        ? """
        WITH ended AS (
          DELETE FROM job_live AS job USING unnest(%s) AS given (%s) WHERE %s RETURNING %s, %s
        )
        INSERT INTO job_over (%s, %s) SELECT * FROM ended
        """
            .formatted(
                given.arrays(),
                given.names(),
                SAME_JOB,
                JobTable.LASTING.of("job"),
                values.valuesFrom("given", arrays),
                JobTable.LASTING.names(),
                values.names())
        : """
        UPDATE %s AS job SET %s FROM unnest(%s) AS given (%s) WHERE %s
        """
            .formatted(
                part == Part.REVISED_JOBS ? "job" : "job_live",
                values.assignmentsFrom("given", arrays),
                given.arrays(),
                given.names(),
                SAME_JOB);
  }

  private static String update(Part part) {
    return update(part, part.columns().all());
  }

  private PostgresSaves() {}

  /** Writes rows of {@link Part#columns()}. */
  static String save(Part part) {
    return switch (part) {
      case NEW_JOBS -> NEW_JOBS;
      case NEW_ENDED_JOBS -> NEW_ENDED_JOBS;
      case NEW_CONTENTS -> NEW_CONTENTS;
      case NEW_KEYS -> NEW_KEYS;
      case MOVED_JOBS -> MOVED_JOBS;
      case HELD_JOBS -> HELD_JOBS;
      case ENDED_JOBS -> ENDED_JOBS;
      case REVISED_JOBS -> REVISED_JOBS;
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
      case NEW_WORKERS -> NEW_WORKERS;
      case WORKERS -> WORKERS;
      case SIGHTINGS -> SIGHTINGS;
      case SEEN -> SEEN;
      case RELAYED -> RELAYED;
      case NOTES -> NOTES;
      case TALLY -> TALLY;
    };
  }
}
