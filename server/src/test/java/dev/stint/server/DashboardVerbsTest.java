package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import java.net.http.HttpRequest;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an operator watches and mends on the dashboard, in the default set-up without a token. */
class DashboardVerbsTest {
  private static final String HOSTILE = "<script>document.title='taken'</script>";
  private static final String IMAGE = "\\\"><img src=x onerror=document.title='taken'>";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    chromium = Chromium.start();
    server = TestServer.start(folder);
  }

  @Test
  void aJobIsWatchedLiveFromItsSubmissionToItsResultAndAllItSaysIsText() {
    try (Visit visit = begin()) {
      visit.open("#/jobs?queue=live").sees("No job fits this filter");
      assertThat(visit.button("Forget token").isVisible()).isFalse();
      String id = submit("live", "\"prompt\":\"" + HOSTILE + "\"");
      visit.row(HOSTILE).getByRole(AriaRole.LINK).click();
      visit.sees("PENDING");
      claim("live", "w-live");
      visit.sees("RUNNING").sees("Worker w-live holds it");
      work(
          id,
          "w-live",
          "status",
          "{\"status\":\"BUSY\",\"progress\":40,\"message\":\"12 " + IMAGE + "\"}");
      visit.sees("12 \"><img src=x").sees("40 %");
      work(id, "w-live", "complete", "{\"result\":{\"answer\":\"" + IMAGE + "\"}}");
      visit.sees("COMPLETED").sees("\"answer\":");
      assertThat(visit.page().locator("main img, main script").count()).isZero();
      assertThat(visit.page().title()).isEqualTo("Job …" + id.substring(24) + " · Stint");
    }
  }

  @Test
  void whatAJobGivesOutAppearsAsItComes() {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w-out");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("w-out holds it");
      server.post("/internal/worker/output", lease.with(",\"offset\":0,\"data\":\"Hello, \""));
      visit.sees("Hello,");
      server.post("/internal/worker/output", lease.with(",\"offset\":7,\"data\":\"<b>you</b>\""));
      visit.sees("Hello, <b>you</b>");
    }
  }

  @Test
  void whatAJobGaveOutBeforeItWasRetriedIsDropped() {
    String id = Jobs.submit(server, ",\"priority\":9");
    Jobs.Lease first = Jobs.lease(server, "w-first");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id);
      server.post("/internal/worker/output", first.with(",\"offset\":0,\"data\":\"abc\""));
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Output")).hasText("abc");
      server.post("/internal/worker/fail", first.with(",\"error\":{\"retryable\":false}"));
      visit.press("Retry").press("Retry 1 job").sees("replayed");
      Jobs.Lease second = Jobs.lease(server, "w-second");
      server.post("/internal/worker/output", second.with(",\"offset\":0,\"data\":\"de\""));
      server.post("/internal/worker/output", second.with(",\"offset\":2,\"data\":\"f\""));
      visit.sees("w-second holds it").sees("def");
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Output")).hasText("def");
    }
  }

  @Test
  void aPausedQueueIsSaidToKeepItsJobs() {
    String id = submit("resting", "");
    try (Visit visit = begin()) {
      visit.open("#/queues").press("Pause queue resting");
      visit.page().getByLabel("Reason, for others to read").fill("new disk");
      visit.press("Pause").sees("PAUSED").sees("new disk");
      visit.open("#/jobs/" + id).sees("Queue resting is paused");
      visit.open("#/queues").press("Resume queue resting");
      visit.row("resting").getByText("OPEN").waitFor();
    }
  }

  @Test
  void aJobIsCancelledOnlyAfterItWasConfirmedAndCanBeRetried() {
    String id = submit("unwanted", "");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).press("Cancel").sees("Cancel this job?").press("Leave it");
      assertThat(status(id)).isEqualTo("PENDING");
      visit.press("Cancel").press("Cancel 1 job").sees("ABORTED");
      visit.press("Retry").press("Retry 1 job").sees("PENDING").sees("replayed");
      assertThat(status(id)).isEqualTo("PENDING");
    }
  }

  @Test
  void allThatFitAFilterAreCancelledAfterTheirNumberWasTold() {
    for (int i = 0; i < 5; i++) {
      submit("many", "");
    }
    try (Visit visit = begin()) {
      visit.open("#/jobs?queue=many").press("Cancel all…").sees("Cancel 5 jobs?");
      visit.press("Cancel 5 jobs").sees("Done: 5 jobs.").press("Close");
      visit.page().getByLabel("Status").selectOption("ABORTED");
      visit.row("ABORTED").nth(4).waitFor();
      assertThat(visit.page().url()).contains("status=ABORTED").contains("queue=many");
    }
  }

  @Test
  void aGroupOfDeadLettersIsReplayed() {
    String last = "";
    for (int i = 0; i < 3; i++) {
      last = submit("dying", "");
      claim("dying", "w-dying");
      work(last, "w-dying", "fail", "{\"error\":\"disk " + i + " is full\"}");
    }
    try (Visit visit = begin()) {
      visit.open("#/dead").row("is full").getByRole(AriaRole.BUTTON).click();
      visit.sees("Replay 3 jobs?").press("Replay 3 jobs").sees("Done: 3 jobs.").press("Close");
      visit.seesNoMore("is full");
      assertThat(status(last)).isEqualTo("PENDING");
    }
  }

  @Test
  void aWorkerIsDrainedAndResumed() {
    ask("/register", "{\"worker_id\":\"w-old\"}");
    try (Visit visit = begin()) {
      visit.open("#/workers").press("Drain worker w-old").press("Drain");
      visit.row("w-old").getByText("DRAINING").waitFor();
      visit.press("Resume worker w-old");
      visit.row("w-old").getByText("ONLINE").waitFor();
    }
  }

  @Test
  void aDrainedWorkerThatHasGoneIsOffline(@TempDir Path folder) {
    try (TestServer brief =
            TestServer.start(folder, s -> s.withFleet(new Settings.Fleet(1, 1, 1)));
        Visit visit = Visit.begin(chromium, brief.port())) {
      brief.post("/register", "{\"worker_id\":\"w-gone\"}", "X-API-Token", "dev-token");
      brief.post("/v1/workers/w-gone/drain", "{}", "X-API-Token", "dev-token");
      visit.open("#/workers").row("w-gone").getByText("OFFLINE").waitFor();
      assertThat(visit.button("Resume worker w-gone").isVisible()).isTrue();
    }
  }

  @Test
  void byKeyboardAQuestionIsLeftWithEscapeAndTheFocusIsBackWhereItWas() {
    submit("by-key", "");
    try (Visit visit = begin()) {
      visit.open("#/queues");
      var button = visit.button("Pause queue by-key");
      button.focus();
      visit.page().keyboard().press("Enter");
      visit.sees("Pause queue by-key?");
      visit.page().keyboard().press("Escape");
      visit.row("by-key").getByText("OPEN").waitFor();
      assertThat(button.evaluate("button => document.activeElement === button")).isEqualTo(true);
    }
  }

  @Test
  void aServerThatIsAwayIsSaidInWords(@TempDir Path folder) {
    try (Visit visit = leaveServer(folder)) {
      visit.sees("The server does not answer").sees("Not live");
    }
  }

  private static Visit leaveServer(Path folder) {
    try (TestServer brief = TestServer.start(folder)) {
      return Visit.begin(chromium, brief.port()).open("#/workers").sees("No worker has come yet");
    }
  }

  private static Visit begin() {
    return Visit.begin(chromium, server.port());
  }

  private static String submit(String queue, String payload) {
    return ask("/api/v1/tasks", "{\"payload\":{" + payload + "},\"queue\":\"" + queue + "\"}")
        .text("task_id");
  }

  private static void claim(String queue, String worker) {
    Answer answer =
        server.get(
            "/api/v1/worker/tasks/next?queue=" + queue,
            "X-API-Token",
            "dev-token",
            "X-Worker-Id",
            worker);
    assertThat(answer.status()).isEqualTo(200);
  }

  private static void work(String id, String worker, String verb, String json) {
    Answer answer =
        server.send(
            server
                .request(
                    "/api/v1/worker/tasks/" + id + "/" + verb,
                    "X-API-Token",
                    "dev-token",
                    "X-Worker-Id",
                    worker)
                .method(
                    verb.equals("status") ? "PATCH" : "POST",
                    HttpRequest.BodyPublishers.ofString(json)));
    assertThat(answer.status()).as(answer.body()).isEqualTo(200);
  }

  private static String status(String id) {
    return server.get("/jobs/" + id, "X-API-Token", "dev-token").text("status");
  }

  private static Answer ask(String path, String json) {
    Answer answer = server.post(path, json, "X-API-Token", "dev-token");
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
    return answer;
  }
}
