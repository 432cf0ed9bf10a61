package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Answer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real workers and their server, which end in all the wrong moments. */
@Timeout(180)
@EnabledOnOs(OS.LINUX)
class WorkerCrashTest {
  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private Fleet fleet;

  @BeforeEach
  void open() throws Exception {
    fleet = new Fleet(folder, 4);
  }

  /** For what a lease must outlive, however long a server and a worker take to start again. */
  private void openWithLongLeases() throws Exception {
    fleet.close();
    fleet = new Fleet(folder, 60);
  }

  private Path file(String name) {
    return folder.resolve(name);
  }

  /** A script that goes on to its end only when a file is there. */
  private String until(String begun, String gate) {
    return "touch %s; while [ ! -e %s ]; do sleep 0.05; done; echo done"
        .formatted(file(begun), file(gate));
  }

  private String state(String worker) throws Exception {
    return Files.readString(file(worker).resolve("worker-logs").resolve("worker-state.json"));
  }

  @Test
  void whatAKilledWorkerHadIsFinishedByAnother() throws Exception {
    Path pid = file("pid");
    StintProcess first = fleet.worker("w1");
    String job = fleet.submit("[ $STINT_ATTEMPT = 1 ] || exit 0; " + fleet.sleeper(pid));
    String process = Fleet.pid(pid);
    first.kill();
    fleet.worker("w2");

    Answer ended = fleet.await(job, "COMPLETED");

    assertThat(ended.string("worker_id")).isEqualTo("w2");
    assertThat(ended.number("attempt_count", 0)).isEqualTo(2);
    String events = fleet.get("/events?job_id=" + job).text();
    assertThat(events).contains("\"LOST\"", "\"RETRYING\"", "\"requeued\"");
    // Nobody was there to end it; the next start on its state file is.
    assertThat(Fleet.isRunning(process)).isTrue();
    first.startAgain();
    Fleet.await(() -> !Fleet.isRunning(process));
    Fleet.await(() -> fleet.log("w1").contains("processes left of jobs [" + job));
  }

  @Test
  void aResultOutlivesAControlPlaneThatIsAway() throws Exception {
    openWithLongLeases();
    fleet.worker("w1");
    String job = fleet.submit(until("begun", "gate"));
    Fleet.await(() -> Files.exists(file("begun")));
    fleet.killServer();
    Files.createFile(file("gate"));
    Fleet.await(() -> state("w1").contains("\"status\":\"COMPLETED\""));
    Fleet.await(() -> fleet.log("w1").contains("is away"));

    fleet.startServerAgain();

    Answer ended = fleet.await(job, "COMPLETED");
    assertThat(ended.number("attempt_count", 0)).isEqualTo(1);
    assertThat(ended.string("artifact_stdout_sha256")).isNotNull();
    Fleet.await(() -> state("w1").contains("\"results\":[]"));
    assertThat(fleet.log("w1")).containsOnlyOnce("is away").containsOnlyOnce("plane is back");
  }

  @Test
  void aResultOutlivesAKillBetweenOutboxAndReport() throws Exception {
    openWithLongLeases();
    StintProcess worker = fleet.worker("w1");
    String job = fleet.submit(until("begun", "gate"));
    Fleet.await(() -> Files.exists(file("begun")));
    fleet.killServer();
    Files.createFile(file("gate"));
    Fleet.await(() -> state("w1").contains("\"status\":\"COMPLETED\""));
    worker.kill();
    fleet.startServerAgain();

    worker.startAgain();

    assertThat(fleet.await(job, "COMPLETED").number("attempt_count", 0)).isEqualTo(1);
    Fleet.await(() -> state("w1").contains("\"results\":[]"));
  }

  @Test
  void aJobThatWasGivenAwayMeanwhileIsEndedAndNotReported() throws Exception {
    fleet.worker("w1", "--request-timeout-seconds", "1");
    Path pid = file("pid");
    String job = fleet.submit("[ $STINT_ATTEMPT = 1 ] || exit 0; " + fleet.sleeper(pid));
    String process = Fleet.pid(pid);
    fleet.killServer();
    Fleet.await(() -> fleet.log("w1").contains("is away"));
    Thread.sleep(4_500);
    assertThat(Fleet.isRunning(process)).isTrue();

    fleet.startServerAgain();

    Fleet.await(() -> !Fleet.isRunning(process));
    assertThat(fleet.await(job, "COMPLETED").number("attempt_count", 0)).isEqualTo(2);
  }

