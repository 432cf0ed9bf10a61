package dev.stint.engine;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Carries out many commands in one transaction: loads all the jobs they touch, asks the rules in
 * order, and saves once. Claims go first: they find what was claimable when the transaction began,
 * so that nothing has to be written before they can look. The answers are set, not yet sent.
 */
final class Clerk {
  private final Rules rules;
  private final Tally tally;
  private final Sightings sightings;
  private final Supplier<Rules.Grant> grants;

  Clerk(Rules rules, Tally tally, Sightings sightings, Supplier<Rules.Grant> grants) {
    this.rules = rules;
    this.tally = tally;
    this.sightings = sightings;
    this.grants = grants;
  }

  /** What a transaction did, for what follows once it is committed. */
  record Done(
      Store.Changes changes,
      List<Store.Ready> ready,
      long earliestDueAt,
      Map<String, Integer> completions) {}

  Done carryOut(List<? extends Entry<?>> entries, Store.Transaction transaction) {
    Work work = new Work(transaction);
    work.load(entries);
    List<Entry<Outcome.OfClaim>> claims = new ArrayList<>();
    for (Entry<?> entry : entries) {
      if (entry.command() instanceof Command.Claim) {
        claims.add(claimEntry(entry));
      }
    }
    new ClaimDesk(rules, sightings, grants, transaction, work.batch, work.receipts).serve(claims);
    for (Entry<?> entry : entries) {
      if (!(entry.command() instanceof Command.Claim)) {
        work.carryOut(entry);
      }
    }
    Store.Changes changes = work.batch.changes(rules.workers.eventsBefore(work.now));
    transaction.save(changes);
    work.answerSweeps();
    Batch batch = work.batch;
    return new Done(changes, batch.ready(), batch.earliestDueAt(), batch.completions());
  }

  @SuppressWarnings("unchecked") // the command is a Claim, so the outcome is one of a claim
  private static Entry<Outcome.OfClaim> claimEntry(Entry<?> entry) {
    return (Entry<Outcome.OfClaim>) entry;
  }

  /** One transaction's work on all commands but claims. */
  private final class Work {
    final Store.Transaction transaction;
    final Batch batch = new Batch();
    final Map<ClaimReceipt.Key, ClaimReceipt> receipts = new HashMap<>();
    final Map<String, Store.KeptKey> keys = new HashMap<>();
    final Map<String, Integer> arrivals = new HashMap<>();
    final Map<UUID, List<Attempt>> past = new HashMap<>();
    final List<Job> due = new ArrayList<>();
    final Map<String, Worker> workers = new HashMap<>();
    final List<Worker> dueWorkers = new ArrayList<>();
    final List<Entry<Outcome.Swept>> sweeps = new ArrayList<>();
    long now;
    int moved;
    int removed;

    Work(Store.Transaction transaction) {
      this.transaction = transaction;
    }

    /** Everything that has to be known, in as few statements as there are kinds of things. */
    void load(List<? extends Entry<?>> entries) {
      Set<UUID> jobIds = new LinkedHashSet<>();
      Set<ClaimReceipt.Key> receiptKeys = new HashSet<>();
      Set<String> submitKeys = new HashSet<>();
      Set<String> workerIds = new TreeSet<>();
      int dueLimit = 0;
      for (Entry<?> entry : entries) {
        switch (entry.command()) {
          case Command.OnJob<?> onJob -> jobIds.add(onJob.jobId());
          case Command.Claim claim -> {
            if (claim.claimId() != null) {
              receiptKeys.add(new ClaimReceipt.Key(claim.workerId(), claim.claimId()));
            }
          }
          case Command.Submit submit -> {
            if (submit.key() != null) {
              submitKeys.add(submit.key().key());
            }
          }
          case Command.OfWorker<?> ofWorker -> workerIds.add(ofWorker.workerId());
          case Command.Sweep sweep -> dueLimit = Math.max(dueLimit, sweep.limit());
        }
      }
      if (!submitKeys.isEmpty()) {
        keys.putAll(transaction.keys(submitKeys));
        keys.values().forEach(kept -> jobIds.add(kept.jobId()));
      }
      if (!receiptKeys.isEmpty()) {
        receipts.putAll(transaction.receipts(receiptKeys));
        receipts.values().forEach(receipt -> jobIds.add(receipt.jobId()));
      }
      if (!jobIds.isEmpty()) {
        transaction.lock(jobIds).values().forEach(batch::load);
      }
      for (String workerId : workerIds) {
        transaction.lockHeldBy(workerId, HELD_LIMIT).forEach(batch::load);
      }
      if (!workerIds.isEmpty()) {
        workers.putAll(transaction.lockWorkers(workerIds));
      }
      if (dueLimit > 0) {
        due.addAll(transaction.lockDue(dueLimit));
        dueWorkers.addAll(transaction.lockDueWorkers(dueLimit));
      }
      past.putAll(transaction.attempts(jobsWithPast(entries)));
      // After the locks, so that it is not earlier than what those who held them wrote.
      now = transaction.now();
    }

