package dev.stint.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.testkit.CutProxy;
import dev.stint.testkit.TestPostgres;
import dev.stint.testkit.TestRedis;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Redis and control planes that go wrong in the middle of load: afterwards all jobs end, and Redis
 * is as the store has it.
 */
@Timeout(200)
class RedisFaultsTest {
  private static final int JOBS = 60;
  private static final int CLIENTS = 4;
  private static final long PAUSE_MILLIS = 20;

  private final Map<String, String> addresses = new HashMap<>();

  @TempDir Path folder;

  /** What goes wrong. */
  private interface Fault {
    void happen(CrashLoad load) throws Exception;
  }

  @Test
  void aRedisThatIsKilledComesBackWithWhatItHadOrEmptyOrIsEmptied() throws Exception {
    Path data = Files.createDirectory(folder.resolve("redis"));
    try (TestRedis redis =
            TestRedis.start(
                "--appendonly", "yes", "--appendfsync", "always", "--dir", data.toString());
        StintProcess server = server("a", folder.resolve("stint.db").toString(), redis.url())) {
      String url = url("a");
      under(
          url,
          server,
          _ -> {
            redis.kill();
            Thread.sleep(500);
            redis.restart();
          });
      under(url, server, _ -> redis.command("FLUSHALL"));
      under(
          url,
          server,
          _ -> {
            redis.kill();
            deleteAll(data);
            Thread.sleep(500);
            redis.restart();
          });
      under(url, server, _ -> redis.command("DEBUG", "SLEEP", "3"));
      assertThat(quiet("a")).isTrue();
    }
  }

  @Test
  void aConnectionThatIsCutOrSilentForTenSecondsStopsNobody() throws Exception {
    try (TestRedis redis = TestRedis.start();
        CutProxy proxy = CutProxy.to(redis.port());
        StintProcess server = behind(proxy, folder.resolve("stint.db").toString())) {
      String url = url("a");
      under(
          url,
          server,
          _ -> {
            proxy.cut();
            Thread.sleep(10_000);
            proxy.goOn();
          });
      under(
          url,
          server,
          _ -> {
            proxy.standStill();
            Thread.sleep(10_000);
            proxy.goOn();
          });
      assertThat(quiet("a")).isTrue();
    }
  }

  @Test
  void aControlPlaneThatIsKilledAgainAndAgainMakesUpForItLater() throws Exception {
    try (TestRedis redis = TestRedis.start();
        StintProcess server = server("a", folder.resolve("stint.db").toString(), redis.url())) {
      under(
          url("a"),
          server,
          _ -> {
            for (int kills = 0; kills < 3; kills++) {
              server.kill();
              server.startAgain();
              Thread.sleep(1_500);
            }
          });
    }
  }

  @Test
  void aControlPlaneThatIsKilledBetweenACommitAndRedisMakesUpForItLater() throws Exception {
    try (TestRedis redis = TestRedis.start();
        CutProxy proxy = CutProxy.to(redis.port());
        StintProcess server = behind(proxy, folder.resolve("stint.db").toString())) {
      under(
          url("a"),
          server,
          load -> {
            killBeforeTheRelay(load, server, proxy, redis);
            // What was on its way is lost with who sent it.
            proxy.cut();
            proxy.goOn();
            server.startAgain();
          });
      assertThat(quiet("a")).isTrue();
    }
  }

  @Test
  void whatAKilledControlPlaneSentToRedisMayArriveAfterTheNextOneHasBegun() throws Exception {
    try (TestRedis redis = TestRedis.start();
        CutProxy proxy = CutProxy.to(redis.port());
        StintProcess server = behind(proxy, folder.resolve("stint.db").toString())) {
      under(
          url("a"),
          server,
          load -> {
            killBeforeTheRelay(load, server, proxy, redis);
            server.startAgain();
            await(load, load.accepted() + JOBS);
            proxy.goOn();
          });
      assertThat(quiet("a")).isTrue();
    }
  }

  /** Kills it while its database has jobs of which Redis has not heard; the proxy still stands. */
  private static void killBeforeTheRelay(
      CrashLoad load, StintProcess server, CutProxy proxy, TestRedis redis) throws Exception {
    proxy.standStill();
    Set<String> before = Set.copyOf(load.submitted());
    await(load, before.size() + JOBS);
    server.kill();
    Set<String> committed = new HashSet<>(load.submitted());
    committed.removeAll(before);
    committed.removeIf(id -> !redis.command("EXISTS", "job:" + id).equals(":0"));
    // Each of the clients may have been about to hear of one that Redis has.
    assertThat(committed).hasSizeGreaterThanOrEqualTo(JOBS - CLIENTS);
  }

