package dev.stint.storage;

/**
 * The parts of a save, in the order in which they are written. Removals come first, as they free
 * idempotency keys for arrivals; what other writers may wait for comes last, so that it is locked
 * for the shortest time.
 */
enum Part {
  REMOVED_JOBS(Columns.uuids("id")),
  REMOVED_CONTENTS(Columns.uuids("job_id")),
  REMOVED_KEYS(Columns.uuids("job_id")),
  REMOVED_ATTEMPTS(Columns.uuids("job_id")),
  REMOVED_EVENTS(Columns.uuids("job_id")),
  REMOVED_RECEIPTS(Columns.uuids("job_id")),
  RISEN_COUNTS(Columns.numbers("shard").and(Columns.uuids("job_id"))),
  RISEN(Columns.uuids("job_id")),
  REMOVED_OUTPUTS(Columns.uuids("job_id")),
  /** Jobs that come and live. */
  NEW_JOBS(JobTable.ALL),
  /** Jobs that come and end in the same transaction. */
  NEW_ENDED_JOBS(JobTable.ALL),
  NEW_CONTENTS(ContentTable.ALL),
  NEW_KEYS(Columns.texts("key", "request_hash").and(Columns.uuids("job_id"))),
  /** Jobs that live on, and are not held now. */
  MOVED_JOBS(JobTable.MOVED),
  /** Jobs that live on, and are held now. */
  HELD_JOBS(JobTable.MOVED),
  /** Jobs that were live, and are over now. */
  ENDED_JOBS(JobTable.MOVED),
  /** Jobs that were over, and may live again. */
  REVISED_JOBS(JobTable.MOVED),
  ALIVE_JOBS(JobTable.ALIVE),
  ATTEMPTS(AttemptTable.ALL),
  EVENTS(EventTable.NEW),
  FADED_EVENTS(Columns.uuids("job_id").and(Columns.numbers("at_most"))),
  OUTPUTS(Columns.uuids("job_id").and(Columns.numbers("fence", "next_offset", "bytes"))),
  EXPIRED_EVENTS(Columns.numbers("before", "at_most")),
  EXPIRED_RECEIPTS(Columns.numbers("expired_at", "at_most")),
  REPLACED_RECEIPTS(Columns.texts("worker_id", "claim_id").and(Columns.numbers("expired_at"))),
  RECEIPTS(
      Columns.texts("worker_id", "claim_id")
          .and(Columns.uuids("job_id"))
          .and(Columns.numbers("fence", "expires_at"))),
  DEAD(Columns.uuids("job_id").and(Columns.texts("fingerprint"))),
  DEAD_GROUPS(DeadTable.GROUP),
  EMPTY_GROUPS(Columns.numbers("shard")),
  RESUMED_QUEUES(Columns.texts("queue")),
  PAUSED_QUEUES(Columns.texts("queue", "reason").and(Columns.numbers("since"))),
  FORGOTTEN_WORKERS(Columns.texts("worker_id")),
  NEW_WORKERS(WorkerTable.ALL),
  WORKERS(WorkerTable.ALL),
  SIGHTINGS(WorkerTable.SIGHTING),
  SEEN(WorkerTable.SEEN),
  RELAYED(Columns.numbers("first", "last")),
  NOTES(OutboxTable.NEW),
  TALLY(Columns.texts("queue", "state").and(Columns.numbers("shard", "n")));

  @SuppressWarnings("ImmutableEnumChecker") // Its list comes from Stream.toList().
  private final Columns columns;

  Part(Columns columns) {
    this.columns = columns;
  }

  Columns columns() {
    return columns;
  }

  /** Whether every row of it must have found its job. */
  boolean updatesJobs() {
    return switch (this) {
      case MOVED_JOBS, HELD_JOBS, ENDED_JOBS, REVISED_JOBS, ALIVE_JOBS, REMOVED_JOBS -> true;
      default -> false;
    };
  }

  /** The part that it is written with where all jobs are in one table. */
  Part inOneTable() {
    return switch (this) {
      case NEW_ENDED_JOBS -> NEW_JOBS;
      case HELD_JOBS, ENDED_JOBS, REVISED_JOBS -> MOVED_JOBS;
      default -> this;
    };
  }
}
