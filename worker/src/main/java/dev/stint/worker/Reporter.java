package dev.stint.worker;

import dev.stint.client.Answer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings reports from the outbox to the control plane. A report leaves the outbox only when the
 * control plane has it or does not want it; to send one twice does no harm. One over which the
 * control plane fails is tried again ever more seldom, and does not keep the others waiting.
 */
final class Reporter {
  private static final Logger log = LoggerFactory.getLogger(Reporter.class);

  private final ControlPlane control;
  private final State state;
  private final Set<String> underway = ConcurrentHashMap.newKeySet();
  private final Map<String, Mishap> mishaps = new ConcurrentHashMap<>();
  private final AtomicBoolean isFlushing = new AtomicBoolean();

  /** How often a report went wrong, and when to try it again. */
  private record Mishap(int count, long againAtNanos) {
    static final Duration LONGEST = Duration.ofMinutes(5);

    static Mishap after(@Nullable Mishap former) {
      int count = former == null ? 1 : former.count + 1;
      long seconds = Math.min(LONGEST.toSeconds(), 1L << Math.min(count, 10));
      return new Mishap(count, System.nanoTime() + Duration.ofSeconds(seconds).toNanos());
    }

    boolean isOver() {
      return System.nanoTime() - againAtNanos >= 0;
    }
  }

  Reporter(ControlPlane control, State state) {
    this.control = control;
    this.state = state;
  }

  /** Sends one that is in the outbox already. If the control plane is away, it stays there. */
  void send(Report report) throws AwayException {
    if (!underway.add(report.assignmentId())) {
      return;
    }
    try {
      settle(report, control.report(report));
      mishaps.remove(report.assignmentId());
    } catch (AwayException e) {
      if (!e.isForAll()) {
        mishaps.compute(report.assignmentId(), (_, former) -> Mishap.after(former));
      }
      throw e;
    } finally {
      underway.remove(report.assignmentId());
    }
  }

  private void settle(Report report, Answer answer) {
    if (answer.isOk()) {
      log.debug("{} of job {} is reported", report.kind(), report.jobId());
    } else {
      // Sent again, it would be refused again.
      log.warn(
          "the control plane does not want {} of job {}: {} {}",
          report.kind(),
          report.jobId(),
          answer.status(),
          answer.problem());
    }
    state.delivered(report);
  }

  /** Sends what is left in the outbox, in its order, until the control plane is away. */
  void sendAll(Predicate<Report> which) throws AwayException {
    List<Report> reports = state.reports();
    mishaps.keySet().retainAll(reports.stream().map(Report::assignmentId).toList());
    for (Report report : reports) {
      Mishap mishap = mishaps.get(report.assignmentId());
      if (which.test(report) && (mishap == null || mishap.isOver())) {
        sendBeside(report);
      }
    }
  }

  private void sendBeside(Report report) throws AwayException {
    try {
      send(report);
    } catch (AwayException e) {
      if (e.isForAll()) {
        throw e;
      }
      log.warn("the result of job {} stays in the outbox: {}", report.jobId(), e.getMessage());
    }
  }

  /** Sends what is left, beside what the caller does: for after a call that went well. */
  void flush() {
    if (!state.reports().isEmpty() && !isFlushing.get()) {
      Thread.startVirtualThread(this::flushOnce);
    }
  }

  private void flushOnce() {
    if (!isFlushing.compareAndSet(false, true)) {
      return;
    }
    try {
      sendAll(report -> true);
    } catch (AwayException e) {
      log.debug("reports stay in the outbox: {}", e.getMessage());
    } finally {
      isFlushing.set(false);
    }
  }
}
