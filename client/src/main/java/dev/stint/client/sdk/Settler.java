package dev.stint.client.sdk;

import dev.stint.client.Answer;
import dev.stint.client.Patience;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * Reports results, all that wait in one call, and takes the next jobs in the same call. While one
 * call is under way the results of the next gather.
 */
final class Settler implements Runnable {
  private static final System.Logger log = System.getLogger(Settler.class.getName());

  /** About half a minute: what is an accident is over by then. */
  private static final int MOST_MISHAPS = 40;

  private final Holdings holdings;
  private final LeaseCalls calls;
  private final Patience patience;
  private final Intake intake;

  /** Never more than the worker has slots, since what is not reported keeps its slot. */
  private final LinkedBlockingQueue<Report> waiting = new LinkedBlockingQueue<>();

  private @Nullable Report next;

  Settler(Holdings holdings, LeaseCalls calls, Patience patience, Intake intake) {
    this.holdings = holdings;
    this.calls = calls;
    this.patience = patience;
    this.intake = intake;
  }

  /** To be reported. */
  void add(Report report) {
    waiting.add(report);
  }

  /** Reports until interrupted. */
  @Override
  public void run() {
    try {
      while (true) {
        settle(gather());
      }
    } catch (InterruptedException e) {
      log.log(Level.DEBUG, "no more reports");
    }
  }

  /** As many as fit into one call. */
  private List<Report> gather() throws InterruptedException {
    List<Report> group = new ArrayList<>();
    int bytes = 0;
    Report report = next != null ? next : waiting.take();
    while (report != null
        && group.size() < LeaseCalls.MOST_LEASES
        && (group.isEmpty() || bytes + report.bytes() < Report.MAX_BYTES)) {
      group.add(report);
      bytes += report.bytes() + 1;
      report = waiting.poll();
    }
    next = report;
    return group;
  }

  private void settle(List<Report> group) throws InterruptedException {
    List<Lease> over = new ArrayList<>();
    List<Report> ours = new ArrayList<>();
    for (Report report : group) {
      if (report.lease().work().isLost()) {
        log.log(Level.INFO, report.lease() + " was given away; its result is dropped");
        over.add(report.lease());
      } else {
        ours.add(report);
      }
    }
    List<Lease> jobs = ours.isEmpty() ? List.of() : report(ours, over);
    // The new ones first: a worker that closes must not think that it holds nothing.
    intake.take(over.size(), jobs);
    holdings.release(over);
    if (over.size() < group.size()) {
      patience.backOff(0);
    }
  }

  /** Reports, adds the leases that are over with it, and returns those that came in exchange. */
  private List<Lease> report(List<Report> ours, List<Lease> over) throws InterruptedException {
    boolean isTaking = !holdings.isClosing() && !patience.isDraining();
    Answer answer = send(ours, isTaking ? calls.claimOf(ours.size()) : null);
    if (answer.isOk()) {
      over.addAll(judged(ours, answer.objects("results")));
      return LeaseCalls.jobs(answer);
    }
    if (answer.isBarred()) {
      for (Report report : ours) {
        giveUp(report, answer.status(), answer.problem());
        over.add(report.lease());
      }
    } else {
      log.log(Level.WARNING, "results are refused: " + answer.problem());
      over.addAll(settledOneByOne(ours));
    }
    return List.of();
  }

  /** When nothing of a call was done, perhaps because of one report in it. */
  private List<Lease> settledOneByOne(List<Report> reports) throws InterruptedException {
    List<Lease> over = new ArrayList<>();
    for (Report report : reports) {
      Answer answer = send(List.of(report), null);
      if (answer.isOk()) {
        over.addAll(judged(List.of(report), answer.objects("results")));
      } else {
        giveUp(report, answer.status(), answer.problem());
        over.add(report.lease());
      }
    }
    return over;
  }

  /**
   * Sends until an answer comes; to be told twice does a result no harm. An answer that does not
   * help stands once it has been the same for as long as a lease lasts: if heartbeats fare no
   * better the jobs are others' by then, and if they do, somebody else should have a try.
   */
  private Answer send(List<Report> reports, LeaseCalls.@Nullable Claim claim)
      throws InterruptedException {
    long unwelcomeSince = 0;
    int unwelcome = 0;
    for (int failures = 0; ; failures++) {
      try {
        return calls.settle(reports, claim);
      } catch (UnwelcomeException e) {
        unwelcomeSince = unwelcome++ == 0 ? System.nanoTime() : unwelcomeSince;
        if (System.nanoTime() - unwelcomeSince > longestTtl(reports).toNanos()) {
          return e.answer();
        }
      } catch (IOException e) {
        log.log(Level.DEBUG, "results wait", e);
      } catch (RuntimeException | Error e) { // there may be no room for another thread
        log.log(Level.ERROR, "results have to be sent again", e);
      }
      patience.backOff(failures);
    }
  }

  private static Duration longestTtl(List<Report> reports) {
    return reports.stream()
        .map(report -> report.lease().ttl())
        .max(Comparator.naturalOrder())
        .orElse(Duration.ZERO);
  }

  /** Those that are over; others are for later. */
  private List<Lease> judged(List<Report> sent, List<Map<String, @Nullable Object>> results) {
    List<Lease> over = new ArrayList<>();
    for (int i = 0; i < sent.size(); i++) {
      Report report = sent.get(i);
      int status = i < results.size() ? Results.status(results.get(i)) : 503;
      boolean isMishap = status == 500;
      if (status == 429 || (status >= 500 && !(isMishap && report.mishaps() == MOST_MISHAPS))) {
        waiting.add(isMishap ? report.afterMishap() : report);
        continue;
      }
      over.add(report.lease());
      if (status == 409 || status == 404) {
        log.log(Level.INFO, report.lease() + " was given away; its result does not count");
      } else if (status != 200) {
        giveUp(report, status, Results.problem(results.get(i)));
      }
    }
    return over;
  }

  /** Sent again, it would be refused again; the job is tried again when its lease runs out. */
  private static void giveUp(Report report, int status, String problem) {
    log.log(
        Level.ERROR, "the result of " + report.lease() + " is refused: " + status + " " + problem);
  }
}
