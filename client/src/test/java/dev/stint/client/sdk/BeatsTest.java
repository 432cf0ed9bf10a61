package dev.stint.client.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.client.Json;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BeatsTest {
  private static List<Lease> leases(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new Lease(Map.of("job_id", "j" + i, "attempt_id", "a" + i)))
        .toList();
  }

  @Test
  void howFarAJobIsIsToldUntilItIsHeardAndOnlyThen() {
    Lease lease = leases(1).getFirst();
    lease.progress(10, "reading");
    assertThat(lease.beat()).containsEntry("message", "reading");
    assertThat(lease.beat()).containsEntry("progress", 10);
    lease.progress(20, "writing");
    lease.heard();
    assertThat(lease.beat()).containsEntry("message", "writing");
    lease.heard();
    assertThat(lease.beat()).doesNotContainKey("message");
  }

  @Test
  void aBeatOfManyFitsIntoItsCallsHoweverMuchTheyTell() {
    List<Lease> leases = leases(500);
    assertThat(Beats.calls(leases)).hasSize(1);
    assertThat(Beats.calls(List.of())).isEmpty();

    leases.forEach(lease -> lease.progress(50, "\u0001".repeat(10_000_000 / 500)));
    List<Beats.Call> calls = Beats.calls(leases);

    assertThat(calls.stream().flatMap(call -> call.leases().stream())).isEqualTo(leases);
    assertThat(calls)
        .hasSizeGreaterThan(1)
        .allSatisfy(call -> {
          assertThat(call.beats()).hasSameSizeAs(call.leases());
          String sent = Json.write(Map.of("worker_id", "w", "leases", call.beats()));
          assertThat(sent.getBytes(StandardCharsets.UTF_8).length).isLessThan(1 << 20);
        });
    String message = Objects.requireNonNull(leases.getFirst().beat().get("message")).toString();
    assertThat(message).hasSizeLessThanOrEqualTo(1_001);
  }
}