    private Collection<UUID> jobsWithPast(List<? extends Entry<?>> entries) {
      Set<UUID> jobIds = new LinkedHashSet<>();
      for (Entry<?> entry : entries) {
        if (entry.command() instanceof Command.Report<?> report) {
          Job job = batch.job(report.jobId());
          if (job != null && rules.reports.needsPast(job, report)) {
            jobIds.add(job.id());
          }
        }
      }
      return jobIds;
    }

    @SuppressWarnings("unchecked") // each command's type says which outcomes it has
    void carryOut(Entry<?> entry) {
      String requestId = entry.requestId();
      switch (entry.command()) {
        case Command.Submit submit ->
            ((Entry<Outcome.OfSubmit>) entry).outcome(submit(submit, requestId));
        case Command.Report<?> report ->
            ((Entry<Outcome.OfReport>) entry)
                .outcome(report((Command.Report<Outcome.OfReport>) report, requestId));
        case Command.RequestCancel request ->
            ((Entry<Outcome.OfCancel>) entry).outcome(cancel(request, requestId));
        case Command.Abort abort ->
            ((Entry<Outcome.OfAbort>) entry).outcome(abort(abort, requestId));
        case Command.AbortHeldBy abort ->
            ((Entry<Outcome.Aborted>) entry).outcome(abortHeldBy(abort, requestId));
        case Command.Register register ->
            ((Entry<Outcome.OfRegister>) entry).outcome(register(register, requestId));
        case Command.Enrol enrol ->
            ((Entry<Outcome.Enrolled>) entry).outcome(enrol(enrol, requestId));
        case Command.Dismiss dismiss ->
            ((Entry<Outcome.OfDismiss>) entry).outcome(dismiss(dismiss, requestId));
        case Command.NoteRefusal refusal ->
            ((Entry<Outcome.Noted>) entry)
                .outcome(apply(refusal.workerId(), rules.workers.refuse(refusal, now), requestId));
        case Command.Beat beat -> ((Entry<Outcome.OfBeat>) entry).outcome(beat(beat, requestId));
        case Command.Reconnect reconnect ->
            ((Entry<Outcome.Reconnected>) entry).outcome(reconnect(reconnect, requestId));
        case Command.Sweep sweep -> {
          sweep();
          sweeps.add((Entry<Outcome.Swept>) entry);
        }
        case Command.Claim claim -> throw new IllegalStateException("claims were served before");
      }
    }

    private Outcome.OfSubmit submit(Command.Submit submit, @Nullable String requestId) {
      IdempotencyKey key = submit.key();
      Store.KeptKey kept = key == null ? null : keys.get(key.key());
      if (kept != null && !forget(kept)) {
        return kept.key().equals(key)
            ? new Outcome.Replayed(kept.jobId())
            : new Outcome.KeyConflict(kept.jobId());
      }
      String queue = submit.draft().queue();
      long queued = tally.queued(queue) + arrivals.getOrDefault(queue, 0);
      if (queued >= submit.maxQueued()) {
        return new Outcome.QueueFull(queue, queued);
      }
      arrivals.merge(queue, 1, Integer::sum);
      if (key != null) {
        keys.put(key.key(), new Store.KeptKey(key, submit.jobId()));
      }
      Decision<Outcome.OfSubmit> decision = rules.submit(submit, now);
      batch.arrive(submit, decision, requestId);
      return decision.outcome();
    }

    /**
     * Whether a key is free again. It lives as long as its job: one whose job has outlived its TTL
     * goes with it now, if the sweep has not been faster.
     */
    private boolean forget(Store.KeptKey kept) {
      Job job = batch.job(kept.jobId());
      if (job != null && job.isExpired(now)) {
        batch.apply(job.id(), rules.time.tick(job, now), null);
        return true;
      }
      return job == null;
    }

    private Outcome.OfReport report(
        Command.Report<Outcome.OfReport> report, @Nullable String requestId) {
      Job job = live(report.jobId());
      if (job == null) {
        return new Outcome.UnknownJob(report.jobId());
      }
      Decision<Outcome.OfReport> decision =
          rules.reports.report(job, past.getOrDefault(job.id(), List.of()), report, now);
      if (decision.settled() != null) {
        // A repeat of this very report may stand in the same batch.
        List<Attempt> known = new ArrayList<>(past.getOrDefault(job.id(), List.of()));
        known.add(decision.settled());
        past.put(job.id(), known);
      }
      Outcome.OfReport outcome = batch.apply(job.id(), decision, requestId);
      if (outcome instanceof Outcome.Held held) {
        see(held.lease());
      }
      return outcome;
    }

    /** Who keeps a job alive is alive. */
    private void see(Lease lease) {
      long silentAt = Math.max(lease.until(), Times.after(now, lease.ttlMs()));
      Store.Sighting sighting = new Store.Sighting(lease.workerId(), null, now, silentAt);
      if (sightings.isNews(sighting)) {
        batch.sighting(sighting);
      }
    }

