package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real server under load, killed again and again. */
@Timeout(300)
class CrashTest {
  private static final int JOBS_BETWEEN_KILLS = 40;

  @TempDir Path folder;

  @Test
  void everyAcceptedJobSurvivesTwentyKillsAndEndsExactlyOnce() throws Exception {
    crash(folder.resolve("stint.db").toString(), 20);
  }

  private void crash(String db, int kills) throws Exception {
    Path log = folder.resolve("server.log");
    String address = "127.0.0.1:" + StintProcess.freePort();
    try (StintProcess server =
            StintProcess.logging(
                log,
                Map.of(),
                "server",
                "--addr",
                address,
                "--db",
                db,
                "--lease-ttl-seconds",
                "3");
        CrashLoad load = new CrashLoad("http://" + address)) {
      load.start(6, 6);
      for (int kill = 1; kill <= kills; kill++) {
        awaitJobs(load, server, kill * JOBS_BETWEEN_KILLS, log);
        server.kill();
        server.startAgain();
      }
      awaitJobs(load, server, (kills + 1) * JOBS_BETWEEN_KILLS, log);
      load.finish(Duration.ofSeconds(60));
      Set<String> unfinished = new HashSet<>(load.submitted());
      unfinished.removeAll(load.completed().keySet());
      // A completion whose answer was lost counted all the same: then the server knows it.
      for (String job : unfinished) {
        assertThat(load.read(job)).contains("\"status\":\"done\"");
      }
      assertThat(unfinished).hasSizeLessThan(load.submitted().size() / 2);
      for (String job : load.submitted()) {
        String attempt = load.completed().get(job);
        assertThat(load.read(job))
            .contains("\"status\":\"done\"")
            .contains(attempt == null ? "\"by\":" : "\"by\":\"" + attempt + "\"");
      }
      assertThat(load.problems()).isEmpty();
    }
    assertThat(Files.readString(log)).doesNotContain("ERROR").doesNotContain("Exception");
  }

  private static void awaitJobs(CrashLoad load, StintProcess server, int jobs, Path log)
      throws Exception {
    long end = System.nanoTime() + Duration.ofSeconds(40).toNanos();
    while (load.accepted() < jobs) {
      if (System.nanoTime() > end || !server.isAlive()) {
        throw new AssertionError(
            load.accepted() + " jobs, " + load.problems() + "\n" + Files.readString(log));
      }
      Thread.sleep(5);
    }
  }
}
