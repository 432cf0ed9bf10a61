-- Times are Unix milliseconds, NULL for never.
--
-- Tables that hang on a job have no foreign keys: they are written and removed only together with
-- their job, in one transaction, and checking each row would cost on every submission.

-- Distinct sets of requirements. A claim asks only the classes that its worker satisfies.
CREATE TABLE needs (
  id           bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  command      boolean NOT NULL,
  requirements text[]  NOT NULL,
  fingerprint  text    NOT NULL UNIQUE  -- of the two; a list of any length does not fit an index
);

-- One narrow row per job: heartbeats and claims rewrite it, so nothing large is in it, and what a
-- heartbeat changes is in no index, so that the new version finds room beside the old.
CREATE TABLE job (
  id                  uuid    PRIMARY KEY,
  queue               text    NOT NULL,
  needs_id            bigint  NOT NULL,
  priority            integer NOT NULL,
  created_at          bigint  NOT NULL,
  not_before          bigint,
  deadline_at         bigint,
  ttl_ms              bigint  NOT NULL CHECK (ttl_ms >= 0),
  max_attempts        integer NOT NULL CHECK (max_attempts >= 1),
  max_losses          integer NOT NULL CHECK (max_losses >= -1),
  backoff_initial_ms  bigint  NOT NULL CHECK (backoff_initial_ms >= 0),
  backoff_cap_ms      bigint  NOT NULL CHECK (backoff_cap_ms >= backoff_initial_ms),
  own_lease_ttl_ms    bigint  NOT NULL,
  own_heartbeat_ms    bigint  NOT NULL,
  cancel_grace_ms     bigint  NOT NULL,
  lost_wait_ms        bigint  NOT NULL,

  state               text    NOT NULL CHECK (state IN ('PENDING', 'ASSIGNED', 'RUNNING', 'LOST',
                                'RETRYING', 'COMPLETED', 'FAILED', 'ABORTED')),
  claimable           boolean NOT NULL,
  ready_at            bigint,
  attempts            integer NOT NULL CHECK (attempts >= 0),
  failures            integer NOT NULL CHECK (failures >= 0),
  losses              integer NOT NULL CHECK (losses >= 0),
  fence               bigint  NOT NULL CHECK (fence >= 0),
  enqueues            integer NOT NULL CHECK (enqueues >= 0),

  -- The lease of the attempt under way. lease_until and the two spans may be NULL: never.
  attempt_id          uuid,
  lease_token         text,
  worker_id           text,
  lease_attempt       integer,
  lease_fence         bigint,
  claimed_at          bigint,
  started_at          bigint,
  lease_ttl_ms        bigint,
  lease_heartbeat_ms  bigint,
  lease_until         bigint,

  cancel_reason       text,
  cancel_requested_at bigint,
  cancel_until        bigint,
  progress_percent    integer CHECK (progress_percent BETWEEN 0 AND 100),
  progress_message    text,
  progress_word       text,
  reason              text,
  late_reports        integer NOT NULL CHECK (late_reports >= 0),
  updated_at          bigint  NOT NULL,
  due_at              bigint,

  CHECK (NOT claimable OR state = 'PENDING'),
  CHECK (CASE WHEN state IN ('ASSIGNED', 'RUNNING')
         THEN num_nulls(attempt_id, lease_token, worker_id, lease_attempt, lease_fence, claimed_at,
                        started_at) = 0
         ELSE num_nonnulls(attempt_id, lease_token, worker_id, lease_attempt, lease_fence,
                           claimed_at, started_at, lease_ttl_ms, lease_heartbeat_ms,
                           lease_until) = 0
         END),
  CHECK ((cancel_reason IS NULL) = (cancel_requested_at IS NULL))
) WITH (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000,
        autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.05);

CREATE INDEX job_claim ON job (queue, needs_id, priority DESC, created_at, id) WHERE claimable;
CREATE INDEX job_due ON job (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX job_held ON job (worker_id, id) WHERE worker_id IS NOT NULL;

-- What a job is about; JSON as the text that came in.
CREATE TABLE job_content (
  job_id     uuid PRIMARY KEY,
  contract   text NOT NULL,
  task       text,
  payload    text NOT NULL,
  metadata   text,
  tenant     text,
  workspace  text,
  run        text,
  attributes text
);

-- Attempts that are over, written once.
CREATE TABLE attempt (
  job_id      uuid    NOT NULL,
  attempt_id  uuid    NOT NULL,
  lease_token text    NOT NULL,
  worker_id   text    NOT NULL,
  attempt     integer NOT NULL,
  fence       bigint  NOT NULL,
  claimed_at  bigint  NOT NULL,
  started_at  bigint  NOT NULL,
  ended_at    bigint  NOT NULL,
  ended_as    text    NOT NULL,
  next_state  text    NOT NULL,
  result      text,
  error       text,
  metrics     text,
  PRIMARY KEY (job_id, fence)
);

CREATE TABLE event (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id     uuid   NOT NULL,
  at         bigint NOT NULL,
  type       text   NOT NULL,
  from_state text,
  to_state   text   NOT NULL,
  fence      bigint NOT NULL,
  worker_id  text,
  reason     text,
  data       text,
  request_id text
);

CREATE INDEX event_of_job ON event (job_id, seq);

CREATE TABLE idempotency_key (
  key          text PRIMARY KEY,
  request_hash text NOT NULL,
  job_id       uuid NOT NULL
);

CREATE INDEX idempotency_key_of_job ON idempotency_key (job_id);

-- What was given for a claim that had a name, for as long as it may be asked for again.
CREATE TABLE claim_receipt (
  worker_id  text   NOT NULL,
  claim_id   text   NOT NULL,
  job_id     uuid   NOT NULL,
  fence      bigint NOT NULL,
  expires_at bigint NOT NULL,
  PRIMARY KEY (worker_id, claim_id)
) WITH (autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX claim_receipt_expiry ON claim_receipt (expires_at);
CREATE INDEX claim_receipt_of_job ON claim_receipt (job_id);

CREATE TABLE worker (
  worker_id     text    PRIMARY KEY,
  commands_only boolean NOT NULL,
  capabilities  text    NOT NULL,  -- a sorted JSON array
  first_seen    bigint  NOT NULL,
  last_seen     bigint  NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);

-- How many jobs there are; kept with every commit, so that nobody ever counts. Each writer has a
-- shard of its own, so that no two of them wait for one row.
CREATE TABLE tally (
  queue text   NOT NULL,
  state text   NOT NULL,
  shard bigint NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (queue, state, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
