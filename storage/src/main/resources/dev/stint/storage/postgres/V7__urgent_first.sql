-- What time does to a job is of two kinds. A lease that ends, a retry or a start time must be seen to at
-- once. Where a job only waits to be claimed, or is over, nothing but its deadline or its removal can
-- come, and millions may be due for that at the same time. Each kind has an index of its own, so that
-- the first never waits behind the second.
DROP INDEX job_due;

CREATE INDEX job_due ON job (due_at)
  WHERE due_at IS NOT NULL
    AND NOT claimable AND state <> 'COMPLETED' AND state <> 'FAILED' AND state <> 'ABORTED';

CREATE INDEX job_fading ON job (due_at)
  WHERE due_at IS NOT NULL
    AND (claimable OR state = 'COMPLETED' OR state = 'FAILED' OR state = 'ABORTED');
