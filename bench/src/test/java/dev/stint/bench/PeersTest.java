package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@Timeout(120)
class PeersTest {
  private static final Contender.Order SHORT = new Contender.Order(100, 100, 0, 0);

  @TempDir Path temporary = Path.of("");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @ParameterizedTest
  @ValueSource(strings = {"--only nobody", "--jobs 50", "--jobs 150", "--seconds -1", "surplus"})
  void badUsageExitsWith2AndSaysWhat(String arguments) {
    assertThat(run(("peers " + arguments).split(" "))).isEqualTo(2);
    assertThat(err.toString()).isNotBlank();
  }

  @Test
  void helpNamesAllPeers() {
    assertThat(run("peers", "--help")).isZero();
    assertThat(out.toString()).contains("--only", "--jobs").contains(Peers.NAMES);
  }

  @Test
  void whoCannotBeRunIsNamedWithTheReason() throws Exception {
    Path notAFolder = Files.createFile(temporary.resolve("file"));
    PeerCache cache = new PeerCache(notAFolder.resolve("cache"));
    Sheet sheet = new Peers(cache, Set.of("bullmq"), SHORT, name -> {}).run();
    assertThat(sheet.rows()).isEmpty();
    assertThat(sheet.notes())
        .anyMatch(note -> note.matches("bullmq( on Redis .*)? could not be run: .+"));
  }

  @Test
  void stintItselfIsMeasuredOnEveryDatabaseThatIsThere() {
    Sheet sheet = new Peers(new PeerCache(temporary), Set.of("stint"), SHORT, name -> {}).run();
    assertThat(sheet.rows()).hasSize(Machine.postgres().isPresent() ? 4 : 2);
    assertThat(sheet.rows()).allSatisfy(row -> assertThat((Double) row.get(3)).isPositive());
  }

  /** Nothing is fetched here: a machine without npm, or without a network, builds as well. */
  @Test
  void librariesDoAllTheirJobs() {
    PeerCache cache = PeerCache.ofUser();
    assumeTrue(
        cache.hasModules(NodeContender.PACKAGES),
        "the npm packages have not been fetched; ./stint bench peers does");
    assumeTrue(Machine.postgres().isPresent(), "there is no PostgreSQL on this machine");
    Sheet sheet = new Peers(cache, Set.of("graphile-worker", "pg-boss"), SHORT, name -> {}).run();
    assertThat(sheet.notes()).noneMatch(note -> note.contains("could not be run"));
    assertThat(sheet.rows()).hasSize(4);
  }

  private int run(String... arguments) {
    return new CommandLine(new BenchCommand())
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .execute(arguments);
  }
}
