-- Ids are UUIDs as blobs of 16 bytes; times are Unix milliseconds, NULL for never.
--
-- Tables that hang on a job have no foreign keys: they are written and removed only together with
-- their job, in one transaction, and checking each row would cost on every submission.

-- Distinct sets of requirements. A claim asks only the classes that its worker satisfies.
CREATE TABLE needs (
  id           INTEGER PRIMARY KEY,
  command      INTEGER NOT NULL CHECK (command IN (0, 1)),
  requirements TEXT    NOT NULL,  -- a sorted JSON array
  UNIQUE (command, requirements)
) STRICT;

-- One narrow row per job: heartbeats and claims rewrite it, so nothing large is in it.
CREATE TABLE job (
  id                  BLOB    NOT NULL PRIMARY KEY CHECK (length(id) = 16),
  queue               TEXT    NOT NULL,
  needs_id            INTEGER NOT NULL,
  priority            INTEGER NOT NULL,
  created_at          INTEGER NOT NULL,
  not_before          INTEGER,
  deadline_at         INTEGER,
  ttl_ms              INTEGER NOT NULL CHECK (ttl_ms >= 0),
  max_attempts        INTEGER NOT NULL CHECK (max_attempts >= 1),
  max_losses          INTEGER NOT NULL CHECK (max_losses >= -1),
  backoff_initial_ms  INTEGER NOT NULL CHECK (backoff_initial_ms >= 0),
  backoff_cap_ms      INTEGER NOT NULL CHECK (backoff_cap_ms >= backoff_initial_ms),
  own_lease_ttl_ms    INTEGER NOT NULL,
  own_heartbeat_ms    INTEGER NOT NULL,
  cancel_grace_ms     INTEGER NOT NULL,
  lost_wait_ms        INTEGER NOT NULL,

  state               TEXT    NOT NULL CHECK (state IN ('PENDING', 'ASSIGNED', 'RUNNING', 'LOST',
                                'RETRYING', 'COMPLETED', 'FAILED', 'ABORTED')),
  claimable           INTEGER NOT NULL CHECK (claimable IN (0, 1)),
  ready_at            INTEGER,
  attempts            INTEGER NOT NULL CHECK (attempts >= 0),
  failures            INTEGER NOT NULL CHECK (failures >= 0),
  losses              INTEGER NOT NULL CHECK (losses >= 0),
  fence               INTEGER NOT NULL CHECK (fence >= 0),
  enqueues            INTEGER NOT NULL CHECK (enqueues >= 0),

  -- The lease of the attempt under way. lease_until and the two spans may be NULL: never.
  attempt_id          BLOB,
  lease_token         TEXT,
  worker_id           TEXT,
  lease_attempt       INTEGER,
  lease_fence         INTEGER,
  claimed_at          INTEGER,
  started_at          INTEGER,
  lease_ttl_ms        INTEGER,
  lease_heartbeat_ms  INTEGER,
  lease_until         INTEGER,

  cancel_reason       TEXT,
  cancel_requested_at INTEGER,
  cancel_until        INTEGER,
  progress_percent    INTEGER CHECK (progress_percent BETWEEN 0 AND 100),
  progress_message    TEXT,
  progress_word       TEXT,
  reason              TEXT,
  late_reports        INTEGER NOT NULL CHECK (late_reports >= 0),
  updated_at          INTEGER NOT NULL,
  due_at              INTEGER,

  CHECK (NOT claimable OR state = 'PENDING'),
  CHECK ((state IN ('ASSIGNED', 'RUNNING')) =
         (attempt_id IS NOT NULL AND lease_token IS NOT NULL AND worker_id IS NOT NULL
          AND lease_attempt IS NOT NULL AND lease_fence IS NOT NULL
          AND claimed_at IS NOT NULL AND started_at IS NOT NULL)),
  CHECK (state IN ('ASSIGNED', 'RUNNING')
         OR coalesce(attempt_id, lease_token, worker_id, lease_attempt, lease_fence, claimed_at,
                     started_at, lease_ttl_ms, lease_heartbeat_ms, lease_until) IS NULL),
  CHECK ((cancel_reason IS NULL) = (cancel_requested_at IS NULL))
) STRICT, WITHOUT ROWID;

-- claimable stands in it so that the index alone answers which jobs come first.
CREATE INDEX job_claim ON job (queue, needs_id, priority DESC, created_at, id, claimable)
  WHERE claimable;
CREATE INDEX job_due ON job (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX job_held ON job (worker_id, id) WHERE worker_id IS NOT NULL;

-- What a job is about; JSON as the text that came in.
CREATE TABLE job_content (
  job_id     BLOB NOT NULL PRIMARY KEY,
  contract   TEXT NOT NULL,
  task       TEXT,
  payload    TEXT NOT NULL,
  metadata   TEXT,
  tenant     TEXT,
  workspace  TEXT,
  run        TEXT,
  attributes TEXT
) STRICT;

-- Attempts that are over, written once.
CREATE TABLE attempt (
  job_id      BLOB    NOT NULL,
  attempt_id  BLOB    NOT NULL,
  lease_token TEXT    NOT NULL,
  worker_id   TEXT    NOT NULL,
  attempt     INTEGER NOT NULL,
  fence       INTEGER NOT NULL,
  claimed_at  INTEGER NOT NULL,
  started_at  INTEGER NOT NULL,
  ended_at    INTEGER NOT NULL,
  ended_as    TEXT    NOT NULL,
  next_state  TEXT    NOT NULL,
  result      TEXT,
  error       TEXT,
  metrics     TEXT,
  PRIMARY KEY (job_id, fence)
) STRICT;

-- All that happened. AUTOINCREMENT: the number of a removed event is never given again.
CREATE TABLE event (
  seq        INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id     BLOB    NOT NULL,
  at         INTEGER NOT NULL,
  type       TEXT    NOT NULL,
  from_state TEXT,
  to_state   TEXT    NOT NULL,
  fence      INTEGER NOT NULL,
  worker_id  TEXT,
  reason     TEXT,
  data       TEXT,
  request_id TEXT
) STRICT;

CREATE INDEX event_of_job ON event (job_id, seq);

CREATE TABLE idempotency_key (
  key          TEXT NOT NULL PRIMARY KEY,
  request_hash TEXT NOT NULL,
  job_id       BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_key_of_job ON idempotency_key (job_id);

-- What was given for a claim that had a name, for as long as it may be asked for again.
CREATE TABLE claim_receipt (
  worker_id  TEXT    NOT NULL,
  claim_id   TEXT    NOT NULL,
  job_id     BLOB    NOT NULL,
  fence      INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (worker_id, claim_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX claim_receipt_expiry ON claim_receipt (expires_at);
CREATE INDEX claim_receipt_of_job ON claim_receipt (job_id);

CREATE TABLE worker (
  worker_id     TEXT    NOT NULL PRIMARY KEY,
  commands_only INTEGER NOT NULL CHECK (commands_only IN (0, 1)),
  capabilities  TEXT    NOT NULL,  -- a sorted JSON array
  first_seen    INTEGER NOT NULL,
  last_seen     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- How many jobs there are; kept with every commit, so that nobody ever counts.
CREATE TABLE tally (
  queue TEXT    NOT NULL,
  state TEXT    NOT NULL,
  shard INTEGER NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (queue, state, shard)
) STRICT, WITHOUT ROWID;

PRAGMA user_version = 1;
