package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Request;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A page that stays open asks no more than it must, and takes nothing out of anybody's hands. */
class DashboardRefreshTest {
  private static final String COUNT_LISTENERS =
      """
      globalThis.listening = 0;
      for (const [name, change] of [['addEventListener', 1], ['removeEventListener', -1]]) {
        const known = EventTarget.prototype[name];
        EventTarget.prototype[name] = function (type, ...rest) {
          if (type === 'abort' || type === 'visibilitychange') {
            globalThis.listening += change;
          }
          return known.call(this, type, ...rest);
        };
      }
      """;

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
    submit("first");
  }

  @Test
  void aPageOutOfSightHoldsNoConnectionAndGoesOnWhenItIsSeen() {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w-watched");
    try (Visit visit = begin()) {
      List<String> ended = new ArrayList<>();
      visit.page().onRequestFailed(request -> ended.add(path(request)));
      visit.open("#/jobs/" + id).sees("w-watched holds it");
      visit.isHidden(true);
      visit.page().waitForCondition(() -> ended.contains("/v1/jobs/" + id + "/events"));
      server.post("/internal/worker/output", lease.with(",\"offset\":0,\"data\":\"unseen\""));
      visit.isHidden(false).sees("unseen");
      visit.open("#/queues").sees("first").isHidden(true);
      visit.page().waitForCondition(() -> ended.contains("/v1/overview/stream"));
    }
  }

  @Test
  void fiveWindowsOnJobsThatRunLeaveAConnectionForCalls() {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w-seen-by-many");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("w-seen-by-many holds it");
      for (int i = 1; i < 5; i++) {
        Page window = visit.page().context().newPage();
        window.navigate(visit.page().url());
        window.getByText("w-seen-by-many holds it").first().waitFor();
      }
      server.post("/internal/worker/output", lease.with(",\"offset\":0,\"data\":\"for all\""));
      for (Page window : visit.page().context().pages()) {
        window.getByText("for all").first().waitFor();
      }
    }
  }

  @Test
  void whoLeavesAJobIsToldOfTheFleetAgain() {
    String id = Jobs.submit(server, "");
    Jobs.lease(server, "w-left");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("w-left holds it");
      visit
          .page()
          .waitForRequest(
              "**/v1/overview/stream",
              new Page.WaitForRequestOptions().setTimeout(15_000),
              () -> visit.follows("Queues"));
      submit("told-again");
      visit.row("told-again").waitFor();
    }
  }

  @Test
  void howFarAJobIsIsALineOfItsHistoryAlsoWithoutWords() {
    String id = Jobs.submit(server, "");
    Jobs.Lease lease = Jobs.lease(server, "w-wordless");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id);
      server.post("/internal/worker/heartbeat", lease.with(",\"progress\":40"));
      Locator lines = visit.page().locator(".log p");
      lines.filter(new Locator.FilterOptions().setHasText("40 %")).waitFor();
      server.post("/internal/worker/heartbeat", lease.with(",\"progress\":70,\"message\":\"on\""));
      lines.filter(new Locator.FilterOptions().setHasText("70 %on")).waitFor();
      assertThat(lines.count()).isEqualTo(2);
    }
  }

  @Test
  void whoGetsNoAnswerIsTold() {
    try (Visit visit = begin()) {
      visit
          .page()
          .addInitScript(
              "const patience = AbortSignal.timeout.bind(AbortSignal);"
                  + "AbortSignal.timeout = (ms) => patience(ms / 20);");
      visit.page().route("**/v1/workers", _ -> {});
      visit.open("#/workers").sees("The server has not answered within 30 seconds");
    }
  }

  @Test
  void aPageForWhichTheServerLooksFarIsSeldomAskedForAgain() {
    try (Visit visit = begin()) {
      List<Route> asked = pausedAt(visit, "**/v1/jobs?*queue=*");
      visit.open("#/jobs?queue=far").page().waitForCondition(() -> asked.size() == 1);
      String few = server.get("/v1/jobs?queue=first", "X-API-Token", "dev-token").body();
      String id = submit("further");
      answer(asked.getFirst(), few.replace("\"next\":null", "\"next\":\"" + id + "\""));
      visit.sees("Older");
      wantsAnew(visit, 14_000);
      assertThat(asked).hasSize(1);
      visit.page().clock().runFor(2_000);
      visit.page().waitForCondition(() -> asked.size() == 2);
    }
  }

  @Test
  void whatTakesTheServerLongIsAskedForLessOften() {
    try (Visit visit = begin()) {
      List<Route> asked = pausedAt(visit, "**/v1/jobs?*queue=*");
      visit.open("#/jobs?queue=slow").page().waitForCondition(() -> asked.size() == 1);
      visit.page().clock().runFor(2_000);
      answer(asked.getFirst(), "{\"jobs\":[],\"next\":null}");
      visit.sees("No job fits this filter");
      wantsAnew(visit, 17_000);
      assertThat(asked).hasSize(1);
      visit.page().clock().runFor(2_000);
      visit.page().waitForCondition(() -> asked.size() == 2);
    }
  }

  @Test
  void thatTheServerWasAwayIsForgottenWhenItIsBack() {
    try (Visit visit = begin()) {
      visit.page().route("**/v1/overview**", Route::abort);
      visit.page().route("**/v1/overview/stream", Route::abort);
      visit.open("#/queues").sees("The server does not answer");
      visit.page().unrouteAll();
      visit.sees("first");
      assertThat(visit.page().locator("#trouble").textContent()).isEmpty();
    }
  }

  @Test
  void aFilterIsFilledInFieldByFieldWithTab() {
    try (Visit visit = begin()) {
      visit.open("#/jobs").sees("first");
      visit.page().getByLabel("Queue").focus();
      var keyboard = visit.page().keyboard();
      keyboard.type("first");
      keyboard.press("Tab");
      visit.page().waitForURL("**#/jobs?queue=first");
      visit.sees("Show all");
      keyboard.type("train");
      keyboard.press("Tab");
      visit.page().waitForURL("**#/jobs?queue=first&task=train");
      // The page may be made anew between finding the field and looking at it.
      PlaywrightAssertions.assertThat(visit.page().getByLabel("Worker")).isFocused();
    }
  }

  @Test
  void aRefreshLeavesFocusOnTilesAndOnLinksToOtherPages() {
    for (int i = 0; i < 60; i++) {
      submit("many");
    }
    try (Visit visit = begin()) {
      visit.open("");
      Locator tile = link(visit, "Waiting");
      tile.focus();
      submit("tile");
      visit.row("tile").first().waitFor();
      assertThat(visit.isFocused(tile)).isTrue();
      visit.open("#/jobs");
      Locator older = link(visit, "Older");
      older.focus();
      submit("pager");
      visit.row("pager").waitFor();
      assertThat(visit.isFocused(older)).isTrue();
    }
  }

  @Test
  void aQuestionGivesTheFocusBackToARowThatWasMadeAnew() {
    submit("asked");
    try (Visit visit = begin()) {
      visit.open("#/queues").press("Pause queue asked").sees("Pause queue asked?");
      submit("asked");
      visit.row("asked").locator("td:has(:text-is(\"2\"))").waitFor();
      visit.page().keyboard().press("Escape");
      visit.page().locator("dialog").waitFor(gone());
      assertThat(visit.isFocused(visit.button("Pause queue asked"))).isTrue();
    }
  }

  @Test
  void theMinutePointedAtIsToldAboutUntilThePointerLeaves() {
    try (Visit visit = begin()) {
      visit.open("").sees("Last 60 minutes");
      visit.page().locator(".reach").nth(30).hover();
      String minute = visit.page().locator(".readout").textContent();
      assertThat(minute).doesNotContain("Last 60 minutes");
      // From here on nothing points: all that is new is drawn under a pointer that does not move.
      visit
          .page()
          .evaluate(
              """
              () => ['pointerenter', 'pointerleave'].forEach((name) =>
                addEventListener(name, (event) => event.stopImmediatePropagation(), true))
              """);
      submit("drawn");
      visit.row("drawn").first().waitFor();
      assertThat(visit.page().locator(".readout").textContent()).isEqualTo(minute);
    }
  }

  @Test
  void aPageThatStaysOpenDoesNotGrow() {
    try (Visit visit = begin()) {
      visit.page().addInitScript(COUNT_LISTENERS);
      visit.page().clock().install();
      String now = server.get("/v1/overview", "X-API-Token", "dev-token").body();
      visit
          .page()
          .route(
              "**/v1/overview/stream",
              route ->
                  route.fulfill(
                      new Route.FulfillOptions()
                          .setContentType("text/event-stream")
                          .setBody("event: overview\ndata: " + now + "\n\n")));
      visit.open("#/workers").isThere();
      int before = listening(visit);
      for (int i = 0; i < 20; i++) {
        visit
            .page()
            .waitForResponse("**/v1/overview/stream", () -> visit.page().clock().runFor(4_000));
      }
      assertThat(listening(visit)).isLessThan(before + 10);
    }
  }

  @Test
  void whatCouldNotBeDoneIsSaidWhereItIsSeen() {
    for (int i = 0; i < 40; i++) {
      server.post("/register", "{\"worker_id\":\"w-" + i + "\"}", "X-API-Token", "dev-token");
    }
    try (Visit visit = begin()) {
      visit.page().route("**/v1/workers/*/drain", Route::abort);
      visit.open("#/workers").press("Drain worker w-9").press("Drain");
      visit.sees("The server does not answer");
      assertThat(visit.page().evaluate("() => scrollY")).isNotEqualTo(0);
      assertThat(visit.page().locator("#trouble").boundingBox().y).isNotNegative();
    }
  }

  @Test
  void eventsOfAJobThatAreNotShownCanBeReached() {
    String id = submit("long-lived");
    try (Visit visit = begin()) {
      visit
          .page()
          .route(
              "**/timeline",
              route ->
                  answer(route, route.fetch().text().replace("\"next\":null", "\"next\":1000000")));
      visit.open("#/jobs/" + id).follows("Older events").sees("submitted");
      assertThat(visit.page().url()).endsWith("#/events?job_id=" + id + "&cursor=1000000");
    }
  }

  @Test
  void momentsNameTheirTimeZone() {
    String id = submit("zoned");
    try (Visit visit = begin()) {
      visit.open("#/jobs/" + id).sees("GMT+9");
      visit.open("#/events?job_id=" + id).row("submitted").getByText("GMT+9").waitFor();
    }
  }

  /** Lets the page's time stand still, and keeps the calls that fit unanswered. */
  private static List<Route> pausedAt(Visit visit, String calls) {
    List<Route> asked = new ArrayList<>();
    visit.page().route(calls, asked::add);
    long now = System.currentTimeMillis();
    visit.page().clock().install();
    visit.page().clock().pauseAt(now + 1_000);
    return asked;
  }

  /** Has something change that the page is told of, and then lets so much time pass for it. */
  private static void wantsAnew(Visit visit, long ms) {
    submit("changing");
    visit.page().waitForTimeout(1_500);
    visit.page().clock().runFor(ms);
  }

  private static void answer(Route route, String json) {
    route.fulfill(new Route.FulfillOptions().setContentType("application/json").setBody(json));
  }

  private static Locator link(Visit visit, String name) {
    return visit
        .page()
        .getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  private static Locator.WaitForOptions gone() {
    return new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED);
  }

  private static int listening(Visit visit) {
    return (Integer) visit.page().evaluate("() => globalThis.listening");
  }

  private static String path(Request request) {
    return URI.create(request.url()).getPath();
  }

  private static Visit begin() {
    return Visit.begin(chromium, server.port());
  }

  private static String submit(String queue) {
    Answer answer =
        server.post(
            "/api/v1/tasks",
            "{\"payload\":{},\"queue\":\"" + queue + "\"}",
            "X-API-Token",
            "dev-token");
    assertThat(answer.status()).as(answer.body()).isBetween(200, 201);
    return answer.text("task_id");
  }
}
