package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.engine.JobState;
import dev.stint.engine.Store;
import io.micrometer.core.instrument.MultiGauge;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OperationsTest {

  @Test
  void healthAndReadinessAreToldWithoutACredential(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder, s -> s.withToken("s3cret"))) {
      assertThat(server.get("/healthz").body()).isEqualTo("{\"status\":\"ok\"}");
      assertThat(server.get("/readyz").body()).isEqualTo("{\"status\":\"ok\"}");
    }
  }

  @Test
  void metricsTellWhatWasCommittedWaitsAndWasAnswered(@TempDir Path folder) {
    try (TestServer server = TestServer.start(folder)) {
      Jobs.submit(server, "");
      Jobs.submit(server, "");
      Jobs.Lease lease = Jobs.lease(server, "w1");
      server.post("/internal/worker/complete", lease.with(""));
      server.get("/nowhere/" + lease.jobId());

      Answer metrics = server.get("/metrics");

      assertThat(metrics.header("Content-Type"))
          .hasValueSatisfying(type -> assertThat(type).startsWith("text/plain"));
      assertThat(metrics.body())
          .contains("stint_events_total{type=\"claimed\"} 1.0")
          .contains("stint_events_total{type=\"completed\"} 1.0")
          .contains("stint_events_total{type=\"lost\"} 0.0")
          .contains("stint_jobs{queue=\"jobs:stream\",state=\"pending\"} 1.0")
          .contains("stint_jobs{queue=\"jobs:stream\",state=\"completed\"} 1.0")
          .contains("stint_commit_seconds_bucket")
          .contains("stint_commit_commands_bucket")
          .contains("stint_claims_parked 0.0")
          .contains(
              "stint_http_requests_seconds_count{method=\"POST\",route=\"/v1/jobs\",status=\"201\"}"
                  + " 2")
          .contains("route=\"unknown\",status=\"404\"")
          .contains("jvm_memory_used_bytes")
          .doesNotContain(lease.jobId());
    }
  }

  @Test
  void onlyTheFullestQueuesHaveALabelOfTheirOwn() {
    Map<Store.TallyKey, Long> tally = new HashMap<>();
    for (int i = 1; i <= 1_000; i++) {
      tally.put(new Store.TallyKey("q" + i, JobState.PENDING), (long) i);
    }

    List<MultiGauge.Row<?>> rows = QueueDepths.rows(tally);

    assertThat(rows).hasSize(QueueDepths.MAX_QUEUES + 1);
  }
}
