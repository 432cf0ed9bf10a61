package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Patience;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fills free slots: one call that waits stands for all of them. It runs on a virtual thread, where
 * an interrupt ends a call under way.
 */
final class Claimer implements Runnable {
  private static final System.Logger log = System.getLogger(Claimer.class.getName());
  private static final Duration WAIT = Duration.ofSeconds(20);

  /** A drained worker learns by asking that it is resumed. */
  private static final Duration DRAINED_WAIT = Duration.ofSeconds(2);

  private final Holdings holdings;
  private final LeaseCalls calls;
  private final Patience patience;
  private final Intake intake;
  private String told = "";

  Claimer(Holdings holdings, LeaseCalls calls, Patience patience, Intake intake) {
    this.holdings = holdings;
    this.calls = calls;
    this.patience = patience;
    this.intake = intake;
  }

  /** Asks for jobs until interrupted or closed. */
  @Override
  public void run() {
    LeaseCalls.Claim underway = null;
    try {
      for (int slots = next(); slots > 0; slots = next()) {
        underway = calls.claimOf(slots);
        List<Lease> jobs = claim(underway);
        intake.take(slots, jobs);
        underway = null;
        if (patience.isDraining()) {
          patience.sleep(DRAINED_WAIT);
        }
      }
    } catch (InterruptedException e) {
      recover(underway);
    }
  }

  private int next() throws InterruptedException {
    return holdings.reserve(LeaseCalls.MOST_JOBS);
  }

  private List<Lease> claim(LeaseCalls.Claim claim) throws InterruptedException {
    for (int failures = 0; ; failures++) {
      long begin = System.nanoTime();
      try {
        Answer answer = calls.claim(claim, WAIT);
        List<Lease> jobs = LeaseCalls.jobs(answer);
        tell(answer);
        boolean hasWaited = System.nanoTime() - begin > WAIT.toNanos() / 2;
        if (!jobs.isEmpty() || (answer.isOk() && (hasWaited || patience.isDraining()))) {
          return jobs;
        }
      } catch (IOException e) {
        log.log(Level.DEBUG, "no jobs are given", e);
      } catch (RuntimeException | Error e) { // there may be no room for another thread
        log.log(Level.ERROR, "a claim has to be tried again", e);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      patience.backOff(failures);
    }
  }

  /** A refusal may stay the same for as long as this worker asks the same, and is told once. */
  private void tell(Answer answer) {
    String refusal =
        answer.isOk() ? "" : "no jobs are given: " + answer.status() + " " + answer.problem();
    if (!refusal.isEmpty() && !refusal.equals(told)) {
      log.log(Level.ERROR, refusal + "; trying again now and then");
    }
    told = refusal;
  }

  /** Fetches what the control plane may have given while the worker hung up on it. */
  private void recover(LeaseCalls.@Nullable Claim claim) {
    if (claim == null) {
      return;
    }
    List<Lease> given = List.of();
    try {
      given = LeaseCalls.jobs(calls.claim(claim.again(), Duration.ZERO));
    } catch (IOException e) {
      log.log(Level.DEBUG, "nothing is known of the last claim", e);
    }
    intake.take(claim.jobs(), given);
  }
}
