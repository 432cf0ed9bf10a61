-- How many events have told of a job's progress, as only so many are kept.
ALTER TABLE job ADD COLUMN progress_events INTEGER NOT NULL DEFAULT 0;

-- How far the output of a job has come; the output itself is among its events.
CREATE TABLE output (
  job_id      BLOB    NOT NULL PRIMARY KEY,
  fence       INTEGER NOT NULL,
  next_offset INTEGER NOT NULL CHECK (next_offset >= 0),
  bytes       INTEGER NOT NULL CHECK (bytes >= 0)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 4;
