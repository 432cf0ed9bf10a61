package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import dev.stint.client.ServerEvent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a worker gives out before it is done. */
@Timeout(60)
class OutputTest {
  private static final String PATH = "/internal/worker/output";
  private static final int MAX_BYTES = 100_000;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private TestServer server;

  @BeforeEach
  void start(@TempDir Path folder) {
    server =
        TestServer.start(
            folder, settings -> settings.withStreams(new Settings.Streams(10, MAX_BYTES, 15_000)));
  }

  @Test
  void outputIsInTheStreamInOrderAndReplayedToWhoComesLater() throws Exception {
    Jobs.Lease lease = running();
    assertThat(put(lease, 0, "Hel").json()).contains(entry("ok", true), entry("offset", 3L));
    assertThat(put(lease, 3, "lo, w\\u00f6").get("offset")).isEqualTo(10L);
    assertThat(put(lease, 10, "rld \\ud83d\\ude00\\n").get("offset")).isEqualTo(19L);
    complete(lease);

    List<ServerEvent> events = Streams.readAll(server.port(), lease.jobId());

    assertThat(Streams.types(events))
        .containsExactly("hello", "queued", "running", "output", "output", "output", "done");
    assertThat(outputs(events))
        .containsExactly(
            Map.of("attempt", 1L, "offset", 0L, "text", "Hel"),
            Map.of("attempt", 1L, "offset", 3L, "text", "lo, wö"),
            Map.of("attempt", 1L, "offset", 10L, "text", "rld 😀\n"));
  }

  @Test
  void aRepeatIsHarmlessAndWhatOverlapsIsTakenOnce() throws Exception {
    Jobs.Lease lease = running();
    put(lease, 0, "abc");
    assertThat(put(lease, 0, "abc").json()).contains(entry("ok", true), entry("offset", 3L));
    assertThat(put(lease, 0, "a").get("offset")).isEqualTo(3L);
    assertThat(put(lease, 1, "bcde").get("offset")).isEqualTo(5L);
    assertThat(put(lease, 5, "").get("offset")).isEqualTo(5L);
    complete(lease);

    assertThat(texts(Streams.readAll(server.port(), lease.jobId()))).isEqualTo("abcde");
  }

  @Test
  void aGapIsRefusedWithTheOffsetThatIsExpected() {
    Jobs.Lease lease = running();
    put(lease, 0, "aö");

    Answer gap = put(lease, 4, "x");

    assertThat(gap.status()).isEqualTo(409);
    assertThat(gap.json())
        .contains(
            entry("ok", false), entry("error", "offset_mismatch"), entry("expected_offset", 3L));
    Answer other = put(lease, 2, "öö");
    assertThat(other.status()).isEqualTo(409);
    assertThat(other.get("expected_offset")).isEqualTo(3L);
  }

  @Test
  void theNextAttemptBeginsAnewAndTheFormerOneIsNotHeardAnyLonger() throws Exception {
    Jobs.Lease first = running();
    put(first, 0, "from the first");
    server.post(
        "/internal/worker/fail", first.with(",\"error\":{\"code\":\"E\",\"retryable\":true}"));
    assertThat(put(first, 14, "!").json())
        .contains(entry("ok", false), entry("error", "lease_lost"));
    Jobs.Lease second = claimAgain();
    assertThat(put(first, 14, "!").status()).isEqualTo(409);
    assertThat(put(second, 0, "anew").get("offset")).isEqualTo(4L);
    complete(second);
    assertThat(put(second, 4, "!").status()).isEqualTo(409);

    assertThat(outputs(Streams.readAll(server.port(), first.jobId())))
        .containsExactly(
            Map.of("attempt", 1L, "offset", 0L, "text", "from the first"),
            Map.of("attempt", 2L, "offset", 0L, "text", "anew"));
  }

  @Test
  void outputIsBoundedByPartAndByJob() {
    Jobs.Lease lease = running();
    assertThat(put(lease, 0, "x".repeat(64 * 1024 + 1)).status()).isEqualTo(413);
    assertThat(put(lease, 0, "x".repeat(64 * 1024)).status()).isEqualTo(200);
    Answer full = put(lease, 64 * 1024, "x".repeat(40_000));
    assertThat(full.status()).isEqualTo(413);
    assertThat(full.json())
        .contains(entry("error", "output_full"), entry("expected_offset", 65_536L));
    assertThat(put(lease, 64 * 1024, "x".repeat(1_000)).status()).isEqualTo(200);
    assertThat(complete(lease).status()).isEqualTo(200);
  }

