-- Queues that give out no jobs until they are resumed.
CREATE TABLE paused_queue (
  queue  text   PRIMARY KEY,
  reason text,
  since  bigint NOT NULL
);

-- Workers that finish what they have and get nothing more.
ALTER TABLE worker ADD COLUMN draining boolean NOT NULL DEFAULT false;

CREATE INDEX worker_draining ON worker (worker_id) WHERE draining;

-- Which group of failures a FAILED job belongs to.
CREATE TABLE dead_letter (
  job_id      uuid PRIMARY KEY,
  fingerprint text NOT NULL
);

CREATE INDEX dead_letter_of_group ON dead_letter (fingerprint, job_id);

-- The groups, with how many are in them; kept with every commit, so that nobody ever counts. Each
-- writer has a shard of its own, so that no two of them wait for one row.
CREATE TABLE dead_group (
  fingerprint    text   NOT NULL,
  shard          bigint NOT NULL,
  n              bigint NOT NULL,
  code           text,
  shape          text,
  first_at       bigint,
  last_at        bigint,
  sample_job     uuid,
  sample_queue   text,
  sample_message text,
  PRIMARY KEY (fingerprint, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

CREATE INDEX dead_group_empty ON dead_group (shard) WHERE n = 0;

-- What FAILED before there were groups is grouped by its reason as it stands.
INSERT INTO dead_letter (job_id, fingerprint)
SELECT id, 'before:' || substr(coalesce(reason, ''), 1, 40) FROM job WHERE state = 'FAILED';

INSERT INTO dead_group
SELECT old.fingerprint, 0, old.n, old.code, '', old.first_at, old.last_at, old.sample_job,
       job.queue, job.reason
FROM (SELECT 'before:' || substr(coalesce(reason, ''), 1, 40) AS fingerprint,
             substr(coalesce(reason, ''), 1, 40) AS code, count(*) AS n,
             min(updated_at) AS first_at, max(updated_at) AS last_at,
             (array_agg(id ORDER BY id DESC))[1] AS sample_job
      FROM job WHERE state = 'FAILED' GROUP BY 1, 2) AS old
JOIN job ON job.id = old.sample_job;
