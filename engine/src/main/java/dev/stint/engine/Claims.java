package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
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
  private final HandOver handOver;

  Claims(Ledger ledger, WaitingRoom room, Closures closures, HandOver handOver) {
    this.ledger = ledger;
    this.handOver = handOver;
    this.room = room;
    this.closures = closures;
  }

  Outcome.OfClaim claim(
      Command.Claim claim,
      long maxWaitMs,
      Supplier<BooleanSupplier> watch,
      @Nullable String requestId) {
    if (maxWaitMs > 0 && closures.isShutOut(claim.workerId())) {
      return claimInVain(claim, Math.min(maxWaitMs, DRAINING_WAIT_MS), requestId);
    }
    WaitingRoom.Waiter waiter = maxWaitMs > 0 ? room.enter(claim) : null;
    return waiter == null
        ? look(claim, requestId)
        : claimOrWait(claim, waiter, maxWaitMs, watch, requestId);
  }

  /**
   * Sends many claims, so that they share a commit, and what follows it is done for all at once
   * when the first is asked for what it got.
   */
  List<Supplier<Outcome.OfClaim>> claimAll(List<Command.Claim> all, @Nullable String requestId) {
    List<Supplier<Outcome.OfClaim>> sent = ledger.executeAll(all, requestId);
    if (handOver.isIdle()) {
      return sent;
    }
    Together together = new Together(all, sent, requestId);
    List<Supplier<Outcome.OfClaim>> answers = new ArrayList<>(all.size());
    for (int i = 0; i < all.size(); i++) {
      int place = i;
      answers.add(() -> together.answers().get(place).get());
    }
    return answers;
  }

  /** Claims that were sent together. */
  private final class Together {
    private final List<Command.Claim> claims;
    private final List<Supplier<Outcome.OfClaim>> sent;
    private final @Nullable String requestId;
    private @Nullable List<Supplier<Outcome.OfClaim>> settled;

    Together(
        List<Command.Claim> claims,
        List<Supplier<Outcome.OfClaim>> sent,
        @Nullable String requestId) {
      this.claims = claims;
      this.sent = sent;
      this.requestId = requestId;
    }

    synchronized List<Supplier<Outcome.OfClaim>> answers() {
      if (settled == null) {
        settled = settle();
      }
      return settled;
    }

    private List<Supplier<Outcome.OfClaim>> settle() {
      List<Supplier<Outcome.OfClaim>> answers = new ArrayList<>(sent.size());
      List<Outcome.Claimed> claimed = new ArrayList<>();
      List<Integer> places = new ArrayList<>();
      for (Supplier<Outcome.OfClaim> one : sent) {
        Supplier<Outcome.OfClaim> answer = told(one);
        if (answer instanceof Told told && told.outcome() instanceof Outcome.Claimed mine) {
          places.add(answers.size());
          claimed.add(mine);
        }
        answers.add(answer);
      }
      List<Supplier<Outcome.@Nullable Claimed>> taken = handOver.settleAll(claimed);
      for (int i = 0; i < taken.size(); i++) {
        Supplier<Outcome.@Nullable Claimed> mine = taken.get(i);
        Command.Claim claim = claims.get(places.get(i));
        answers.set(places.get(i), told(() -> mineOrNext(mine.get(), claim)));
      }
      return answers;
    }

    private Outcome.OfClaim mineOrNext(Outcome.@Nullable Claimed mine, Command.Claim claim) {
      return mine == null ? look(claim, requestId) : mine;
    }
  }

  private record Told(Outcome.OfClaim outcome) implements Supplier<Outcome.OfClaim> {
    @Override
    public Outcome.OfClaim get() {
      return outcome;
    }
  }

  /** What {@code source} says or throws, to be said or thrown as often as it is asked for. */
  private static Supplier<Outcome.OfClaim> told(Supplier<Outcome.OfClaim> source) {
    try {
      return new Told(source.get());
    } catch (OverloadedException | StoreUnavailableException e) {
      return () -> {
        throw e;
      };
    }
  }

  /** Ends, since each look in vain has found a job that a worker runs already. */
  private Outcome.OfClaim look(Command.Claim claim, @Nullable String requestId) {
    Outcome.OfClaim outcome;
    do {
      outcome = handOver.settle(ledger.execute(claim, requestId));
    } while (outcome == null);
    return outcome;
  }

  /** It may still be the repeat of a claim that was answered. */
  private Outcome.OfClaim claimInVain(
      Command.Claim claim, long waitMs, @Nullable String requestId) {
    Outcome.OfClaim outcome = look(claim, requestId);
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
        Outcome.OfClaim outcome = look(claim, requestId);
        if (outcome instanceof Outcome.Claimed claimed) {
          taken = claimed.job();
          return outcome;
        }
        if (closures.isShutOut(claim.workerId())) {
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
