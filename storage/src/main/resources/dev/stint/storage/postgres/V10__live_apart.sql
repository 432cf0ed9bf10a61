-- Live jobs are few and are rewritten all the time; those that are over are many and stay as they are.
-- In one table every vacuum had to pass all of them, and what it freed lay scattered among them, so that
-- new jobs went to old pages, each of which was written whole into the log after every checkpoint. Apart,
-- the live ones stay in memory, and the others are only added to and removed from.
--
-- job is both of them. A job that ends goes over to the other part, and one that is replayed comes back.
-- What is in no state that we know counts as live.

ALTER TABLE job RENAME TO job_over;
ALTER TABLE job_over RENAME CONSTRAINT job_pkey TO job_over_pkey;
ALTER TABLE job_over DROP CONSTRAINT job_lease;
ALTER TABLE job_over RESET (fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold,
                            autovacuum_vacuum_cost_delay, autovacuum_analyze_scale_factor);
DROP INDEX job_claim, job_due, job_held;
ALTER INDEX job_fading RENAME TO job_over_fading;

CREATE TABLE job (LIKE job_over INCLUDING DEFAULTS) PARTITION BY LIST (state);

CREATE TABLE job_live (
  LIKE job_over INCLUDING DEFAULTS,
  PRIMARY KEY (id),
  CONSTRAINT job_lease CHECK (
    (lease_token IS NOT NULL) = (state = 'ASSIGNED' OR state = 'RUNNING')
    AND (NOT claimable OR state = 'PENDING'))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);

WITH live AS (
  DELETE FROM job_over WHERE state NOT IN ('COMPLETED', 'FAILED', 'ABORTED') RETURNING *
)
INSERT INTO job_live SELECT * FROM live;

CREATE INDEX job_claim ON job_live (queue, needs_id, priority DESC, created_at, id) WHERE claimable;
CREATE INDEX job_held ON job_live (worker_id, id) WHERE worker_id IS NOT NULL;

CREATE INDEX job_due ON job_live (due_at)
  WHERE due_at IS NOT NULL
    AND NOT claimable AND state <> 'COMPLETED' AND state <> 'FAILED' AND state <> 'ABORTED';

CREATE INDEX job_fading ON job_live (due_at)
  WHERE due_at IS NOT NULL
    AND (claimable OR state = 'COMPLETED' OR state = 'FAILED' OR state = 'ABORTED');

-- From this the planner knows that who asks for claimable jobs, or held ones, need not look there.
ALTER TABLE job_over ADD CONSTRAINT job_over_is_let_go CHECK (
  NOT claimable AND worker_id IS NULL AND lease_token IS NULL);

ALTER TABLE job ATTACH PARTITION job_over FOR VALUES IN ('COMPLETED', 'FAILED', 'ABORTED');
ALTER TABLE job ATTACH PARTITION job_live DEFAULT;
