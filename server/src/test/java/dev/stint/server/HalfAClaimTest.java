package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.contracts.Call;
import dev.stint.contracts.Caller;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import dev.stint.contracts.lease.LeaseContract;
import dev.stint.engine.Command;
import dev.stint.engine.Engine;
import dev.stint.engine.EngineSettings;
import dev.stint.engine.EventType;
import dev.stint.storage.Stores;
import dev.stint.testkit.FaultyStore;
import dev.stint.testkit.Orders;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The store goes away when a call that waits for many jobs has got one of them. */
class HalfAClaimTest {
  private static final String WISH = "\"streams\":[\"q\"],\"max_jobs\":3,\"max_wait_ms\":20000";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/leases/claim|{\"worker_id\":\"w\",WISH}",
        "/v1/leases/settle|{\"worker_id\":\"w\",\"reports\":[{\"job_id\":\"none\"}],\"claim\":{WISH}}"
      })
  void whatAWorkerHasGotReachesIt(String path, String body, @TempDir Path folder) throws Exception {
    try (FaultyStore store =
            new FaultyStore(Stores.open(folder.resolve("stint.db").toString(), Clock.systemUTC()));
        Engine engine =
            Engine.start(
                store,
                EngineSettings.DEFAULT,
                commit -> {
                  if (commit.events().stream().anyMatch(e -> e.type() == EventType.CLAIMED)) {
                    store.failNext(FaultyStore.Fault.BEFORE_COMMIT);
                  }
                })) {
      Route route =
          new LeaseContract(engine, 60_000, 1_000)
              .routes().stream().filter(one -> one.path().equals(path)).findFirst().orElseThrow();
      CompletableFuture<Reply> waiting =
          CompletableFuture.supplyAsync(
              () -> route.handler().handle(new TestCall(body.replace("WISH", WISH))));
      Waits.until(() -> engine.parkedClaims() == 1);

      Command.Submit job = Orders.submit("q");
      engine.execute(job, null);

      Reply reply = waiting.get(20, TimeUnit.SECONDS);
      assertThat(reply.status()).isEqualTo(200);
      assertThat(new String(reply.body(), StandardCharsets.UTF_8))
          .contains("\"job_id\":\"" + job.jobId() + "\"");
    }
  }

  private record TestCall(String json) implements Call {
    @Override
    public String path(String name) {
      throw new IllegalArgumentException(name);
    }

    @Override
    public @Nullable String query(String name) {
      return null;
    }

    @Override
    public Set<String> queryNames() {
      return Set.of();
    }

    @Override
    public @Nullable String header(String name) {
      return null;
    }

    @Override
    public byte[] body() {
      return json.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public String requestId() {
      return "r1";
    }

    @Override
    public Caller caller() {
      return Caller.ADMIN;
    }

    @Override
    public String actingAs(String workerId) {
      return workerId;
    }

    @Override
    public BooleanSupplier watchClient() {
      return () -> true;
    }
  }
}
