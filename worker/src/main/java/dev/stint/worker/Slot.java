package dev.stint.worker;

import dev.stint.client.Answer;
import dev.stint.worker.Run.Ending;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes one job after the other and runs it, until the worker stops. */
final class Slot {
  private static final Logger log = LoggerFactory.getLogger(Slot.class);

  /** A worker that stops waits for its claims to be answered. */
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final Workshop shop;
  private final Session session;
  private final Room room;
  private final Turns turns;
  private final Duration poll;
  private String claimId = UUID.randomUUID().toString();
  private int failures;
  private int handedBack;

  Slot(Workshop shop, Session session, Room room, Turns turns) {
    this.shop = shop;
    this.session = session;
    this.room = room;
    this.turns = turns;
    this.poll = shop.settings().times().poll();
  }

  void work() {
    try {
      while (!shop.patience().isStopping()) {
        workOnce();
        shop.patience().awaitNotDraining();
      }
    } catch (InterruptedException e) {
      log.debug("a slot is interrupted");
    }
  }

  private void workOnce() throws InterruptedException {
    Assignment job = awaitJob();
    try {
      if (job != null && !take(job)) {
        shop.patience().rest(handedBack++);
      } else if (job != null) {
        handedBack = 0;
      }
    } catch (AwayException e) {
      shop.patience().backOff(failures++);
    } catch (RuntimeException | Error e) {
      tryAgain(e);
    }
  }

  /** Asks when it is this slot's turn, and keeps the turn while it has to wait for better times. */
  private @Nullable Assignment awaitJob() throws InterruptedException {
    Assignment job = null;
    turns.take();
    try {
      if (!shop.patience().isStopping() && room.isThere()) {
        job = claim();
        failures = 0;
      } else {
        shop.patience().sleep(poll);
      }
    } catch (AwayException e) {
      shop.patience().backOff(failures++);
    } catch (RefusedException e) {
      shop.patience().barred(String.valueOf(e.getMessage()));
      shop.patience().backOff(failures++);
    } catch (RuntimeException | Error e) {
      tryAgain(e);
    } finally {
      turns.giveBack(job != null);
    }
    return job;
  }

  private void tryAgain(Throwable e) throws InterruptedException {
    log.error("a slot has to try again", e);
    shop.patience().backOff(failures++);
  }

  /** Asks under the same claim id until an answer comes, so that a lost answer loses no job. */
  private @Nullable Assignment claim()
      throws AwayException, RefusedException, InterruptedException {
    Duration wait = poll.compareTo(LONGEST_WAIT) < 0 ? poll : LONGEST_WAIT;
    long begin = System.nanoTime();
    Answer answer = shop.control().nextJob(session.workerId(), claimId, wait);
    Duration took = Duration.ofNanos(System.nanoTime() - begin);
    claimId = UUID.randomUUID().toString();
    Assignment job = answer.status() == 200 ? Assignment.of(answer) : null;
    if (job != null) {
      return job;
    }
    if (answer.status() == 404) {
      session.begin();
    } else if (answer.status() != 204) {
      log.warn("no job is given: {} {}", answer.status(), answer.problem());
    }
    shop.reporter().flush();
    if (answer.status() != 204 || took.compareTo(wait) < 0) {
      shop.patience().sleep(poll.minus(took));
    }
    return null;
  }

  /** False if the job is given back, since it cannot be run here: nor could the next. */
  private boolean take(Assignment job) throws AwayException, InterruptedException {
    Run run = new Run(job, session.workerId(), shop);
    List<Run> former = former(job);
    former.forEach(other -> other.stop(new Ending.Abandoned()));
    try {
      return settle(job, outcome(run, former));
    } finally {
      shop.runs().remove(run);
      run.markOver();
    }
  }

  /**
   * Runs it, if it may; what to report, or null for nothing. Whatever goes wrong, it is given back:
   * the heartbeat keeps all jobs of this worker alive, also one that nobody sees to.
   */
  private @Nullable Report outcome(Run run, List<Run> former) throws InterruptedException {
    try {
      shop.runs().add(run);
      if (acknowledge(run)) {
        for (Run other : former) {
          other.awaitOver();
        }
        return start(run);
      }
      return shop.patience().isStopping() ? release(run.job()) : null;
    } catch (RuntimeException | Error e) { // there may be no room for another thread
      log.error("job {} is handed back, as nobody can see to it", run.job().mark(), e);
      return release(run.job());
    }
  }

  /** Older attempts at the same job, which the control plane has given up and so must we. */
  private List<Run> former(Assignment job) {
    return shop.runs().stream().filter(run -> run.job().jobId().equals(job.jobId())).toList();
  }

  /**
   * Whether it may run; tries as long as the control plane is away and the worker does not stop.
   */
  private boolean acknowledge(Run run) throws InterruptedException {
    for (int tries = 0; !shop.patience().isStopping(); tries++) {
      try {
        Answer answer = shop.control().acknowledge(session.workerId(), run.job());
        if (!answer.isOk()) {
          log.info("job {} is not given after all: {}", run.job().mark(), answer.problem());
        } else if (answer.flag("cancel")) {
          run.stop(new Ending.Cancelled(String.valueOf(answer.string("cancel_reason"))));
        }
        return answer.isOk();
      } catch (AwayException e) {
        shop.patience().backOff(tries);
      }
    }
    return false;
  }

  private @Nullable Report start(Run run) throws InterruptedException {
    if (!shop.state().started(run.job().mark())) {
      return release(run.job());
    }
    Report report = run.execute();
    return report == null ? null : report.with("completion_seq", shop.state().nextSeq());
  }

  private Report release(Assignment job) {
    return Report.of(Report.Kind.RELEASED, session.workerId(), job);
  }

  /**
   * Into the outbox first, and only then onto the wire.
   *
   * @return false if the job is given back
   */
  private boolean settle(Assignment job, @Nullable Report report) throws AwayException {
    shop.state().ended(job.mark(), report);
    if (report != null) {
      shop.reporter().send(report);
    }
    return report == null || report.kind() != Report.Kind.RELEASED;
  }
}
