package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Route;
import com.microsoft.playwright.options.ColorScheme;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everybody can use the dashboard: in light, in dark, on a phone, with a screen reader. */
class DashboardLookTest {
  private static final String TOKEN = "s3cret";
  private static final long MINUTE_MS = 60_000;

  /** Those that the documents show. */
  private static final Set<String> PICTURES =
      Set.of("overview-light", "overview-dark", "job-light");

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static Chromium chromium;

  @AutoClose
  @SuppressWarnings("NullAway.Init")
  private static TestServer server;

  private static String job = "";

  @BeforeAll
  static void start(@TempDir Path folder) {
    chromium = Chromium.start();
    server = TestServer.start(folder, s -> s.withToken(TOKEN));
    job = BusyFleet.fill(server, TOKEN);
  }

  @Test
  void nothingKeepsAnyoneOut() {
    look(Visit.DESK, ColorScheme.LIGHT);
    look(Visit.DESK, ColorScheme.DARK);
    look(Visit.PHONE, ColorScheme.LIGHT);
  }

  private static void look(int width, ColorScheme colours) {
    try (Visit visit = Visit.begin(chromium, server.port(), width, colours)) {
      visit.page().route("**/v1/overview/stream", DashboardLookTest::withAnHourBehindIt);
      visit.open("");
      assertIsOpenToAll(visit, "the form", width, colours);
      visit.enterToken(TOKEN).sees("Newest jobs");
      String kind =
          (width == Visit.PHONE ? "phone-" : "") + colours.name().toLowerCase(Locale.ROOT);
      for (String page :
          List.of(
              "", "jobs?queue=commands", "jobs/" + job, "queues", "workers", "dead", "events")) {
        visit.open("#/" + page).isThere();
        assertIsOpenToAll(visit, page, width, colours);
        if (PICTURES.contains(name(page) + "-" + kind)) {
          visit.picture(name(page) + "-" + kind);
        }
      }
    }
  }

  private static void assertIsOpenToAll(Visit visit, String page, int width, ColorScheme colours) {
    assertThat(visit.barriers()).as(page + " " + colours + " " + width).isEmpty();
    assertThat(visit.isTooWide()).as(page + " at " + width).isFalse();
    assertThat(visit.cutOff()).as(page + " at " + width).isEmpty();
  }

  private static String name(String page) {
    return page.isEmpty()
        ? "overview"
        : page.startsWith("jobs/") ? "job" : page.replaceFirst("\\?.*", "");
  }

  /** The chart of a server that was just started would be empty. */
  private static void withAnHourBehindIt(Route route) {
    String now = server.get("/v1/overview", "X-API-Token", TOKEN).body();
    long last = System.currentTimeMillis() / MINUTE_MS * MINUTE_MS;
    String series =
        LongStream.range(0, 60)
            .mapToObj(i -> minute(last - (59 - i) * MINUTE_MS, i))
            .collect(Collectors.joining(",", "\"series\":[", "]"));
    route.fulfill(
        new Route.FulfillOptions()
            .setContentType("text/event-stream")
            .setBody(
                "event: overview\ndata: "
                    + now.replaceFirst("\"series\":\\[[^]]*]", series)
                    + "\n\n"));
  }

  private static String minute(long at, long i) {
    long completed = Math.round(20 + 9 * Math.sin(i / 7.0) + i * 7919 % 7);
    long failed = i > 35 && i < 43 ? i * 37 % 11 : i % 11 == 0 ? 2 : 0;
    return "{\"at_ms\":%d,\"submitted\":%d,\"completed\":%d,\"failed\":%d}"
        .formatted(at, completed + i * 31 % 9 - 4, completed, failed);
  }
}
