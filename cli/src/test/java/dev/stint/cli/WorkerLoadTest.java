package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Many workers at once. */
@Timeout(300)
@EnabledOnOs(OS.LINUX)
class WorkerLoadTest {
  private static final int WORKERS = 8;
  private static final int JOBS = 500;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void eightWorkersRunFiveHundredJobsAndNoneTwice() throws Exception {
    Path ran = folder.resolve("ran");
    // With eight JVMs starting at once, a quick give-up would test the machine and not the workers.
    try (Fleet fleet = new Fleet(folder, 60)) {
      List<String> jobs = new ArrayList<>();
      for (int i = 0; i < JOBS; i++) {
        jobs.add(
            fleet.submit(
                Map.of(
                    "command",
                    "sh",
                    "args",
                    List.of("-c", "echo $STINT_JOB_ID >> " + ran),
                    "max_attempts",
                    1)));
      }
      for (int i = 1; i <= WORKERS; i++) {
        fleet.worker("w" + i);
      }
      for (String job : jobs) {
        fleet.await(job, "COMPLETED");
      }
      assertThat(Files.readAllLines(ran)).containsExactlyInAnyOrderElementsOf(jobs);
      for (int i = 1; i <= WORKERS; i++) {
        assertThat(fleet.get("/jobs?worker_id=w" + i).objects("jobs")).as("w" + i).isNotEmpty();
      }
    }
  }
}
