package dev.stint.engine;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives claimable jobs to the claims of one transaction. Claims that look in the same queues with
 * the same skills are served together, in the order in which they came, with one look per queue.
 */
final class ClaimDesk {
  /** So many jobs past their time one transaction ends: more would hold all others up. */
  static final int MOST_TOO_LATE = 1_000;

  private final Rules rules;
  private final Sightings sightings;
  private final Closures closures;
  private final Supplier<Rules.Grant> grants;
  private final Store.Transaction transaction;
  private final Batch batch;
  private final Map<ClaimReceipt.Key, ClaimReceipt> receipts;
  private final Map<String, Integer> takenByQueue = new HashMap<>();
  private final Map<UUID, JobContent> given = new HashMap<>();
  private int tooLate;

  ClaimDesk(
      Rules rules,
      Sightings sightings,
      Closures closures,
      Supplier<Rules.Grant> grants,
      Store.Transaction transaction,
      Batch batch,
      Map<ClaimReceipt.Key, ClaimReceipt> receipts) {
    this.rules = rules;
    this.sightings = sightings;
    this.closures = closures;
    this.grants = grants;
    this.transaction = transaction;
    this.batch = batch;
    this.receipts = receipts;
  }

  /** What claims have in common that can be served from the same shelf. */
  private record Shape(List<String> queues, Skills skills) {}

  /**
   * Lets the store know what it will be asked for first, as far as that can be told before jobs are
   * locked.
   */
  void expect(List<Entry<Outcome.OfClaim>> claims) {
    Shape first = null;
    int count = 0;
    for (Entry<Outcome.OfClaim> entry : claims) {
      Command.Claim claim = claim(entry);
      if (isLetIn(claim) && !isKnown(claim)) {
        Shape shape = new Shape(claim.queues(), claim.skills());
        first = first == null ? shape : first;
        count += shape.equals(first) ? 1 : 0;
      }
    }
    if (first == null) {
      return;
    }
    for (String queue : first.queues()) {
      if (!closures.isPaused(queue)) {
        transaction.willLook(queue, first.skills(), count);
        return;
      }
    }
  }

  private boolean isLetIn(Command.Claim claim) {
    return claim.isForDelivery() || !closures.isShutOut(claim.workerId());
  }

  /** Whether the same claim was given something before. */
  private boolean isKnown(Command.Claim claim) {
    return claim.claimId() != null
        && receipts.containsKey(new ClaimReceipt.Key(claim.workerId(), claim.claimId()));
  }

  /**
   * Whoever gets nothing has looked at all there is, or at so many jobs past their time that the
   * others have to wait for the next look, which comes at once for those who wait for a job.
   */
  void serve(List<Entry<Outcome.OfClaim>> claims) {
    Map<Shape, Deque<Entry<Outcome.OfClaim>>> byShape = new LinkedHashMap<>();
    for (Entry<Outcome.OfClaim> entry : claims) {
      Command.Claim claim = claim(entry);
      see(claim);
      entry.outcome(new Outcome.NothingClaimable());
      Outcome.Claimed again = sameAsBefore(claim);
      if (again != null) {
        entry.outcome(again);
      } else if (isLetIn(claim)) {
        byShape
            .computeIfAbsent(new Shape(claim.queues(), claim.skills()), s -> new ArrayDeque<>())
            .add(entry);
      }
    }
    byShape.forEach((shape, waiting) -> {
      for (String queue : shape.queues()) {
        if (!closures.isPaused(queue)) {
          serveFrom(queue, shape.skills(), waiting);
        }
      }
    });
  }

  /** Who claims is alive. */
  private void see(Command.Claim claim) {
    if (claim.isForDelivery()) {
      return;
    }
    Store.Sighting sighting =
        new Store.Sighting(
            claim.workerId(),
            claim.skills().lasting(),
            transaction.now(),
            Times.after(transaction.now(), claim.terms().silenceMs()));
    if (sightings.isNews(sighting)) {
      batch.sighting(sighting);
    }
  }

  private void serveFrom(String queue, Skills skills, Deque<Entry<Outcome.OfClaim>> waiting) {
    int tooLateHere = 0;
    while (!waiting.isEmpty()) {
      // What this transaction took is not written yet, so the store still finds it claimable. Where
      // jobs are past their time, many are: each look goes twice as far as the one before.
      int limit = waiting.size() + takenByQueue.getOrDefault(queue, 0) + tooLateHere;
      List<Store.Work> found = transaction.lockClaimable(queue, skills, limit);
      int used = 0;
      for (Store.Work work : found) {
        Job job = batch.latest(work.job());
        if (job == null || !job.claimable()) {
          continue;
        }
        Entry<Outcome.OfClaim> next = nextToServe(waiting);
        if (next == null) {
          return;
        }
        used++;
        takenByQueue.merge(queue, 1, Integer::sum);
        if (rules.time.forbidsClaim(job, transaction.now())) {
          batch.apply(job.id(), rules.time.tick(job, transaction.now()), null);
          tooLateHere++;
          if (++tooLate >= MOST_TOO_LATE) {
            batch.mayHaveMore(new Store.Ready(queue, job.spec().needs(), waiting.size()));
            return;
          }
        } else {
          waiting.removeFirst();
          give(new Store.Work(job, work.content()), next);
        }
      }
      if (found.size() < limit || used == 0) {
        return;
      }
    }
  }

  /** The first waiting claim that was not served meanwhile by a twin with the same claim id. */
  private @Nullable Entry<Outcome.OfClaim> nextToServe(Deque<Entry<Outcome.OfClaim>> waiting) {
    while (!waiting.isEmpty()) {
      Entry<Outcome.OfClaim> entry = waiting.getFirst();
      Outcome.Claimed again = sameAsBefore(claim(entry));
      if (again == null) {
        return entry;
      }
      entry.outcome(again);
      waiting.removeFirst();
    }
    return null;
  }

  private void give(Store.Work work, Entry<Outcome.OfClaim> entry) {
    Command.Claim claim = claim(entry);
    Decision<Outcome.OfClaim> decision = rules.claim(work, claim, grants.get(), transaction.now());
    entry.outcome(batch.apply(work.job().id(), decision, entry.requestId()));
    given.put(work.job().id(), work.content());
    if (claim.claimId() != null) {
      Job after = Objects.requireNonNull(decision.after());
      ClaimReceipt receipt =
          new ClaimReceipt(
              new ClaimReceipt.Key(claim.workerId(), claim.claimId()),
              after.id(),
              after.fence(),
              Times.after(transaction.now(), ClaimReceipt.LIFE_MS));
      receipts.put(receipt.key(), receipt);
      batch.receipt(receipt);
    }
  }

  /** The lease that the same claim was given before, while its worker still holds it. */
  private Outcome.@Nullable Claimed sameAsBefore(Command.Claim claim) {
    if (claim.claimId() == null) {
      return null;
    }
    ClaimReceipt receipt = receipts.get(new ClaimReceipt.Key(claim.workerId(), claim.claimId()));
    Job job = receipt == null ? null : batch.job(receipt.jobId());
    if (receipt == null || job == null) {
      return null;
    }
    Lease lease = job.lease();
    if (lease == null || lease.fence() != receipt.fence() || job.isExpired(transaction.now())) {
      return null;
    }
    JobContent content =
        given.computeIfAbsent(
            job.id(), id -> Objects.requireNonNull(transaction.contents(List.of(id)).get(id)));
    return new Outcome.Claimed(job, lease, content);
  }

  private static Command.Claim claim(Entry<Outcome.OfClaim> entry) {
    return (Command.Claim) entry.command();
  }
}
