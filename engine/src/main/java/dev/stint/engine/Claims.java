package dev.stint.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Carries out claims that may wait for a job. */
final class Claims {
  /** A draining worker that asks and asks is slowed down to this, and still told soon enough. */
  private static final long DRAINING_WAIT_MS = 1_000;

  private final Ledger ledger;
  private final WaitingRoom room;
  private final Closures closures;

  Claims(Ledger ledger, WaitingRoom room, Closures closures) {
    this.ledger = ledger;
    this.room = room;
    this.closures = closures;
  }

  Outcome.OfClaim claim(
      Command.Claim claim,
      long maxWaitMs,
      Supplier<BooleanSupplier> watch,
      @Nullable String requestId) {
    if (maxWaitMs > 0 && closures.isDraining(claim.workerId())) {
      return claimInVain(claim, Math.min(maxWaitMs, DRAINING_WAIT_MS), requestId);
    }
    WaitingRoom.Waiter waiter = maxWaitMs > 0 ? room.enter(claim) : null;
    return waiter == null
        ? ledger.execute(claim, requestId)
        : claimOrWait(claim, waiter, maxWaitMs, watch, requestId);
  }

  /** It may still be the repeat of a claim that was answered. */
  private Outcome.OfClaim claimInVain(
      Command.Claim claim, long waitMs, @Nullable String requestId) {
    Outcome.OfClaim outcome = ledger.execute(claim, requestId);
    if (outcome instanceof Outcome.NothingClaimable) {
      try {
        TimeUnit.MILLISECONDS.sleep(waitMs);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return outcome;
  }

  private Outcome.OfClaim claimOrWait(
      Command.Claim claim,
      WaitingRoom.Waiter waiter,
      long maxWaitMs,
      Supplier<BooleanSupplier> watch,
      @Nullable String requestId) {
    long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(maxWaitMs);
    BooleanSupplier clientIsThere = null;
    Store.Ready owed = null;
    Job taken = null;
    try {
      while (true) {
        Outcome.OfClaim outcome = ledger.execute(claim, requestId);
        if (outcome instanceof Outcome.Claimed claimed) {
          taken = claimed.job();
          return outcome;
        }
        if (closures.isDraining(claim.workerId())) {
          // It looked in vain though there may be jobs: whom it was woken for is woken instead.
          return outcome;
        }
        owed = null;
        clientIsThere = clientIsThere == null ? watch.get() : clientIsThere;
        if (!room.await(waiter, endNanos - System.nanoTime())) {
          return outcome;
        }
        owed = room.lineUpAgain(waiter);
        if (!clientIsThere.getAsBoolean()) {
          return outcome;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return new Outcome.NothingClaimable();
    } finally {
      room.leave(waiter, owed, taken);
    }
  }
}
