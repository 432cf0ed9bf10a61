-- Workers register, and are missed when they fall silent.
ALTER TABLE worker
  ADD COLUMN slots         integer NOT NULL DEFAULT 1,
  ADD COLUMN nonce_hash    text,
  ADD COLUMN name          text,
  ADD COLUMN token_hash    text,
  ADD COLUMN revoked       boolean NOT NULL DEFAULT false,
  ADD COLUMN registered_at bigint  NOT NULL DEFAULT 0,
  ADD COLUMN seq           bigint  NOT NULL DEFAULT 0,
  ADD COLUMN metrics       text,
  ADD COLUMN online        boolean NOT NULL DEFAULT false,
  ADD COLUMN due_at        bigint;

UPDATE worker SET due_at = last_seen;

CREATE INDEX worker_due ON worker (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX worker_online ON worker (worker_id) WHERE online;

-- What the servers on this database have to agree on.
CREATE TABLE setting (
  name  text PRIMARY KEY,
  value text NOT NULL
);

-- An event may be about a worker alone.
ALTER TABLE event ALTER COLUMN job_id DROP NOT NULL, ALTER COLUMN to_state DROP NOT NULL;

CREATE INDEX event_of_worker ON event (at) WHERE job_id IS NULL;
