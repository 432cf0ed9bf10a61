package dev.stint.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The generator over real sockets, against a server that holds its jobs in memory. */
@Timeout(30)
class MeasurementTest {
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);

  @Test
  void countsWhatTheServerCounts() throws Exception {
    try (FakeStint server = new FakeStint()) {
      Figures figures = measure(server, 4, ANSWER_WITHIN);

      assertThat(figures.jobs())
          .isPositive()
          .isEqualTo(server.submits.get())
          .isEqualTo(server.claims.get())
          .isEqualTo(server.completes.get());
      // Warm-up and drain are checked but not counted.
      assertThat(figures.tally().of(Call.COMPLETE).count()).isPositive().isLessThan(figures.jobs());
      assertThat(figures.tally().of(Call.ECHO).count()).isPositive();
      assertThat(figures.ratio()).hasValueSatisfying(ratio -> assertThat(ratio).isPositive());
      assertThat(figures.commits().batch()).hasValue(4.0);
      assertThat(figures.commits().millis())
          .hasValueSatisfying(millis -> assertThat(millis).isCloseTo(2, within(1e-6)));
    }
  }

  @Test
  void completesWithTheFieldsOfTheClaim() throws Exception {
    try (FakeStint server = new FakeStint()) {
      measure(server, 1, ANSWER_WITHIN);

      assertThat(server.claimBodySeen)
          .matches(
              "\\{\"worker_id\":\"bench-worker-0\",\"streams\":\\[\"bench-\\w+\"],"
                  + "\"max_wait_ms\":1000}");
      assertThat(server.completeBodySeen)
          .matches(
              "\\{\"worker_id\":\"bench-worker-0\",\"job_id\":\"([-0-9a-f]{36})\","
                  + "\"attempt_id\":\"a-\\1\",\"lease_token\":\"t\\\\\"1\",\"stream\":\"s\","
                  + "\"message_id\":\"m-7\",\"result\":\\{\"ok\":true}}");
    }
  }

  @Test
  void aPayloadLargerThanAnyBufferGoesThrough() throws Exception {
    try (FakeStint server = new FakeStint()) {
      Plan plan = new Plan(2, Duration.ofMillis(200), Duration.ZERO, 150_000, ANSWER_WITHIN);
      assertThat(measure(server.target(), plan).jobs()).isEqualTo(server.completes.get());
    }
  }

  @Test
  void doesWithoutAnEchoWhereTheServerHasNone() throws Exception {
    try (FakeStint server = new FakeStint(false)) {
      Figures figures = measure(server, 2, ANSWER_WITHIN);

      assertThat(figures.jobsPerSecond()).isPositive();
      assertThat(figures.echoPerSecond()).isEmpty();
      assertThat(figures.ratio()).isEmpty();
    }
  }

  @Test
  void anErrorAnswerFailsTheRunAndIsShown() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.refusesSubmits = true;
      assertThatThrownBy(() -> measure(server, 2, ANSWER_WITHIN))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("submit was answered 429")
          .hasMessageContaining("queue_full");
    }
  }

  @Test
  void aCompletionThatIsNotOkFailsTheRun() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.deniesCompletions = true;
      assertThatThrownBy(() -> measure(server, 2, ANSWER_WITHIN))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("complete was answered 409")
          .hasMessageContaining("lease_lost");
    }
  }

  @Test
  void aJobGivenOutTwiceFailsTheRun() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.givesJobsOutTwice = true;
      assertThatThrownBy(() -> measure(server, 2, ANSWER_WITHIN))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("was given out twice");
    }
  }

  @Test
  void aServerThatStallsEndsTheRunAtTheDeadline() throws Exception {
    try (FakeStint server = new FakeStint()) {
      server.stallsOnClaims = true;
      assertThatThrownBy(() -> measure(server, 3, Duration.ofMillis(400)))
          .isInstanceOf(RunFailedException.class)
          .hasMessageContaining("no answer to claim within 400 ms");
    }
  }

  @Test
  void aServerThatIsNotThereIsSaid() throws Exception {
    int freePort;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      freePort = socket.getLocalPort();
    }
    Target nobody = Target.parse("http://127.0.0.1:" + freePort, "");
    assertThatThrownBy(() -> measure(nobody, plan(1, ANSWER_WITHIN)))
        .isInstanceOf(RunFailedException.class)
        .hasMessageContaining("cannot reach");
  }

  private static Figures measure(FakeStint server, int connections, Duration answerWithin)
      throws RunFailedException {
    return measure(server.target(), plan(connections, answerWithin));
  }

  private static Figures measure(Target target, Plan plan) throws RunFailedException {
    return new Measurement(target, plan, Optional.empty(), Progress.NONE).run();
  }

  private static Plan plan(int connections, Duration answerWithin) {
    return new Plan(connections, Duration.ofMillis(400), Duration.ofMillis(200), 64, answerWithin);
  }
}
