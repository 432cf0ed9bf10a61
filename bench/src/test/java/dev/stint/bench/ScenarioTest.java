package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Every scenario in small, with real servers. Nothing here depends on the machine's speed. */
@Timeout(120)
class ScenarioTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void noProcessIsLeft() {
    assertThat(ProcessHandle.current().children()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scenario",
        "scenario unknown",
        "scenario backlog --count 0",
        "scenario backlog --seconds 0",
        "scenario backlog --on oracle",
        "all --share 0",
        "all --only nothing"
      })
  void badUsageExitsWith2AndSaysWhat(String arguments) {
    assertThat(run(arguments.split(" "))).isEqualTo(2);
    assertThat(err.toString()).isNotBlank();
  }

  @Test
  void helpNamesEveryScenario() {
    assertThat(run("scenario", "--help")).isZero();
    for (ScenarioName name : ScenarioName.values()) {
      assertThat(out.toString()).contains("  " + name.name() + " ");
    }
  }

  @Test
  void claimsAreTimedWhileFewAndManyWait() throws Exception {
    Sheet sheet = new Backlog().run(setting(2_000, 0.5));
    assertThat(sheet.rows()).hasSize(3);
    assertThat(sheet.rows()).allSatisfy(row -> assertThat((Long) row.get(2)).isPositive());
    assertThat(sheet.aims()).hasSize(2).allMatch(aim -> aim.value().isPresent());
  }

  @Test
  void jobsFinishAndGoWhileOthersAreMeasured() throws Exception {
    Sheet sheet = new Finished().run(setting(500, 1.5));
    assertThat(sheet.rows()).hasSize(4);
    assertThat((Double) sheet.rows().getLast().getLast()).as("removed/s").isPositive();
    assertThat(sheet.aims()).hasSize(2).allMatch(aim -> aim.value().isPresent());
  }

  @Test
  void everyJobReachesAParkedClaim() throws Exception {
    Sheet sheet = new Parked().run(setting(50, 1));
    assertThat(sheet.rows().getFirst()).contains(100L);
    assertThat(sheet.aims()).hasSize(3).allMatch(aim -> aim.value().isPresent());
  }

  @Test
  void everyLeaseIsKeptByHeartbeat() throws Exception {
    Sheet sheet = new Leases().run(setting(1_000, 1));
    assertThat(sheet.rows().getFirst()).contains(1_000L, 1_000.0);
  }

  @Test
  void twoControlPlanesShareTheJobsOfOneDatabase() throws Exception {
    assumeTrue(Machine.postgres().isPresent(), "there is no PostgreSQL on this machine");
    Sheet sheet = new Planes().run(setting(8, 1));
    assertThat(sheet.rows()).hasSize(2);
    assertThat(sheet.rows()).allSatisfy(row -> assertThat((Long) row.get(2)).isPositive());
  }

  @Test
  void aServerWithRedisIsMeasuredBesideOneWithout() throws Exception {
    assumeRedis();
    Sheet sheet = new WithRedis().run(setting(4, 1));
    assertThat(sheet.rows()).hasSize(2);
    assertThat(sheet.rows()).allSatisfy(row -> assertThat((Long) row.get(3)).isPositive());
    assertThat(sheet.aims()).hasSize(1).allMatch(aim -> aim.value().isPresent());
  }

  @Test
  void everyStepOfANativeWorkerIsSeenOverHttp() throws Exception {
    assumeRedis();
    Sheet sheet = new NativeJobs().run(setting(4, 2));
    assertThat(sheet.rows()).hasSize(4);
    assertThat(sheet.rows()).allSatisfy(row -> assertThat(row.get(2)).isEqualTo(8L));
    assertThat(sheet.aims()).hasSize(1).allMatch(aim -> aim.value().isPresent());
  }

  private static void assumeRedis() throws RunFailedException {
    assumeTrue(
        Machine.program("redis-server").isPresent()
            || Files.isExecutable(PeerCache.ofUser().folder().resolve("redis-server")),
        "there is no Redis on this machine");
  }

  private static Scenario.Setting setting(int count, double seconds) {
    return new Scenario.Setting(
        count, seconds, 0.1, List.of(Contender.Storage.SQLITE), Scenario.Work.SILENT);
  }

  private int run(String... arguments) {
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
