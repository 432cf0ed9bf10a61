-- Every check is made for every row that is written. Nobody but the engine writes here, so one is
-- left, of what must never go wrong: who is held has a lease, nobody else has, and only who waits is
-- claimable. What is stored stays as it is, so only the text of the table changes.
PRAGMA writable_schema = ON;

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (length(id) = 16)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (ttl_ms >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (max_attempts >= 1)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (max_losses >= -1)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (backoff_initial_ms >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (backoff_cap_ms >= backoff_initial_ms)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (claimable IN (0, 1))', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (attempts >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (failures >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (losses >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (fence >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (enqueues >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (progress_percent BETWEEN 0 AND 100)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (late_reports >= 0)', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql, ' CHECK (state = ''PENDING'' OR state = ''ASSIGNED'' OR state = ''RUNNING'' OR state = ''LOST''
     OR state = ''RETRYING'' OR state = ''COMPLETED'' OR state = ''FAILED'' OR state = ''ABORTED'')', '')
WHERE type = 'table' AND name = 'job';

UPDATE sqlite_schema SET sql = replace(sql,
'  CHECK (NOT claimable OR state = ''PENDING''),
  CHECK ((state IN (''ASSIGNED'', ''RUNNING'')) =
         (attempt_id IS NOT NULL AND lease_token IS NOT NULL AND worker_id IS NOT NULL
          AND lease_attempt IS NOT NULL AND lease_fence IS NOT NULL
          AND claimed_at IS NOT NULL AND started_at IS NOT NULL)),
  CHECK (state IN (''ASSIGNED'', ''RUNNING'')
         OR coalesce(attempt_id, lease_token, worker_id, lease_attempt, lease_fence, claimed_at,
                     started_at, lease_ttl_ms, lease_heartbeat_ms, lease_until) IS NULL),
  CHECK ((cancel_reason IS NULL) = (cancel_requested_at IS NULL))',
'  CHECK ((lease_token IS NOT NULL) = (state = ''ASSIGNED'' OR state = ''RUNNING'')
         AND (NOT claimable OR state = ''PENDING''))')
WHERE type = 'table' AND name = 'job';

PRAGMA writable_schema = RESET;

PRAGMA user_version = 9;