  @Test
  void sigtermLetsAJobEndInItsTime() throws Exception {
    StintProcess worker = fleet.worker("w1", "--drain-seconds", "60");
    String job = fleet.submit(until("begun", "gate"));
    String next = fleet.submit("true");
    Fleet.await(() -> Files.exists(file("begun")));
    worker.signal("TERM");
    Fleet.await(() -> fleet.log("w1").contains("takes no more jobs"));
    Files.createFile(file("gate"));

    assertThat(worker.exitCode()).isZero();
    assertThat(fleet.job(job).string("status")).isEqualTo("COMPLETED");
    assertThat(fleet.job(next).string("status")).isEqualTo("PENDING");
  }

  @Test
  void aTerminalThatClosesLetsAJobEndInItsTimeThoughItTellsTwice() throws Exception {
    StintProcess worker = fleet.worker("w1", "--drain-seconds", "60");
    String job = fleet.submit(until("begun", "gate"));
    Fleet.await(() -> Files.exists(file("begun")));
    worker.signal("HUP");
    Fleet.await(() -> fleet.log("w1").contains("takes no more jobs"));
    worker.signal("HUP");
    Files.createFile(file("gate"));

    assertThat(worker.exitCode()).isZero();
    assertThat(fleet.job(job).string("status")).isEqualTo("COMPLETED");
  }

  @Test
  void sigtermHandsBackWhatTakesTooLongWithoutUsingUpAnAttempt() throws Exception {
    StintProcess worker = fleet.worker("w1", "--drain-seconds", "1");
    Path pid = file("pid");
    String job =
        fleet.submit(
            Map.of("command", "sh", "args", List.of("-c", fleet.sleeper(pid)), "max_attempts", 1));
    String process = Fleet.pid(pid);

    worker.signal("TERM");

    assertThat(worker.exitCode()).isZero();
    assertThat(Fleet.isRunning(process)).isFalse();
    Answer released = fleet.job(job);
    assertThat(released.string("status")).isEqualTo("PENDING");
    assertThat(released.number("attempt_count", -1)).isZero();
    Files.delete(pid);
    fleet.worker("w2");
    assertThat(Fleet.isRunning(Fleet.pid(pid))).isTrue();
  }

  @Test
  void aSecondSignalEndsAllAtOnce() throws Exception {
    StintProcess worker =
        fleet.worker("w1", "--drain-seconds", "600", "--kill-grace-seconds", "600");
    Path pid = file("pid");
    fleet.submit("trap '' TERM; setsid sh -c '" + fleet.sleeper(pid) + "' & wait");
    String process = Fleet.pid(pid);
    worker.signal("INT");
    Fleet.await(() -> fleet.log("w1").contains("takes no more jobs"));

    worker.signal("INT");

    assertThat(worker.exitCode()).isEqualTo(130);
    assertThat(Fleet.isRunning(process)).isFalse();
  }

  @Test
  void everyJobEndsThoughTheWorkerIsKilledAgainAndAgain() throws Exception {
    StintProcess worker = fleet.worker("w1", "--slots", "2");
    List<String> jobs = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      jobs.add(
          fleet.submit(Map.of("command", "sleep", "args", List.of("0.1"), "max_attempts", 100)));
    }
    for (int kill = 0; kill < 6; kill++) {
      int ended = kill * 4;
      Fleet.await(() -> completed() > ended);
      worker.kill();
      worker.startAgain();
    }
    for (String job : jobs) {
      fleet.await(job, "COMPLETED");
    }
    assertThat(fleet.log("w1")).doesNotContain("ERROR").doesNotContain("begins anew");
  }

  private int completed() throws Exception {
    return fleet.get("/jobs?status=COMPLETED").objects("jobs").size();
  }
}