  @Test
  void tinyPartsCountMoreThanTheyAre() {
    Jobs.Lease lease = running();
    int taken = 0;
    while (put(lease, taken, "x").status() == 200) {
      taken++;
    }
    assertThat(taken).isEqualTo(MAX_BYTES / 64);
  }

  @Test
  void whatIsNotAsItShouldBeIsRefused() {
    Jobs.Lease lease = running();
    for (String fields :
        List.of(
            "",
            ",\"offset\":0",
            ",\"data\":\"x\"",
            ",\"offset\":-1,\"data\":\"x\"",
            ",\"offset\":\"0\",\"data\":\"x\"",
            ",\"offset\":0,\"data\":{}",
            ",\"offset\":0,\"data\":\"\\u0000\"",
            ",\"offset\":0,\"data\":\"\\ud83d\"")) {
      assertThat(server.post(PATH, lease.with(fields)).status()).as(fields).isEqualTo(400);
    }
    assertThat(
            server
                .post(
                    PATH,
                    new Jobs.Lease("w1", "nonsense", lease.attemptId(), lease.token())
                        .with(",\"offset\":0,\"data\":\"x\""))
                .status())
        .isEqualTo(404);
    assertThat(
            put(new Jobs.Lease("w1", lease.jobId(), lease.attemptId(), "wrong"), 0, "x").status())
        .isEqualTo(409);
    assertThat(
            put(new Jobs.Lease("w2", lease.jobId(), lease.attemptId(), lease.token()), 0, "x")
                .status())
        .isEqualTo(409);
  }

  @Test
  void noWorkerNeedsToBeNamedAndACancelIsTold() {
    Jobs.Lease lease = running();
    server.post("/v1/jobs/" + lease.jobId() + "/cancel", "{\"reason\":\"enough\"}");

    Answer answer =
        server.post(
            PATH,
            "{\"job_id\":\"%s\",\"attempt_id\":\"%s\",\"lease_token\":\"%s\",\"offset\":0,\"data\":\"x\"}"
                .formatted(lease.jobId(), lease.attemptId(), lease.token()));

    assertThat(answer.json())
        .contains(entry("ok", true), entry("cancel", true), entry("cancel_reason", "enough"));
  }

  @Test
  void theListOfWhatHappenedIsNotFilledWithOutput() {
    Jobs.Lease lease = running();
    put(lease, 0, "x");
    String events = "/events?job_id=" + lease.jobId();
    assertThat(server.get(events, "X-API-Token", "dev-token").body())
        .contains("claimed")
        .doesNotContain("\"output\"");
    assertThat(server.get(events + "&event=output", "X-API-Token", "dev-token").body())
        .contains("output");
  }

  private Jobs.Lease running() {
    Jobs.submit(server, "");
    return Jobs.lease(server, "w1");
  }

  private Jobs.Lease claimAgain() {
    Answer answer =
        server.post(
            "/internal/worker/claim",
            "{\"worker_id\":\"w1\",\"streams\":[\"%s\"],\"max_wait_ms\":20000}"
                .formatted(Jobs.QUEUE));
    return new Jobs.Lease(
        "w1", answer.text("job_id"), answer.text("attempt_id"), answer.text("lease_token"));
  }

  private Answer complete(Jobs.Lease lease) {
    return server.post("/internal/worker/complete", lease.with(",\"result\":{}"));
  }

  private Answer put(Jobs.Lease lease, long offset, String data) {
    return server.post(PATH, lease.with(",\"offset\":" + offset + ",\"data\":\"" + data + "\""));
  }

  private static List<Map<?, ?>> outputs(List<ServerEvent> events) {
    List<Map<?, ?>> outputs = new ArrayList<>();
    for (ServerEvent event : events) {
      if (event.type().equals("output") && Streams.json(event).get("data") instanceof Map<?, ?> d) {
        outputs.add(d);
      }
    }
    return outputs;
  }

  private static String texts(List<ServerEvent> events) {
    StringBuilder text = new StringBuilder();
    outputs(events).forEach(output -> text.append(output.get("text")));
    return text.toString();
  }
}
