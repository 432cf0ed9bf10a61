package dev.stint.storage;

/** PostgreSQL's statements that find what a worker may have, and lock it. */
final class PostgresClaims {
  /**
   * Binds: a class, queue, the class, queue, the class twice, workspace twice, whether commands
   * only, capabilities, and what {@link #lockClaimable} binds. The class is one that probably
   * waits, or 0; any is right. Reads: the number of candidates, and the id and the version of each
   * job that was locked; NULLs after the number if none could be.
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
             (SELECT job.needs_id FROM job_live AS job
              WHERE job.queue = ? AND job.claimable AND job.needs_id < ?
              ORDER BY job.needs_id LIMIT 1))
            UNION ALL
            SELECT (SELECT job.needs_id FROM job_live AS job
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

  /** What comes before a look that waits for nobody, and the look. */
  static final String LOCK_VERSIONS_CLOCK_AND_CLAIMABLE =
      PostgresDialect.LOCK_VERSIONS_AND_CLOCK + ";" + LOCK_CLAIMABLE;

  static final String CLOCK_AND_CLAIMABLE =
      PostgresDialect.CLOCK_AND_VERSION + ";" + LOCK_CLAIMABLE;

  /**
   * Binds, after what {@code classes} binds: queue, class, priority, limit, queue, class, priority,
   * time, limit, queue, candidates twice, limit. Class, priority and time are where the look
   * begins, see {@link ClaimTrails}.
   *
   * <p>If there is one class only, its jobs are locked on the way along the claim index, past those
   * that others have locked: first those of higher priority than where the look begins, then those
   * of that priority. If there are several, the first of each are found without locking, then the
   * first of all are locked: where the locking comes before the limit, rows that others have locked
   * are replaced by the next candidates, and no more are locked than are returned. A row that
   * changed meanwhile is looked at again once it is locked; that second look is written so that the
   * planner cannot take the claim index for it, which on a table without statistics it prefers to
   * the primary key.
   */
  private static String lockClaimable(String classes) {
    return """
    WITH %1$s, higher AS MATERIALIZED (
      SELECT %2$s
      FROM job_live AS job
      WHERE job.queue = ? AND job.claimable
        AND job.needs_id = (SELECT max(class.id) FROM class HAVING count(*) = 1)
        AND job.priority > (SELECT CASE WHEN max(class.id) = ? THEN ?::bigint ELSE %3$d END
                            FROM class)
      ORDER BY job.priority DESC, job.created_at, job.id
      LIMIT ? FOR UPDATE SKIP LOCKED
    ), level AS MATERIALIZED (
      SELECT %2$s
      FROM job_live AS job
      WHERE job.queue = ? AND job.claimable
        AND job.needs_id = (SELECT max(class.id) FROM class
                            HAVING count(*) = 1 AND max(class.id) = ?)
        AND job.priority = ?::bigint AND job.created_at >= ?
      ORDER BY job.priority DESC, job.created_at, job.id
      LIMIT ?::bigint - (SELECT count(*) FROM higher) FOR UPDATE SKIP LOCKED
    ), candidate AS MATERIALIZED (
      SELECT first.id, first.priority, first.created_at
      FROM class CROSS JOIN LATERAL (
        SELECT job.id, job.priority, job.created_at FROM job_live AS job
        WHERE job.queue = ? AND job.needs_id = class.id AND job.claimable
        ORDER BY job.priority DESC, job.created_at, job.id LIMIT ?
      ) AS first
      WHERE (SELECT count(*) FROM class) > 1
      ORDER BY first.priority DESC, first.created_at, first.id LIMIT ?
    ), locked AS MATERIALIZED (
      SELECT %2$s
      FROM candidate JOIN job_live AS job ON job.id = candidate.id
      WHERE CAST(job.claimable AS integer) = 1
      ORDER BY candidate.priority DESC, candidate.created_at, candidate.id
      LIMIT ? FOR UPDATE OF job SKIP LOCKED
    )
    SELECT seen.n, taken.id, taken.version
    FROM (SELECT count(*) AS n FROM candidate) AS seen
    LEFT JOIN (
      SELECT * FROM higher UNION ALL SELECT * FROM level UNION ALL SELECT * FROM locked
    ) AS taken ON true
    ORDER BY taken.priority DESC, taken.created_at, taken.id
    """
        .formatted(
            classes,
            "job.id, %s AS version, job.priority, job.created_at"
                .formatted(PostgresDialect.VERSION),
            ClaimTrails.NO_PRIORITY);
  }

  static final String INTERN_NEEDS =
      """
      INSERT INTO needs (command, requirements, tenant, workspace, target, fingerprint)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT (fingerprint) DO NOTHING
      """;

  static final String NEEDS_ID = "SELECT id FROM needs WHERE fingerprint = ?";

  private PostgresClaims() {}
}
