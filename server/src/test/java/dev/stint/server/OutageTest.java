package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stint.testkit.TestPostgres;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The database goes away under a running server, and comes back. */
@Timeout(180)
class OutageTest {
  @TempDir Path folder;

  @Test
  void whilePostgresIsAwayCallsGet503AndAfterwardsAllGoesOnByItself() throws Exception {
    Path data = folder.resolve("postgres");
    TestPostgres postgres = TestPostgres.start(data, 0);
    String url = postgres.newDatabase();
    int port = postgres.port();
    try (TestServer server = TestServer.start(folder, settings -> Settings.local(url))) {
      assertThat(server.get("/readyz").status()).isEqualTo(200);
      String before = Jobs.submit(server, "");
      CompletableFuture<Answer> parked =
          server.postLater(
              "/internal/worker/claim",
              "{\"worker_id\":\"w\",\"streams\":[\"later\"],\"max_wait_ms\":60000}");
      Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 1.0"));

      postgres.close();
      for (String path : new String[] {"/v1/jobs/" + before, "/readyz"}) {
        assertAway(server.get(path));
      }
      assertAway(server.post("/v1/jobs", "{\"task\":\"chat\",\"payload\":{}}"));
      assertThat(server.get("/healthz").status()).isEqualTo(200);
      assertThat(server.get("/metrics").status()).isEqualTo(200);

      postgres = TestPostgres.start(data, port);
      Waits.until(() -> server.get("/readyz").status() == 200);
      assertThat(server.get("/v1/jobs/" + before).status()).isEqualTo(200);
      String after = Jobs.submit(server, ",\"queue\":\"later\"");
      assertThat(parked.get(30, TimeUnit.SECONDS).text("job_id")).isEqualTo(after);
    } finally {
      postgres.close();
    }
  }

  @Test
  void whileTheDiskOfSqliteIsFullCallsGet503AndAfterwardsAllGoesOnByItself() throws Exception {
    Path disk = Files.createDirectory(folder.resolve("disk"));
    assumeTrue(
        run("mount", "-t", "tmpfs", "-o", "size=3m", "none", disk.toString()),
        "only root may mount a small disk");
    String large = "{\"task\":\"chat\",\"payload\":{\"x\":\"%s\"}}".formatted("x".repeat(150_000));
    try (TestServer server =
        TestServer.start(folder, _ -> Settings.local(disk.resolve("stint.db").toString()))) {
      String before = Jobs.submit(server, "");
      fill(disk.resolve("filler"));
      Waits.until(() -> server.post("/v1/jobs", large).status() == 503);

      assertAway(server.post("/v1/jobs", large));
      assertThat(server.get("/v1/jobs/" + before).status()).isEqualTo(200);

      Files.delete(disk.resolve("filler"));
      assertThat(server.post("/v1/jobs", large).status()).isEqualTo(201);
      assertThat(server.get("/v1/jobs/" + before).status()).isEqualTo(200);
    } finally {
      run("umount", disk.toString());
    }
  }

  /** Leaves no room on the disk of this file. */
  private static void fill(Path filler) throws IOException {
    byte[] page = new byte[4_096];
    try (OutputStream out = Files.newOutputStream(filler)) {
      while (true) {
        out.write(page);
      }
    } catch (IOException full) {
      assertThat(Files.size(filler)).isPositive();
    }
  }

  private static boolean run(String... command) throws IOException, InterruptedException {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor() == 0;
  }

  private static void assertAway(Answer answer) {
    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.header("Retry-After")).isPresent();
    assertThat(answer.json()).containsKeys("error", "message");
  }
}
