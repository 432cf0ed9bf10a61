package dev.stint.worker;

import static dev.stint.worker.FakeControlPlane.AWAY;
import static dev.stint.worker.FakeControlPlane.NOTHING;
import static dev.stint.worker.FakeControlPlane.OK;
import static dev.stint.worker.FakeControlPlane.assignment;
import static dev.stint.worker.FakeControlPlane.refusal;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stint.worker.FakeControlPlane.Call;
import dev.stint.worker.FakeControlPlane.Reply;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What the worker does when the control plane, or what stands before it, behaves strangely. */
@Timeout(60)
class DaemonTest {
  private final String job = UUID.randomUUID().toString();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @SuppressWarnings("NullAway.Init")
  private FakeControlPlane control;

  private @Nullable Daemon daemon;
  private CompletableFuture<Boolean> outcome = new CompletableFuture<>();

  @BeforeEach
  void open() throws Exception {
    control = new FakeControlPlane();
  }

  @AfterEach
  void close() {
    if (daemon != null) {
      daemon.drain();
    }
    control.close();
  }

  private void start(int slots) {
    Duration second = Duration.ofSeconds(1);
    Daemon started =
        new Daemon(
            new WorkerSettings(
                control.url(),
                null,
                "dev-token",
                null,
                List.of("gpu"),
                "commands",
                slots,
                folder,
                folder.resolve("state.json"),
                Probes.MAX_LOG_BYTES,
                new WorkerSettings.Times(
                    second, second, Duration.ofSeconds(5), Duration.ZERO, second),
                true,
                false));
    daemon = started;
    outcome =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return started.run();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            },
            Thread::startVirtualThread);
  }

  /** First these answers, then always the last. */
  private static Function<Call, Reply> inTurn(Reply... replies) {
    ConcurrentLinkedQueue<Reply> queue = new ConcurrentLinkedQueue<>(List.of(replies));
    return call -> {
      Reply next = queue.poll();
      return next == null ? replies[replies.length - 1] : next;
    };
  }

  private void awaitCalls(String path, int count) throws InterruptedException {
    Probes.await(() -> control.calls(path).size() >= count);
  }

  @Test
  void aDrainedWorkerFinishesWhatItRunsStaysUpAndTakesNothingUntilItIsResumed() throws Exception {
    Reply drain = new Reply(200, "{\"ok\":true,\"drain\":true}");
    control.on("/next-job", inTurn(assignment(job, 5, "sleep 1"), NOTHING));
    control.on(
        "/ack",
        call -> {
          control.on("/heartbeat", beat -> drain);
          return FakeControlPlane.OK;
        });
    start(1);
    awaitCalls("/complete", 1);
    int asked = control.calls("/next-job").size();
    int beaten = control.calls("/heartbeat").size();
    awaitCalls("/heartbeat", beaten + 2);
    assertThat(control.calls("/next-job")).hasSize(asked);
    assertThat(outcome).isNotDone();

    control.on("/heartbeat", beat -> FakeControlPlane.OK);
    awaitCalls("/next-job", asked + 1);
  }

  @Test
  void itRegistersReconnectsClaimsAcknowledgesRunsAndReports() throws Exception {
    control.on("/next-job", inTurn(assignment(job, 5, "echo hi"), NOTHING));
    start(1);
    awaitCalls("/complete", 1);

    assertThat(control.calls("/register").getFirst().body())
        .contains("\"worker_capabilities\":[\"gpu\"]", "\"slots\":1");
    assertThat(control.calls("/reconnect").getFirst().body())
        .contains("\"current_job_ids\":[]", "\"completed_jobs\":[]");
    assertThat(control.calls("/next-job").getFirst().body())
        .contains("queue=commands", "wait_ms=1000", "claim_id=");
    assertThat(control.calls("/ack").getFirst().field("assignment_id")).isEqualTo(job + "-5");
    assertThat(control.calls("/complete").getFirst().body())
        .contains("\"completion_seq\":", "\"exit_code\":0", "\"stdout_sha256\":");
    awaitCalls("/heartbeat", 2);
    assertThat(control.calls("/heartbeat").getFirst().body())
        .contains("\"seq\":", "\"memory_total_bytes\":");
  }

  @Test
  void itAsksUnderTheSameClaimIdUntilItIsAnswered() throws Exception {
    control.on("/next-job", inTurn(AWAY, NOTHING));
    start(1);
    awaitCalls("/next-job", 3);

    List<Call> claims = control.calls("/next-job");
    assertThat(claims.get(1)).isEqualTo(claims.get(0));
    assertThat(claims.get(2)).isNotEqualTo(claims.get(1));
  }

  @Test
  void aServerThatDoesNotWaitIsNotAskedAllTheTime() throws Exception {
    long begin = System.nanoTime();
    start(1);
    awaitCalls("/next-job", 3);

    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofSeconds(2));
  }

  @Test
  void aResultIsKeptUntilTheControlPlaneHasIt() throws Exception {
    control.on("/next-job", inTurn(assignment(job, 5, "exit 3"), NOTHING));
    control.on("/fail", inTurn(AWAY, refusal(403, "forbidden"), new Reply(404, "<html>"), OK));
    start(1);
    awaitCalls("/fail", 4);

    assertThat(control.calls("/fail").stream().distinct()).hasSize(1);
    Path state = folder.resolve("state.json");
    Probes.await(() -> read(state).contains("\"results\":[]"));
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      return "";
    }
  }

  @Test
  void aResultThatIsNotWantedIsDropped() throws Exception {
    control.on("/next-job", inTurn(assignment(job, 5, "true"), NOTHING));
    control.on("/complete", call -> refusal(409, "assignment_mismatch"));
    start(1);
    awaitCalls("/complete", 1);
    int beats = control.calls("/heartbeat").size();
    awaitCalls("/heartbeat", beats + 2);

    assertThat(control.calls("/complete")).hasSize(1);
    assertThat(read(folder.resolve("state.json"))).contains("\"results\":[]");
  }

  @Test
  void whatIsKeptIsReplayedByReconnect() throws Exception {
    Report report =
        Report.of(Report.Kind.COMPLETED, "w-kept", Probes.job(new Mark(job, 2), 0, "true"));
    Report released =
        Report.of(Report.Kind.RELEASED, "w-kept", Probes.job(new Mark("other", 9), 0, "true"));
    try (State state = new State(folder.resolve("state.json"))) {
      state.open();
      state.name("w-kept");
      state.ended(new Mark(job, 2), report);
      state.ended(new Mark("other", 9), released);
    }
    control.on(
        "/reconnect",
        call ->
            new Reply(
                200,
                "{\"ok\":true,\"actions\":[{\"job_id\":\"%s\",\"action\":\"accepted\"}]}"
                    .formatted(job)));
    start(1);
    awaitCalls("/next-job", 1);

    assertThat(control.calls("/register").getFirst().field("worker_id")).isEqualTo("w-kept");
    assertThat(control.calls("/release")).hasSize(1);
    assertThat(control.calls("/reconnect").getFirst().body())
        .contains(
            "\"completed_jobs\":[{\"job_id\":\"%s\"".formatted(job), "\"status\":\"COMPLETED\"");
    assertThat(read(folder.resolve("state.json"))).contains("\"results\":[]");
    assertThat(control.calls("/complete")).isEmpty();
  }

  @Test
  void aReleaseThatCouldNotBeSentIsNotReplayedAndTheJobIsHeldUntilItIsSent() throws Exception {
    Report released =
        Report.of(Report.Kind.RELEASED, "w-kept", Probes.job(new Mark(job, 9), 0, "true"));
    try (State state = new State(folder.resolve("state.json"))) {
      state.open();
      state.name("w-kept");
      state.ended(new Mark(job, 9), released);
    }
    control.on("/release", inTurn(refusal(500, "mishap"), OK));
    start(1);
    awaitCalls("/release", 2);

    assertThat(control.calls("/reconnect").getFirst().body())
        .contains("\"current_job_ids\":[\"%s\"]".formatted(job), "\"completed_jobs\":[]");
    assertThat(control.calls("/release").get(1).field("job_id")).isEqualTo(job);
    Probes.await(() -> read(folder.resolve("state.json")).contains("\"results\":[]"));
  }

  @Test
  void aControlPlaneThatHasForgottenItIsToldAgain() throws Exception {
    control.on("/next-job", inTurn(assignment(job, 5, "exec sleep 1000"), NOTHING));
    start(1);
    awaitCalls("/ack", 1);
    control.on("/heartbeat", inTurn(refusal(404, "unknown_worker"), OK));
    awaitCalls("/reconnect", 2);

    assertThat(control.calls("/reconnect").get(1).body())
        .contains("\"current_job_ids\":[\"%s\"]".formatted(job));
  }

  @Test
  void aJobThatIsGivenAgainEndsTheOlderRunFirst() throws Exception {
    Path first = folder.resolve("first");
    String second = "kill -0 $(cat " + first + ") 2>/dev/null && exit 1; exit 0";
    Function<Call, Reply> once = inTurn(assignment(job, 5, Probes.sleeper(first)), NOTHING);
    Function<Call, Reply> again = inTurn(assignment(job, 6, second), NOTHING);
    control.on("/next-job", call -> (Files.exists(first) ? again : once).apply(call));
    start(2);
    awaitCalls("/complete", 1);

    assertThat(control.calls("/complete").getFirst().field("assignment_id")).isEqualTo(job + "-6");
    assertThat(control.calls("/fail")).isEmpty();
  }

  @Test
  void aJobThatComesAfterTheStopIsHandedBack() throws Exception {
    CompletableFuture<Reply> late = new CompletableFuture<>();
    control.on("/next-job", call -> late.join());
    start(1);
    awaitCalls("/next-job", 1);
    Thread drain = Thread.ofPlatform().start(() -> Objects.requireNonNull(daemon).drain());
    Probes.await(() -> drain.getState() == Thread.State.WAITING);

    late.complete(assignment(job, 5, "touch " + folder.resolve("ran")));

    drain.join();
    assertThat(control.calls("/release").getFirst().field("assignment_id")).isEqualTo(job + "-5");
    assertThat(control.calls("/ack")).isEmpty();
    assertThat(folder.resolve("ran")).doesNotExist();
  }

  @Test
  void aJobThatThisMachineCannotStartIsHandedBackAndTheNextIsTakenLater() throws Exception {
    Files.createDirectory(folder.resolve(job + ".5.stdout.log.tmp"));
    control.on(
        "/next-job", inTurn(assignment(job, 5, "true"), assignment(job, 6, "true"), NOTHING));
    start(1);
    awaitCalls("/complete", 1);

    assertThat(control.calls("/release").getFirst().field("assignment_id")).isEqualTo(job + "-5");
    assertThat(control.calls("/complete").getFirst().field("assignment_id")).isEqualTo(job + "-6");
    assertThat(control.calls("/fail")).isEmpty();
  }

  @Test
  void aWrongTokenOrNonceEndsIt() throws Exception {
    control.on("/register", call -> refusal(401, "unauthorized"));
    start(1);
    assertThat(outcome.join()).isFalse();
    control.on("/register", call -> refusal(403, "nonce_mismatch"));
    start(1);
    assertThat(outcome.join()).isFalse();
  }

  @Test
  void aRefusalThatIsNotTheControlPlanesOwnDoesNotEndIt() throws Exception {
    control.on(
        "/register", inTurn(new Reply(404, "<html>"), new Reply(403, "{\"status\":403}"), OK));
    start(1);
    awaitCalls("/next-job", 1);

    assertThat(control.calls("/register")).hasSize(3);
    assertThat(outcome).isNotDone();
  }

  @Test
  void itStopsWhileTheControlPlaneIsAway() throws Exception {
    control.on("/register", call -> AWAY);
    start(1);
    awaitCalls("/register", 1);
    if (daemon != null) {
      daemon.drain();
    }
    assertThat(outcome.join()).isTrue();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void aDiskThatHangsKeepsNoHeartbeatWaiting() throws Exception {
    Path next = folder.resolve("state.json.tmp");
    control.on("/next-job", inTurn(assignment(job, 5, "true"), NOTHING));
    control.on("/ack", call -> pipe(next) ? OK : AWAY);
    start(1);
    awaitCalls("/ack", 1);
    try {
      awaitCalls("/heartbeat", control.calls("/heartbeat").size() + 3);
    } finally {
      try (FileChannel _ = FileChannel.open(next, READ, WRITE)) { // somebody reads: it goes on
        Objects.requireNonNull(daemon).drain();
      }
    }
    assertThat(control.calls("/heartbeat").stream().map(beat -> beat.field("seq")).toList())
        .doesNotHaveDuplicates();
  }

  /** Puts a pipe there: who opens it to write waits until somebody reads. */
  private static boolean pipe(Path path) {
    try {
      return new ProcessBuilder("mkfifo", path.toString()).start().waitFor() == 0;
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
