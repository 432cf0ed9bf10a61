package dev.stint.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
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
      sent.forEach(one -> answers.add(told(one)));
      List<Integer> again = settle(answers, IntStream.range(0, sent.size()).boxed().toList());
      while (!again.isEmpty()) {
        List<Supplier<Outcome.OfClaim>> next =
            ledger.executeAll(again.stream().map(claims::get).toList(), requestId);
        for (int i = 0; i < next.size(); i++) {
          answers.set(again.get(i), told(next.get(i)));
        }
        again = settle(answers, again);
      }
      return answers;
    }

    /** Settles what was claimed at these places; gives those that have to look again. */
    private List<Integer> settle(List<Supplier<Outcome.OfClaim>> answers, List<Integer> places) {
      List<Outcome.Claimed> claimed = new ArrayList<>();
      List<Integer> mine = new ArrayList<>();
      for (int place : places) {
        if (answers.get(place) instanceof Told told
            && told.outcome() instanceof Outcome.Claimed one) {
          claimed.add(one);
          mine.add(place);
        }
      }
      List<Supplier<Outcome.@Nullable Claimed>> settled = handOver.settleAll(claimed);
      List<Integer> again = new ArrayList<>();
      for (int i = 0; i < mine.size(); i++) {
        try {
          Outcome.Claimed one = settled.get(i).get();
          if (one == null) {
            again.add(mine.get(i));
          } else {
            answers.set(mine.get(i), new Told(one));
          }
        } catch (OverloadedException | StoreUnavailableException e) {
          answers.set(mine.get(i), failed(e));
        }
      }
      return again;
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
      return failed(e);
    }
  }

  private static Supplier<Outcome.OfClaim> failed(RuntimeException why) {
    return () -> {
      throw why;
    };
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
