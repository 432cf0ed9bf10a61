package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DrainTest {

  @Test
  void parkedClaimsAreAnsweredAndThenNobodyListens(@TempDir Path folder) throws Exception {
    TestServer server = TestServer.start(folder);
    List<CompletableFuture<Answer>> parked = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      parked.add(
          server.postLater(
              "/internal/worker/claim",
              "{\"worker_id\":\"w%d\",\"streams\":[\"s\"],\"max_wait_ms\":60000}".formatted(i)));
    }
    Waits.until(() -> server.get("/metrics").body().contains("stint_claims_parked 20.0"));
    long begin = System.nanoTime();

    server.server().drain();

    for (CompletableFuture<Answer> claim : parked) {
      assertThat(claim.get(5, TimeUnit.SECONDS).body()).isEqualTo("{\"claimed\":false}");
    }
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
    assertThatThrownBy(server::connect).isInstanceOf(Exception.class);
  }

  @Test
  void whatWasAcceptedIsThereAfterTheNextStart(@TempDir Path folder) {
    String jobId;
    try (TestServer server = TestServer.start(folder)) {
      jobId = Jobs.submit(server, "");
    }
    try (TestServer server = TestServer.start(folder)) {
      assertThat(Jobs.status(server, jobId)).isEqualTo("queued");
      assertThat(Jobs.lease(server, "w1").jobId()).isEqualTo(jobId);
    }
  }

  @Test
  void anAddressThatIsTakenIsToldBeforeAnythingElse(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      Settings same =
          new Settings(
              Addresses.parse("127.0.0.1:" + server.port()),
              folder.resolve("other.db").toString(),
              null,
              60,
              java.util.Set.of("chat"),
              1,
              1,
              0,
              1,
              Settings.Fleet.DEFAULT,
              CallbackSettings.DEFAULT,
              Settings.Streams.DEFAULT,
              Settings.Security.DEFAULT,
              null);
      assertThatThrownBy(() -> Server.start(same, List.of()))
          .isInstanceOf(AddressUnusableException.class)
          .hasMessageContaining("127.0.0.1:" + server.port());
      assertThat(folder.resolve("other.db")).doesNotExist();
    }
  }
}
