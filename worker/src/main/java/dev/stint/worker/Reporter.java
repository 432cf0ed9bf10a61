package dev.stint.worker;

import dev.stint.client.Answer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings reports from the outbox to the control plane. A report leaves the outbox only when the
 * control plane has it or does not want it; to send one twice does no harm.
 */
final class Reporter {
  private static final Logger log = LoggerFactory.getLogger(Reporter.class);

  private final ControlPlane control;
  private final State state;
  private final Set<String> underway = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean isFlushing = new AtomicBoolean();

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
    for (Report report : state.reports()) {
      if (which.test(report)) {
        send(report);
      }
    }
  }

  /** Sends what is left, beside what the caller does: for after a call that went well. */
  void flush() {
    if (!state.reports().isEmpty() && isFlushing.compareAndSet(false, true)) {
      Thread.startVirtualThread(() -> {
        try {
          sendAll(report -> true);
        } catch (AwayException e) {
          log.debug("reports stay in the outbox: {}", e.getMessage());
        } finally {
          isFlushing.set(false);
        }
      });
    }
  }
}
