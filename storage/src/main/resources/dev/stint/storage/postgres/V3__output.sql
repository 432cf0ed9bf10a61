-- How many events have told of a job's progress, as only so many are kept.
ALTER TABLE job ADD COLUMN progress_events integer NOT NULL DEFAULT 0;

-- How far the output of a job has come; the output itself is among its events.
CREATE TABLE output (
  job_id      uuid   PRIMARY KEY,
  fence       bigint NOT NULL,
  next_offset bigint NOT NULL CHECK (next_offset >= 0),
  bytes       bigint NOT NULL CHECK (bytes >= 0)
);
