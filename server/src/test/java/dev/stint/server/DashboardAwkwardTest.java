package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import dev.stint.engine.EventType;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is long, many, missing or wrong is shown so that a person finds a way through it. */
class DashboardAwkwardTest {
  private static final String FAILURE =
      ",\"error\":{\"code\":\"E_IO\",\"message\":\"no disk\",\"stack\":\"java.io.IOException\\n\\tat a.b(C.java:1)\",\"retryable\":";

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
  void aLongPayloadLeavesTheRestOfItsJobWithinReach() {
    String id = submit("long", "", 30_000);
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("No worker asks").sees("Timeline");
      assertThat(height(visit.page().locator("html"))).isLessThan(2_000);
    }
  }

  @Test
  void aLongPayloadIsALineOfACardOnAPhone() {
    submit("long-on-a-phone", "", 700);
    try (Visit visit = Visit.begin(chromium, server.port(), Visit.PHONE, ColorScheme.LIGHT)) {
      Locator row = visit.open("#/jobs?queue=long-on-a-phone").row("word word").first();
      row.waitFor();
      assertThat(height(row)).isLessThan(400);
    }
  }

  @Test
  void whatWentWrongIsReadLineByLineInEachAttempt() {
    String id = submit("broken", ",\"max_attempts\":2", 1);
    fail("broken", "true");
    fail("broken", "true");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("FAILED");
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Error"))
          .containsText("java.io.IOException\n\tat a.b(C.java:1)");
      Locator first = visit.row("no disk").first();
      Locator all = first.locator("pre");
      assertThat(all.isVisible()).isFalse();
      first.locator("summary").click();
      PlaywrightAssertions.assertThat(all).containsText("java.io.IOException\n\tat a.b");
      visit.sees("It waited");
    }
  }

  @Test
  void anAttemptThatNobodyBeganYetIsAssigned() {
    call("/register", "{\"worker_id\":\"w-slow\"}");
    String id = call("/jobs", "{\"command\":\"true\",\"queue\":\"not-begun\"}").text("job_id");
    server.get("/next-job?worker_id=w-slow&queue=not-begun", "X-API-Token", "dev-token");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("Attempts");
      Locator attempt =
          visit
              .page()
              .getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName("Attempts"))
              .locator("tbody tr");
      PlaywrightAssertions.assertThat(attempt).containsText("ASSIGNED");
    }
  }

  @Test
  void ofManyJobsThatAWorkerHasAFewAreNamedAndALinkLeadsToAll() {
    for (int i = 0; i < 20; i++) {
      submit("by-the-dozen", "", 1);
    }
    call(
        "/v1/leases/claim",
        "{\"worker_id\":\"w-dozen\",\"streams\":[\"by-the-dozen\"],\"max_jobs\":20}");
    try (Visit visit = begin()) {
      visit.open("#/workers").row("w-dozen").getByText("and 15 more").click();
      PlaywrightAssertions.assertThat(visit.row("by-the-dozen")).hasCount(20);
    }
  }

  @Test
  void theFiguresOfTheChartAreWholeHoweverManyJobsThereAre() {
    try (Visit visit = begin()) {
      visit.page().route("**/v1/overview/stream", DashboardAwkwardTest::withMillions);
      Locator top = visit.open("").page().locator(".chart text").filter(hasText("2,000,000"));
      top.waitFor();
      assertThat(number(top, "text => text.getBBox().x")).isNotNegative();
    }
  }

  private static void withMillions(Route route) {
    String now = call("/v1/overview").body();
    long minute = System.currentTimeMillis() / 60_000 * 60_000;
    String series =
        "\"series\":[{\"at_ms\":%d,\"submitted\":1900000,\"completed\":0,\"failed\":0}]"
            .formatted(minute);
    route.fulfill(
        new Route.FulfillOptions()
            .setContentType("text/event-stream")
            .setBody("data: " + now.replaceFirst("\"series\":\\[[^]]*]", series) + "\n\n"));
  }

  @Test
  void whoGoesBackToAListGoesOnWhereTheyWere() {
    for (int i = 0; i < 40; i++) {
      submit("read-one-by-one", "", 1);
    }
    try (Visit visit = begin()) {
      Page page = visit.open("#/jobs?queue=read-one-by-one").page();
      Locator row = visit.row("read-one-by-one").nth(35);
      row.scrollIntoViewIfNeeded();
      page.waitForFunction("() => history.state?.y > 0");
      row.getByRole(AriaRole.LINK).click();
      visit.sees("Timeline");
      page.goBack();
      page.waitForFunction("() => scrollY > 0");
      assertThat(visit.row("read-one-by-one").count()).isEqualTo(40);
    }
  }

  @Test
  void aJobThatIsNotThereIsSaidToBeGone() {
    try (Visit visit = begin()) {
      visit.open("#/jobs/long-gone").sees("There is no such job.");
      assertThat(visit.page().getByText("Timeline").count()).isZero();
    }
  }

  @Test
  void anAddressThatWasTypedInWrongLeadsToAPageAllTheSame() {
    try (Visit visit = begin()) {
      visit.open("#/queues").isThere().open("#/jobs/%zz").sees("There is no such job.");
    }
  }

  @Test
  void aFigureLeadsToAllTheJobsThatItCounts() {
    String pending = submit("two-kinds", "", 1);
    String retrying = submit("two-kinds", ",\"priority\":1", 1);
    fail("two-kinds", "true");
    try (Visit visit = begin()) {
      visit.open("").follows("Waiting");
      visit.page().getByLabel("Queue").fill("two-kinds");
      visit.press("Filter").row(pending.substring(24)).waitFor();
      visit.row(retrying.substring(24)).waitFor();
      assertThat(visit.button("Cancel all…").isVisible()).isTrue();
      assertThat(visit.button("Retry all…").isVisible()).isFalse();
    }
  }

  @Test
  void ofManyQueuesTheOverviewShowsThoseWhereJobsWait(@TempDir Path folder) {
    try (TestServer busy = TestServer.start(folder);
        Visit visit = Visit.begin(chromium, busy.port())) {
      for (int i = 0; i < 12; i++) {
        Jobs.submit(busy, ",\"queue\":\"q-" + i + "\"");
      }
      Jobs.submit(busy, ",\"queue\":\"zz-full\"");
      Jobs.submit(busy, ",\"queue\":\"zz-full\"");
      Jobs.submit(busy, ",\"queue\":\"zz-paused\"");
      busy.post("/v1/queues/zz-paused/pause", "{}", "X-API-Token", "dev-token");
      Locator rows =
          visit
              .open("")
              .page()
              .getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName("Queues"))
              .locator("tbody tr");
      PlaywrightAssertions.assertThat(rows).hasCount(10);
      PlaywrightAssertions.assertThat(rows.nth(0)).containsText("zz-paused");
      PlaywrightAssertions.assertThat(rows.nth(1)).containsText("zz-full");
      visit.follows("All 14 queues").row("q-11").waitFor();
    }
  }

  @Test
  void aTokenThatNoHeaderCanHoldIsAWrongToken(@TempDir Path folder) {
    try (TestServer guarded = TestServer.start(folder, s -> s.withToken("s3cret"));
        Visit visit = Visit.begin(chromium, guarded.port())) {
      visit.open("").enterToken("“s3cret”").sees("The server does not take this token");
    }
  }

  @Test
  void aQuestionCountsInWordsThatFit() {
    submit("a-single-one", "", 1);
    call("/register", "{\"worker_id\":\"w-idle\"}");
    try (Visit visit = begin()) {
      visit.open("#/queues").press("Pause queue a-single-one").sees("The job that waits in it");
      visit
          .press("Leave it")
          .open("#/workers")
          .press("Drain worker w-idle")
          .sees("runs nothing now");
    }
  }

  @Test
  void theEventsToChooseFromAreAllThereAre() {
    List<String> known =
        Arrays.stream(EventType.values()).map(e -> e.name().toLowerCase(Locale.ROOT)).toList();
    try (Visit visit = begin()) {
      Locator offered = visit.open("#/events").isThere().page().locator("#event-names option");
      assertThat(offered.evaluateAll("all => all.map(one => one.value)")).isEqualTo(known);
    }
  }

  private static Visit begin() {
    return Visit.begin(chromium, server.port());
  }

  private static Locator.FilterOptions hasText(String text) {
    return new Locator.FilterOptions().setHasText(text);
  }

  private static double height(Locator element) {
    return number(element, "element => element.getBoundingClientRect().height");
  }

  private static double number(Locator element, String function) {
    return ((Number) element.evaluate(function)).doubleValue();
  }

  private static String submit(String queue, String furtherFields, int words) {
    return call(
            "/v1/jobs",
            "{\"task\":\"chat\",\"queue\":\"%s\",\"payload\":{\"text\":\"%s\"}%s}"
                .formatted(queue, "word ".repeat(words), furtherFields))
        .text("job_id");
  }

  /** Claims the next job of a queue and reports that it failed. */
  private static void fail(String queue, String retryable) {
    Answer claim =
        call(
            "/internal/worker/claim",
            "{\"worker_id\":\"w-unlucky\",\"max_wait_ms\":20000,\"streams\":[\"" + queue + "\"]}");
    Jobs.Lease lease =
        new Jobs.Lease(
            "w-unlucky", claim.text("job_id"), claim.text("attempt_id"), claim.text("lease_token"));
    call("/internal/worker/fail", lease.with(FAILURE + retryable + "}"));
  }

  private static Answer call(String path, String json) {
    Answer answer = server.post(path, json, "X-API-Token", "dev-token");
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
    return answer;
  }

  private static Answer call(String path) {
    return server.get(path, "X-API-Token", "dev-token");
  }
}
