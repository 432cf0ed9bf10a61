-- What a mirror of the jobs has to look at again: a job, a worker, or a queue as a whole. Empty without a mirror.
CREATE TABLE outbox (
  seq       INTEGER PRIMARY KEY AUTOINCREMENT,
  at        INTEGER NOT NULL,
  job_id    BLOB,
  worker_id TEXT,
  queue     TEXT,  -- also of a job that is gone for good
  CHECK ((job_id IS NULL) + (worker_id IS NULL) + (queue IS NULL) IN (1, 2))
) STRICT;

PRAGMA user_version = 7;
