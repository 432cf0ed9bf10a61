-- Queues that give out no jobs until they are resumed.
CREATE TABLE paused_queue (
  queue  TEXT    NOT NULL PRIMARY KEY,
  reason TEXT,
  since  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Workers that finish what they have and get nothing more.
ALTER TABLE worker ADD COLUMN draining INTEGER NOT NULL DEFAULT 0 CHECK (draining IN (0, 1));

CREATE INDEX worker_draining ON worker (worker_id) WHERE draining;

-- Which group of failures a FAILED job belongs to.
CREATE TABLE dead_letter (
  job_id      BLOB NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_letter_of_group ON dead_letter (fingerprint, job_id);

-- The groups, with how many are in them; kept with every commit, so that nobody ever counts.
CREATE TABLE dead_group (
  fingerprint    TEXT    NOT NULL,
  shard          INTEGER NOT NULL,
  n              INTEGER NOT NULL,
  code           TEXT,
  shape          TEXT,
  first_at       INTEGER,
  last_at        INTEGER,
  sample_job     BLOB,
  sample_queue   TEXT,
  sample_message TEXT,
  PRIMARY KEY (fingerprint, shard)
) STRICT, WITHOUT ROWID;

CREATE INDEX dead_group_empty ON dead_group (shard) WHERE n = 0;

-- What FAILED before there were groups is grouped by its reason as it stands.
INSERT INTO dead_letter (job_id, fingerprint)
SELECT id, 'before:' || substr(coalesce(reason, ''), 1, 40) FROM job WHERE state = 'FAILED';

INSERT INTO dead_group
SELECT old.fingerprint, 0, old.n, old.code, '', old.first_at, old.last_at, old.sample_job,
       job.queue, job.reason
FROM (SELECT 'before:' || substr(coalesce(reason, ''), 1, 40) AS fingerprint,
             substr(coalesce(reason, ''), 1, 40) AS code, count(*) AS n,
             min(updated_at) AS first_at, max(updated_at) AS last_at, max(id) AS sample_job
      FROM job WHERE state = 'FAILED' GROUP BY 1, 2) AS old
JOIN job ON job.id = old.sample_job;

PRAGMA user_version = 5;