    private Outcome.OfCancel cancel(Command.RequestCancel request, @Nullable String requestId) {
      Job job = live(request.jobId());
      return job == null
          ? new Outcome.UnknownJob(request.jobId())
          : batch.apply(job.id(), rules.requestCancel(job, request, now), requestId);
    }

    private Outcome.OfAbort abort(Command.Abort abort, @Nullable String requestId) {
      Job job = live(abort.jobId());
      return job == null
          ? new Outcome.UnknownJob(abort.jobId())
          : batch.apply(job.id(), rules.abort(job, abort, now), requestId);
    }

    private Outcome.Aborted abortHeldBy(Command.AbortHeldBy abort, @Nullable String requestId) {
      List<UUID> aborted = new ArrayList<>();
      for (Job job : batch.heldBy(abort.workerId())) {
        Command.Abort one = new Command.Abort(job.id(), null, abort.reason());
        batch.apply(job.id(), rules.abort(job, one, now), requestId);
        aborted.add(job.id());
      }
      return new Outcome.Aborted(aborted, aborted.size() >= HELD_LIMIT);
    }

    private Outcome.OfRegister register(Command.Register register, @Nullable String requestId) {
      Worker known = workers.get(register.workerId());
      return apply(register.workerId(), rules.workers.register(known, register, now), requestId);
    }

    private Outcome.Enrolled enrol(Command.Enrol enrol, @Nullable String requestId) {
      Worker known = workers.get(enrol.workerId());
      return apply(enrol.workerId(), rules.workers.enrol(known, enrol, now), requestId);
    }

    private Outcome.OfDismiss dismiss(Command.Dismiss dismiss, @Nullable String requestId) {
      Worker known = workers.get(dismiss.workerId());
      if (known == null || known.revoked()) {
        return new Outcome.UnknownWorker(dismiss.workerId());
      }
      apply(known.id(), rules.workers.dismiss(known, now), requestId);
      for (Job job : batch.heldBy(known.id())) {
        batch.apply(job.id(), rules.time.abandon(job, Reasons.WORKER_REVOKED, now), requestId);
      }
      return new Outcome.Dismissed(known.id());
    }

    private Outcome.OfBeat beat(Command.Beat beat, @Nullable String requestId) {
      Worker known = workers.get(beat.workerId());
      if (known == null) {
        return new Outcome.UnknownWorker(beat.workerId());
      }
      boolean applied = apply(beat.workerId(), rules.workers.beat(known, beat, now), requestId);
      if (applied) {
        for (Job job : batch.heldBy(beat.workerId())) {
          batch.apply(job.id(), rules.reports.extend(job, now), requestId);
        }
      }
      return new Outcome.Beaten(applied, batch.heldBy(beat.workerId()));
    }

    private Outcome.Reconnected reconnect(Command.Reconnect reconnect, @Nullable String requestId) {
      Worker known = workers.get(reconnect.workerId());
      if (known != null) {
        apply(reconnect.workerId(), rules.workers.reconnect(known, reconnect, now), requestId);
      }
      for (Job job : batch.heldBy(reconnect.workerId())) {
        Decision<Boolean> decision =
            reconnect.running().contains(job.id())
                ? rules.reports.extend(job, now)
                : rules.time.abandon(job, Reasons.WORKER_RESTARTED, now);
        batch.apply(job.id(), decision, requestId);
      }
      return new Outcome.Reconnected(batch.heldBy(reconnect.workerId()));
    }

    private <T> T apply(
        String workerId, WorkerRules.Verdict<T> verdict, @Nullable String requestId) {
      if (verdict.after() != null) {
        workers.put(workerId, verdict.after());
      }
      return batch.apply(workerId, verdict, requestId);
    }

    private void sweep() {
      for (Job stored : due) {
        Job job = batch.latest(stored);
        if (job == null || job.dueAt() > now) {
          continue;
        }
        Decision<Boolean> decision = rules.time.tick(job, now);
        if (batch.apply(job.id(), decision, null)) {
          moved++;
        }
        if (decision.after() == null) {
          removed++;
        }
      }
      for (Worker worker : dueWorkers) {
        Worker latest = workers.getOrDefault(worker.id(), worker);
        if (latest.dueAt() <= now) {
          apply(latest.id(), rules.workers.tick(latest, now), null);
        }
      }
      dueWorkers.clear();
    }

    void answerSweeps() {
      if (!sweeps.isEmpty()) {
        Outcome.Swept swept = new Outcome.Swept(moved, removed, transaction.nextDueAt());
        sweeps.forEach(sweep -> sweep.outcome(swept));
      }
    }

    private @Nullable Job live(UUID jobId) {
      Job job = batch.job(jobId);
      return job == null || job.isExpired(now) ? null : job;
    }
  }

  /** How many jobs a worker may hold for a command about all of them to see all of them. */
  private static final int HELD_LIMIT = 10_000;
}
