package dev.stint.worker;

import static dev.stint.worker.FakeControlPlane.OK;
import static dev.stint.worker.FakeControlPlane.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A control plane that is there, and does not take what a worker sends. */
@Timeout(60)
class UnwelcomeTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private FakeControlPlane control;

  @SuppressWarnings("NullAway.Init")
  private Workshop shop;

  @BeforeEach
  void open() throws Exception {
    control = new FakeControlPlane();
    shop = Workshop.of(Probes.settings(control.url(), folder, Duration.ofSeconds(1)));
    shop.state().open();
  }

  @AfterEach
  void close() {
    shop.state().close();
    control.close();
  }

  private void ended(String jobId, long fence) {
    Mark mark = new Mark(jobId, fence);
    shop.state().ended(mark, Report.of(Report.Kind.COMPLETED, "w1", Probes.job(mark, 0, "true")));
  }

  private List<String> reported() {
    return control.calls("/complete").stream()
        .map(call -> String.valueOf(call.field("job_id")))
        .toList();
  }

  @Test
  void aResultOverWhichTheControlPlaneFailsDoesNotKeepOthersAndIsTriedEverMoreSeldom()
      throws Exception {
    control.on(
        "/complete", call -> "j1".equals(call.field("job_id")) ? refusal(500, "mishap") : OK);
    ended("j1", 1);
    ended("j2", 2);

    shop.reporter().sendAll(report -> true);
    shop.reporter().sendAll(report -> true);

    assertThat(reported()).containsExactly("j1", "j2");
    assertThat(shop.state().reports()).extracting(Report::jobId).containsExactly("j1");

    control.on("/complete", call -> OK);
    while (!shop.state().reports().isEmpty()) {
      shop.reporter().sendAll(report -> true);
      Thread.sleep(50);
    }
    assertThat(reported()).containsExactly("j1", "j2", "j1");
  }

  @Test
  void aWorkerThatIsNotLetInKeepsItsResultsAndBeatsMoreSlowly() throws Exception {
    List<Long> beats = new CopyOnWriteArrayList<>();
    control.on(
        "/heartbeat",
        call -> {
          beats.add(System.nanoTime());
          return refusal(401, "unauthorized");
        });
    control.on("/complete", call -> refusal(401, "unauthorized"));
    ended("j1", 1);
    Heartbeat heartbeat = new Heartbeat(shop, new Session(shop), null);
    Thread beating = Thread.ofVirtual().start(() -> heartbeat.beat(Duration.ofMillis(10)));
    Probes.await(() -> beats.size() == 3);
    beating.interrupt();
    beating.join();

    assertThat(Duration.ofNanos(beats.get(2) - beats.get(0))).isGreaterThan(Duration.ofSeconds(2));
    assertThat(shop.patience().isBarred()).isTrue();
    assertThat(shop.state().reports()).hasSize(1);
  }
}
