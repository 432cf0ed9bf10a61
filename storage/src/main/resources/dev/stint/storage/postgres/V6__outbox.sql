-- What a mirror of the jobs has to look at again: a job, a worker, or a queue as a whole. Empty without a mirror.
CREATE TABLE outbox (
  seq       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at        bigint NOT NULL,
  job_id    uuid,
  worker_id text,
  queue     text,  -- also of a job that is gone for good
  CHECK (num_nulls(job_id, worker_id, queue) IN (1, 2))
);
