package dev.stint.worker;

import dev.stint.client.Answer;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the control plane that the worker lives, and does what it is told in return.
 *
 * <p>It keeps its pace while the control plane is away, since the leases of running jobs hang on
 * it; but not where it is not let in, since wrong credentials are counted there.
 */
final class Heartbeat {
  private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

  private final Workshop shop;
  private final Session session;
  private final @Nullable Metrics metrics;

  Heartbeat(Workshop shop, Session session, @Nullable Metrics metrics) {
    this.shop = shop;
    this.session = session;
    this.metrics = metrics;
  }

  /** Beats until interrupted. */
  void beat(Duration interval) {
    try {
      int barred = 0;
      while (true) {
        runOnce();
        barred = shop.patience().isBarred() ? barred + 1 : 0;
        if (barred > 0) {
          shop.patience().backOff(barred);
        }
        Thread.sleep(interval);
      }
    } catch (InterruptedException e) {
      log.debug("no more heartbeats");
    }
  }

  private void runOnce() {
    try {
      // Only what ran when it was asked about: the answer says nothing of jobs claimed since.
      List<Run> current = List.copyOf(shop.runs());
      Answer answer =
          shop.control()
              .heartbeat(
                  session.workerId(),
                  shop.state().nextSeq(),
                  current.stream().map(run -> run.job().jobId()).toList(),
                  metrics == null ? null : metrics.sample());
      if (answer.status() == 404) {
        session.begin();
      } else if (answer.isOk()) {
        shop.patience().draining(answer.flag("drain"));
        Session.obey(Orders.of(answer, "jobs"), current);
        shop.reporter().flush();
      } else {
        log.warn("a heartbeat is refused: {} {}", answer.status(), answer.problem());
      }
    } catch (AwayException e) {
      log.debug("no heartbeat: {}", e.getMessage());
    } catch (RefusedException e) {
      shop.patience().barred(String.valueOf(e.getMessage()));
    } catch (RuntimeException | Error e) { // there may be no room for another thread
      log.error("a heartbeat failed", e);
    }
  }
}
