package dev.stint.worker;

import dev.stint.client.Answer;
import dev.stint.client.WorkerName;
import dev.stint.worker.Run.Ending;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who this worker is to the control plane: registers, and reconciles what it has. */
final class Session {
  private static final Logger log = LoggerFactory.getLogger(Session.class);

  /** So many fit well into the largest body that a control plane takes. */
  private static final int MOST_AT_ONCE = 100;

  /** A control plane takes no longer list of jobs. */
  private static final int MOST_NAMED = 1_000;

  private final Workshop shop;
  private final String generatedId = WorkerName.madeUp();

  Session(Workshop shop) {
    this.shop = shop;
  }

  /** What it calls itself: as given, else as before, else made up. */
  String workerId() {
    return Stream.of(
            Optional.ofNullable(shop.settings().workerId()),
            Optional.ofNullable(shop.state().workerId()))
        .flatMap(Optional::stream)
        .findFirst()
        .orElse(generatedId);
  }

  /** Registers, and brings both sides to the same view of what runs and what has ended. */
  synchronized void begin() throws AwayException, RefusedException {
    String id = workerId();
    shop.control().register(id);
    shop.state().name(id);
    log.info("registered as {}", id);
    shop.reporter().sendAll(report -> report.kind() == Report.Kind.RELEASED);
    reconnect(id);
    shop.reporter().flush();
  }

  private void reconnect(String id) throws AwayException {
    List<Run> current = List.copyOf(shop.runs());
    List<Report> kept =
        shop.state().reports().stream().filter(report -> report.workerId().equals(id)).toList();
    List<Report> first =
        kept.stream().filter(report -> report.kind().isEnd()).limit(MOST_AT_ONCE).toList();
    // What is not sent now is sent later, and counts only if the job is still this worker's.
    Stream<Report> later = kept.stream().filter(report -> !first.contains(report));
    List<String> ids =
        Stream.concat(current.stream().map(run -> run.job().jobId()), later.map(Report::jobId))
            .limit(MOST_NAMED)
            .toList();
    Answer answer = shop.control().reconnect(id, ids, first);
    if (!answer.isOk()) {
      log.warn("the control plane does not reconnect: {} {}", answer.status(), answer.problem());
      return;
    }
    shop.patience().draining(answer.flag("drain"));
    obey(Orders.of(answer, "current_jobs"), current);
    for (Map<String, @Nullable Object> action : answer.objects("actions")) {
      settle(action, first);
    }
  }

  private void settle(Map<String, @Nullable Object> action, List<Report> sent) {
    Object verdict = action.get("action");
    if ("rejected".equals(verdict)) {
      log.warn(
          "the control plane does not want the result of job {}: {}",
          action.get("job_id"),
          action.get("reason"));
    }
    sent.stream()
        .filter(report -> report.jobId().equals(action.get("job_id")))
        .forEach(shop.state()::delivered);
  }

  /** Ends what the control plane wants ended. */
  static void obey(Map<String, Orders> orders, List<Run> runs) {
    for (Run run : runs) {
      Orders order = orders.get(run.job().jobId());
      if (order != null && order.isAbandon()) {
        run.stop(new Ending.Abandoned());
      } else if (order != null && order.cancelReason() != null) {
        run.stop(new Ending.Cancelled(order.cancelReason()));
      }
    }
  }
}