  @Test
  void ofTwoControlPlanesOnOnePostgresqlOneIsKilledAndTheOtherRelays() throws Exception {
    String db = TestPostgres.shared().newDatabase();
    try (TestRedis redis = TestRedis.start();
        StintProcess first = server("a", db, redis.url());
        StintProcess second = server("b", db, redis.url())) {
      try (CrashLoad other = new CrashLoad(url("b"), PAUSE_MILLIS)) {
        other.start(2, 2);
        under(
            url("a"),
            first,
            _ -> {
              await(other, 20);
              second.kill();
              second.startAgain();
            });
        under(
            url("a"),
            first,
            _ -> {
              first.kill();
              Thread.sleep(300);
              first.startAgain();
            });
        other.finish(Duration.ofSeconds(40));
        assertThat(other.problems()).isEmpty();
      }
      assertRight(url("b"));
    }
  }

  @Test
  void ofTwoControlPlanesOnOnePostgresqlTheOneThatRelaysIsCutOffAndRedisIsEmptied()
      throws Exception {
    String db = TestPostgres.shared().newDatabase();
    try (TestRedis redis = TestRedis.start();
        CutProxy proxy = CutProxy.to(redis.port());
        StintProcess first = behind(proxy, db);
        StintProcess second = server("b", db, redis.url())) {
      try (CrashLoad other = new CrashLoad(url("b"), PAUSE_MILLIS)) {
        other.start(2, 2);
        under(
            url("a"),
            first,
            _ -> {
              await(other, 20);
              proxy.standStill();
              Thread.sleep(7_000);
              proxy.goOn();
            });
        under(url("a"), first, _ -> redis.command("FLUSHALL"));
        other.finish(Duration.ofSeconds(40));
        assertThat(other.problems()).isEmpty();
        assertThat(second.isAlive()).isTrue();
      }
      assertRight(url("b"));
      assertThat(quiet("a")).isTrue();
      assertThat(quiet("b")).isTrue();
    }
  }

  private StintProcess behind(CutProxy proxy, String db) throws Exception {
    return server("a", db, "redis://127.0.0.1:" + proxy.port());
  }

  private StintProcess server(String name, String db, String redis) throws Exception {
    String address = "127.0.0.1:" + StintProcess.freePort();
    addresses.put(name, address);
    return StintProcess.logging(
        folder.resolve(name + ".log"),
        Map.of("STINT_REDIS", redis),
        "server",
        "--addr",
        address,
        "--db",
        db,
        "--lease-ttl-seconds",
        "3");
  }

  private String url(String name) {
    return "http://" + addresses.get(name);
  }

  /** Lets a fault happen in the middle of load, and sees that all ends well. */
  private static void under(String url, StintProcess server, Fault fault) throws Exception {
    try (CrashLoad load = new CrashLoad(url, PAUSE_MILLIS)) {
      load.start(CLIENTS, 4);
      await(load, JOBS);
      fault.happen(load);
      await(load, load.accepted() + JOBS);
      assertThat(server.isAlive()).isTrue();
      load.finish(Duration.ofSeconds(40));
      Set<String> unfinished = new HashSet<>(load.submitted());
      unfinished.removeAll(load.completed().keySet());
      for (String job : unfinished) {
        assertThat(load.read(job)).contains("\"status\":\"done\"");
      }
      assertThat(load.problems()).isEmpty();
    }
    assertRight(url);
  }

  private static void await(CrashLoad load, int jobs) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while (load.accepted() < jobs) {
      if (System.nanoTime() > end) {
        throw new AssertionError(load.accepted() + " jobs, " + load.problems());
      }
      Thread.sleep(5);
    }
  }

  /** Redis may still be about to be put right; then nothing differs any more. */
  private static void assertRight(String url) throws InterruptedException {
    long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
    Caller.Result result = check(url);
    while (result.code() != 0 && System.nanoTime() < end) {
      Thread.sleep(500);
      result = check(url);
    }
    assertThat(result.code()).as(result.out() + result.err()).isZero();
  }

  private static Caller.Result check(String url) {
    return new Caller(url).run("redis", "check");
  }

  private boolean quiet(String name) throws Exception {
    String log = Files.readString(folder.resolve(name + ".log"));
    return !log.contains("ERROR") && !log.contains("Exception");
  }

  private static void deleteAll(Path data) throws Exception {
    try (var files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Files.delete(file);
      }
    }
  }
}
