package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The dashboard as a person meets it: a real browser on a real server. */
class DashboardBrowserTest {
  private static final String TOKEN = "s3cret";
  private static final String HOSTILE = "<script>document.title='taken'</script>";
  private static final String HOSTILE_TOO = "\\\"><img src=x onerror=document.title='taken'>";

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  @BeforeAll
  static void start(@TempDir Path folder) {
    chromium = Chromium.start();
    server = TestServer.start(folder, s -> s.withToken(TOKEN));
    call("/register", "{\"worker_id\":\"asus\",\"worker_capabilities\":[\"gpu\"]}");
    submit("sleep", "2");
    submit("echo", HOSTILE, HOSTILE_TOO);
  }

  @Test
  void itAsksForTheTokenAndThenShowsJobsWorkersEventsAndFigures() {
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("").enterToken(TOKEN).sees("Newest jobs").sees("Workers online").sees("commands");
      visit.follows("Jobs").sees("sleep 2");
      visit.follows("Workers").sees("asus").sees("ONLINE");
      visit.follows("Events").sees("submitted").sees("worker_registered");
      visit.follows("Queues").sees("commands").follows("Dead letters").sees("Nothing has failed");
      visit.follows("Events").sees("worker_registered");
      assertThat(visit.page().url()).doesNotContain(TOKEN);
      visit.page().reload();
      visit.sees("worker_registered");
    }
  }

  @Test
  void aWrongTokenIsSaidInWordsAndAskedForAgain() {
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/workers").enterToken("guess").sees("The server does not take this token");
      visit.enterToken(TOKEN).sees("asus");
    }
  }

  @Test
  void jobsAreFilteredAndTheFilterIsInTheAddress() {
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/jobs").enterToken(TOKEN).sees("sleep 2");
      visit.page().getByLabel("Status").selectOption("FAILED");
      visit.sees("No job fits this filter");
      assertThat(visit.page().url()).endsWith("#/jobs?status=FAILED");
      visit.page().goBack();
      visit.sees("sleep 2");
    }
  }

  @Test
  void aJobIsAbortedOnlyAfterItWasConfirmed() {
    String id = submit("echo", "not needed");
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/jobs/" + id).enterToken(TOKEN).sees("echo not needed");
      visit.press("Abort").sees("Abort this job?").press("Leave it");
      assertThat(call("/jobs/" + id).text("status")).isEqualTo("PENDING");
      visit.press("Abort").press("Abort 1 job").sees("ABORTED");
      assertThat(call("/jobs/" + id).text("status")).isEqualTo("ABORTED");
    }
  }

  @Test
  void whatAJobSaysIsTextAndNothingElse() {
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/jobs").enterToken(TOKEN).sees(HOSTILE);
      assertThat(visit.page().locator("main img, main script").count()).isZero();
      assertThat(visit.page().title()).isEqualTo("Jobs · Stint");
    }
  }

  @Test
  void aJobWhoseArgumentsAreNoListIsShownAmongTheOthers() {
    String payload = "{\"command\":\"search\",\"args\":{\"q\":\"x\"}}";
    call("/v1/jobs", "{\"task\":\"tool\",\"payload\":" + payload + "}");
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.open("#/jobs").enterToken(TOKEN).sees("tool " + payload).sees("sleep 2");
    }
  }

  @Test
  void whereAProxyHoldsTheStreamBackThePageAsksEveryFewSeconds() {
    try (Visit visit = Visit.begin(chromium, server.port())) {
      visit.page().route("**/v1/overview/stream", _ -> {});
      visit.open("").enterToken(TOKEN).sees("Workers online");
      call("/jobs", "{\"command\":\"true\",\"queue\":\"held-back\"}");
      visit.sees("held-back");
    }
  }

  private static String submit(String command, String... args) {
    return call(
            "/jobs",
            "{\"command\":\"%s\",\"args\":[\"%s\"]}".formatted(command, String.join("\",\"", args)))
        .text("job_id");
  }

  private static Answer call(String path, String json) {
    Answer answer = server.post(path, json, "X-API-Token", TOKEN);
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
    return answer;
  }

  private static Answer call(String path) {
    return server.get(path, "X-API-Token", TOKEN);
  }
}
