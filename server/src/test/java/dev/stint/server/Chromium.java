package dev.stint.server;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserType;
import com.microsoft.playwright.Playwright;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/** The machine's own Chromium without a window. */
final class Chromium implements AutoCloseable {
  private static final List<String> NAMES =
      List.of("chromium", "chromium-browser", "google-chrome-stable", "google-chrome");
  private static final List<String> ARGUMENTS =
      List.of(
          "--no-sandbox",
          "--disable-gpu",
          "--disable-background-networking",
          "--disable-component-update",
          "--disable-sync",
          "--no-first-run");

  private final Playwright playwright;
  private final Browser browser;

  private Chromium(Path program) {
    playwright =
        Playwright.create(
            new Playwright.CreateOptions().setEnv(Map.of("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")));
    browser =
        playwright
            .chromium()
            .launch(new BrowserType.LaunchOptions().setExecutablePath(program).setArgs(ARGUMENTS));
  }

  /** Starts it, or leaves the tests that ask for it out where there is none. */
  static Chromium start() {
    Optional<Path> program = find();
    if (program.isEmpty()) {
      String line = "no Chromium here, so the tests of the dashboard in a browser are left out";
      System.out.println(line + "; to run them: apt-get install chromium");
      Assumptions.abort(line);
    }
    return new Chromium(program.orElseThrow());
  }

  private static Optional<Path> find() {
    List<String> folders =
        List.of(Objects.requireNonNullElse(System.getenv("PATH"), "").split(":", -1));
    return NAMES.stream()
        .flatMap(name -> folders.stream().map(folder -> Path.of(folder, name)))
        .filter(Files::isExecutable)
        .findFirst();
  }

  Browser browser() {
    return browser;
  }

  @Override
  public void close() {
    browser.close();
    playwright.close();
  }
}
