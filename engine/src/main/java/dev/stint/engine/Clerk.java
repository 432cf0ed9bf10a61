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
import java.util.stream.Stream;
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
  private final Closures closures;
  private final Vacancies vacancies;
  private final Feed feed;
  private final Supplier<Rules.Grant> grants;
  private final boolean mirrored;
  private final FadingPace pace = new FadingPace(System::nanoTime);

  Clerk(
      Rules rules,
      Tally tally,
      Sightings sightings,
      Closures closures,
      Vacancies vacancies,
      Feed feed,
      Supplier<Rules.Grant> grants,
      boolean mirrored) {
    this.mirrored = mirrored;
    this.closures = closures;
    this.rules = rules;
    this.tally = tally;
    this.sightings = sightings;
    this.vacancies = vacancies;
    this.feed = feed;
    this.grants = grants;
  }

  /**
   * What a transaction did, for what follows once it is committed.
   *
   * @param lastEventSeq of its events, 0 if nobody wants to know or only reading can tell
   * @param eventSeqs of its events, for a mirror; empty if it has no use for them
   */
  record Done(
      Store.Changes changes,
      long lastEventSeq,
      List<Long> eventSeqs,
      List<Store.Ready> ready,
      long earliestDueAt,
      Map<String, Integer> completions,
      Map<String, Integer> departures,
      long now) {}

  Done carryOut(List<? extends Entry<?>> entries, Store.Transaction transaction, Unseen.Turn turn) {
    List<Entry<Outcome.OfClaim>> claims = new ArrayList<>();
    for (Entry<?> entry : entries) {
      if (entry.command() instanceof Command.Claim) {
        claims.add(claimEntry(entry));
      }
    }
    Work work = new Work(transaction);
    ClaimDesk claimDesk =
        new ClaimDesk(rules, sightings, closures, grants, transaction, work.batch, work.receipts);
    work.load(entries, turn, () -> claimDesk.expect(claims));
    claimDesk.serve(claims);
    WorkerDesk desk = new WorkerDesk(rules, work.batch, work.workers, work.held, work.now);
    for (Entry<?> entry : entries) {
      if (!(entry.command() instanceof Command.Claim)) {
        work.carryOut(entry, desk);
      }
    }
    Store.Changes changes =
        work.batch.changes(
            rules.workers.eventsBefore(work.now), new Notes(mirrored, turn, work.now));
    if (work.sweeps.isEmpty()) {
      transaction.saveLast(changes);
    } else {
      transaction.save(changes);
    }
    long lastEventSeq = feed.wants(changes.events()) ? transaction.lastEventSeq() : 0;
    List<Long> eventSeqs = turn.knows() ? transaction.eventSeqs() : List.of();
    work.answerSweeps();
    Batch batch = work.batch;
    return new Done(
        changes,
        lastEventSeq,
        eventSeqs,
        batch.ready(),
        batch.earliestDueAt(),
        batch.completions(),
        batch.departures(),
        work.now);
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
    final OutputDesk outputs = new OutputDesk(rules.outputs, batch);
    final List<Job> due = new ArrayList<>();
    final List<Store.Fading> gone = new ArrayList<>();
    final Map<String, Worker> workers = new HashMap<>();
    final Map<String, List<UUID>> held = new HashMap<>();
    final List<Worker> dueWorkers = new ArrayList<>();
    final Map<String, Store.Pause> paused = new HashMap<>();
    final List<Entry<Outcome.Swept>> sweeps = new ArrayList<>();
    long now;
    int moved;
    int removed;
    boolean isAllUrgent;
    boolean isAllDue;

    Work(Store.Transaction transaction) {
      this.transaction = transaction;
    }

    /**
     * Everything that has to be known, in as few statements as there are kinds of things.
     *
     * @param expectClaims called once all is known that claims were given before
     */
    void load(List<? extends Entry<?>> entries, Unseen.Turn turn, Runnable expectClaims) {
      Set<UUID> jobIds = new LinkedHashSet<>();
      Set<ClaimReceipt.Key> receiptKeys = new HashSet<>();
      Set<String> submitKeys = new HashSet<>();
      Set<String> workerIds = new TreeSet<>();
      Set<String> holders = new TreeSet<>();
      int submits = 0;
      int sweepers = 0;
      int dueLimit = 0;
      boolean ofQueues = false;
      for (Entry<?> entry : entries) {
        switch (entry.command()) {
          case Command.OnJob<?> onJob -> jobIds.add(onJob.jobId());
          case Command.Claim claim -> {
            if (claim.claimId() != null) {
              receiptKeys.add(new ClaimReceipt.Key(claim.workerId(), claim.claimId()));
            }
          }
          case Command.Submit submit -> {
            submits++;
            if (submit.key() != null) {
              submitKeys.add(submit.key().key());
            }
          }
          case Command.OfWorker<?> ofWorker -> {
            workerIds.add(ofWorker.workerId());
            if (WorkerDesk.isAboutJobs(ofWorker)) {
              holders.add(ofWorker.workerId());
            }
          }
          case Command.OfQueue _ -> ofQueues = true;
          case Command.Relayed _, Command.LookAgain _ -> {}
          case Command.Sweep sweep -> {
            sweepers++;
            dueLimit = Math.max(dueLimit, sweep.limit());
          }
        }
      }
      if (sweepers < entries.size()) {
        pace.worked(submits);
      }
      if (!submitKeys.isEmpty()) {
        keys.putAll(transaction.keys(submitKeys));
        keys.values().forEach(kept -> jobIds.add(kept.jobId()));
      }
      if (!receiptKeys.isEmpty()) {
        receipts.putAll(transaction.receipts(receiptKeys));
        receipts.values().forEach(receipt -> jobIds.add(receipt.jobId()));
      }
      if (!holders.isEmpty()) {
        held.putAll(transaction.heldBy(holders, WorkerDesk.HELD_LIMIT));
        held.values().forEach(jobIds::addAll);
      }
      expectClaims.run();
      // All at once, and so in one order: two transactions never wait for each other in a circle.
      if (!jobIds.isEmpty()) {
        transaction.lock(jobIds).values().forEach(batch::load);
      }
      if (!workerIds.isEmpty()) {
        workers.putAll(transaction.lockWorkers(workerIds));
      }
      if (dueLimit > 0) {
        loadDue(dueLimit);
      }
      if (ofQueues) {
        paused.putAll(transaction.paused());
      }
      past.putAll(transaction.attempts(jobsWithPast(entries)));
      outputs.load(entries, transaction);
      turn.ask(transaction);
      // After the locks, so that it is not earlier than what those who held them wrote.
      now = transaction.now();
    }

    /** What time has to act upon: jobs that are urgent, those that can wait, and workers. */
    private void loadDue(int limit) {
      due.addAll(transaction.lockDue(limit));
      isAllUrgent = due.size() < limit;
      int fadingLimit = pace.next(limit);
      List<Store.Fading> fading = transaction.lockFading(fadingLimit);
      isAllDue = isAllUrgent && fading.size() < fadingLimit;
      fade(fading);
      dueWorkers.addAll(transaction.lockDueWorkers(limit));
    }

    /** Most are over and gone: of those no more is read. */
    private void fade(List<Store.Fading> fading) {
      List<UUID> others = new ArrayList<>();
      for (Store.Fading job : fading) {
        boolean isOver = job.state().isTerminal() && batch.job(job.id()) == null;
        if (isOver && rules.time.isGone(job, transaction.now())) {
          gone.add(job);
        } else {
          others.add(job.id());
        }
      }
      if (!others.isEmpty()) {
        due.addAll(transaction.lock(others).values());
      }
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
    void carryOut(Entry<?> entry, WorkerDesk desk) {
      String requestId = entry.requestId();
      switch (entry.command()) {
        case Command.Submit submit ->
            ((Entry<Outcome.OfSubmit>) entry).outcome(submit(submit, requestId));
        case Command.Output output ->
            ((Entry<Outcome.OfOutput>) entry).outcome(output(output, requestId));
        case Command.Report<?> report ->
            ((Entry<Outcome.OfReport>) entry)
                .outcome(report((Command.Report<Outcome.OfReport>) report, requestId));
        case Command.Deliver deliver ->
            ((Entry<Outcome.OfDelivery>) entry).outcome(deliver(deliver, requestId));
        case Command.RequestCancel request ->
            ((Entry<Outcome.OfCancel>) entry).outcome(cancel(request, requestId));
        case Command.Abort abort ->
            ((Entry<Outcome.OfAbort>) entry).outcome(abort(abort, requestId));
        case Command.Replay replay ->
            ((Entry<Outcome.OfReplay>) entry).outcome(replay(replay, requestId));
        case Command.OfQueue ofQueue ->
            ((Entry<Outcome.QueueSet>) entry)
                .outcome(new QueueDesk(batch, paused, now).carryOut(ofQueue, requestId));
        case Command.OfWorker<?> ofWorker -> desk.carryOut(entry);
        case Command.LookAgain again -> {
          batch.lookAgain(again.jobIds());
          ((Entry<Outcome.Noted>) entry).outcome(new Outcome.Noted());
        }
        case Command.Relayed relayed -> {
          batch.relayed(relayed.notes());
          ((Entry<Outcome.Noted>) entry).outcome(new Outcome.Noted());
        }
        case Command.Sweep sweep -> {
          sweep(desk);
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
        long tooMany = queued - submit.maxQueued() + 1;
        return new Outcome.QueueFull(queue, queued, vacancies.seconds(queue, tooMany));
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
        return new Outcome.UnknownJob();
      }
      Decision<Outcome.OfReport> decision = rules.reports.report(job, pastOf(job), report, now);
      Outcome.OfReport outcome = batch.apply(job.id(), decision, requestId);
      if (outcome instanceof Outcome.Held held) {
        see(held.lease());
      }
      return outcome;
    }

    /** Also what ended in this batch: a repeat may stand in it, or a report that came too late. */
    private List<Attempt> pastOf(Job job) {
      List<Attempt> stored = past.getOrDefault(job.id(), List.of());
      List<Attempt> ended = batch.ended(job.id());
      return ended.isEmpty() ? stored : Stream.concat(stored.stream(), ended.stream()).toList();
    }

    private Outcome.OfOutput output(Command.Output output, @Nullable String requestId) {
      Job job = live(output.jobId());
      if (job == null) {
        return new Outcome.UnknownJob();
      }
      Outcome.OfOutput outcome = outputs.take(job, pastOf(job), output, now, requestId);
      if (outcome instanceof Outcome.OutputTaken taken) {
        see(taken.lease());
      }
      return outcome;
    }

    private Outcome.OfDelivery deliver(Command.Deliver deliver, @Nullable String requestId) {
      Job job = live(deliver.jobId());
      if (job == null) {
        return new Outcome.UnknownJob();
      }
      Outcome.OfDelivery outcome =
          batch.apply(job.id(), rules.natives.deliver(job, deliver, grants.get(), now), requestId);
      if (outcome instanceof Outcome.Delivered delivered) {
        see(delivered.lease(), Skills.NONE);
      }
      return outcome;
    }

    /** Who keeps a job alive is alive. */
    private void see(Lease lease) {
      see(lease, null);
    }

    private void see(Lease lease, @Nullable Skills skills) {
      long silentAt = Math.max(lease.until(), Times.after(now, lease.ttlMs()));
      Store.Sighting sighting = new Store.Sighting(lease.workerId(), skills, now, silentAt);
      if (sightings.isNews(sighting)) {
        batch.sighting(sighting);
      }
    }

    private Outcome.OfCancel cancel(Command.RequestCancel request, @Nullable String requestId) {
      Job job = live(request.jobId());
      return job == null
          ? new Outcome.UnknownJob()
          : batch.apply(job.id(), rules.requestCancel(job, request, now), requestId);
    }

    private Outcome.OfAbort abort(Command.Abort abort, @Nullable String requestId) {
      Job job = live(abort.jobId());
      return job == null
          ? new Outcome.UnknownJob()
          : batch.apply(job.id(), rules.abort(job, abort, now), requestId);
    }

    private Outcome.OfReplay replay(Command.Replay replay, @Nullable String requestId) {
      Job job = live(replay.jobId());
      return job == null
          ? new Outcome.UnknownJob()
          : batch.apply(job.id(), rules.replay(job, replay, now), requestId);
    }

    private void sweep(WorkerDesk desk) {
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
      gone.forEach(batch::remove);
      moved += gone.size();
      removed += gone.size();
      gone.clear();
      desk.sweep(dueWorkers);
      dueWorkers.clear();
    }

    void answerSweeps() {
      if (!sweeps.isEmpty()) {
        long nextDueAt = isAllDue ? transaction.nextDueAt() : now;
        Outcome.Swept swept = new Outcome.Swept(moved, removed, isAllUrgent, nextDueAt);
        sweeps.forEach(sweep -> sweep.outcome(swept));
      }
    }

    private @Nullable Job live(UUID jobId) {
      Job job = batch.job(jobId);
      return job == null || job.isExpired(now) ? null : job;
    }
  }
}
