-- Workers register, and are missed when they fall silent.
ALTER TABLE worker ADD COLUMN slots INTEGER NOT NULL DEFAULT 1;
ALTER TABLE worker ADD COLUMN nonce_hash TEXT;
ALTER TABLE worker ADD COLUMN name TEXT;
ALTER TABLE worker ADD COLUMN token_hash TEXT;
ALTER TABLE worker ADD COLUMN revoked INTEGER NOT NULL DEFAULT 0 CHECK (revoked IN (0, 1));
ALTER TABLE worker ADD COLUMN registered_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN seq INTEGER NOT NULL DEFAULT 0;
ALTER TABLE worker ADD COLUMN metrics TEXT;
ALTER TABLE worker ADD COLUMN online INTEGER NOT NULL DEFAULT 0 CHECK (online IN (0, 1));
ALTER TABLE worker ADD COLUMN due_at INTEGER;

UPDATE worker SET due_at = last_seen;

CREATE INDEX worker_due ON worker (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX worker_online ON worker (worker_id) WHERE online;

-- What the servers on this database have to agree on.
CREATE TABLE setting (
  name  TEXT NOT NULL PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- An event may be about a worker alone: job_id and to_state may be NULL. SQLite can only make the
-- table anew for that; the numbers stay, and none is given again.
CREATE TABLE event_anew (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id     BLOB,
  at         INTEGER NOT NULL,
  type       TEXT    NOT NULL,
  from_state TEXT,
  to_state   TEXT,
  fence      INTEGER NOT NULL,
  worker_id  TEXT,
  reason     TEXT,
  data       TEXT,
  request_id TEXT
) STRICT;

INSERT INTO event_anew SELECT * FROM event;

INSERT INTO sqlite_sequence (name, seq)
SELECT 'event_anew', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'event_anew');

UPDATE sqlite_sequence
SET seq = coalesce((SELECT old.seq FROM sqlite_sequence AS old WHERE old.name = 'event'), 0)
WHERE name = 'event_anew';

DROP TABLE event;

ALTER TABLE event_anew RENAME TO event;

CREATE INDEX event_of_job ON event (job_id, seq) WHERE job_id IS NOT NULL;
CREATE INDEX event_of_worker ON event (at) WHERE job_id IS NULL;

PRAGMA user_version = 2;
