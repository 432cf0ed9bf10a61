package dev.stint.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import com.microsoft.playwright.options.WaitForSelectorState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

/** One person at the dashboard, who notes what the browser complains about. */
final class Visit implements AutoCloseable {
  static final int DESK = 1280;
  static final int PHONE = 360;

  private final BrowserContext context;
  private final Page page;
  private final String url;
  private final List<String> complaints = Collections.synchronizedList(new ArrayList<>());

  private Visit(BrowserContext context, String url) {
    this.context = context;
    this.url = url;
    page = context.newPage();
    page.setDefaultTimeout(15_000);
    page.onPageError(complaints::add);
    page.onConsoleMessage(message -> {
      // The browser itself writes down each answer that is an error; the page says it in words.
      if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
        complaints.add(message.text());
      }
    });
  }

  static Visit begin(Chromium chromium, int port, int width, ColorScheme colours) {
    BrowserContext context =
        chromium
            .browser()
            .newContext(
                new Browser.NewContextOptions()
                    .setViewportSize(width, width == PHONE ? 740 : 860)
                    .setTimezoneId("Asia/Tokyo")
                    .setColorScheme(colours));
    return new Visit(context, "http://127.0.0.1:" + port + "/ui");
  }

  static Visit begin(Chromium chromium, int port) {
    return begin(chromium, port, DESK, ColorScheme.LIGHT);
  }

  Page page() {
    return page;
  }

  /** Opens a page by its address, such as {@code #/jobs}. */
  Visit open(String hash) {
    page.navigate(url + hash);
    return this;
  }

  Visit enterToken(String token) {
    page.getByLabel("X-API-Token").fill(token);
    return press("Open");
  }

  Visit press(String button) {
    button(button).click();
    return this;
  }

  Locator button(String name) {
    return page.getByRole(
        AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
  }

  /** Waits until the page says so, wherever. */
  Visit sees(String text) {
    page.getByText(text).filter(new Locator.FilterOptions().setVisible(true)).first().waitFor();
    return this;
  }

  /** Waits until no row of a table says so. */
  Visit seesNoMore(String text) {
    row(text).first().waitFor(new Locator.WaitForOptions().setState(WaitForSelectorState.DETACHED));
    return this;
  }

  /** Waits until the page shows what it is for, if only that there is nothing. */
  Visit isThere() {
    page.locator(".table tbody tr, .empty").first().waitFor();
    return this;
  }

  Locator row(String text) {
    return page.locator("tbody tr", new Page.LocatorOptions().setHasText(text));
  }

  Visit follows(String link) {
    page.getByRole(AriaRole.LINK, new Page.GetByRoleOptions().setName(link).setExact(true)).click();
    return this;
  }

  /** Has axe look at what is shown, and returns the faults that keep people out. */
  List<?> barriers() {
    page.evaluate(axe());
    Object found =
        page.evaluate(
            "async () => (await axe.run()).violations"
                + ".filter(v => v.impact === 'serious' || v.impact === 'critical')"
                + ".map(v => v.id + ': ' + v.nodes.map(n => n.html + ' ' + n.failureSummary).join(' | '))");
    return (List<?>) found;
  }

  private static String axe() {
    try (InputStream in =
        Visit.class.getResourceAsStream("/META-INF/resources/webjars/axe-core/4.6.3/axe.min.js")) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether anything is wider than the screen. */
  boolean isTooWide() {
    return (Boolean)
        page.evaluate("() => document.documentElement.scrollWidth > window.innerWidth");
  }

  /**
   * What is cut off at the edge of a box that cannot be scrolled, but for texts that end in dots.
   */
  List<?> cutOff() {
    return (List<?>)
        page.evaluate(
            "() => [...document.querySelectorAll('main *')]"
                + ".filter(e => e.scrollWidth > e.clientWidth && e.clientWidth > 1)"
                + ".filter(e => ['hidden', 'clip'].includes(getComputedStyle(e).overflowX))"
                + ".filter(e => !e.matches('.clip')).map(e => e.outerHTML.slice(0, 80))");
  }

  /** Whether the focus is on this element, and it is still the one that was found. */
  boolean isFocused(Locator element) {
    return (Boolean) element.evaluate("element => document.activeElement === element");
  }

  /** Puts the tab behind another one, or in front again. */
  Visit isHidden(boolean hidden) {
    page.evaluate(
        "hidden => { Object.defineProperty(document, 'hidden', { value: hidden, configurable: true });"
            + " document.dispatchEvent(new Event('visibilitychange')); }",
        hidden);
    return this;
  }

  /** Takes a picture for the documents, if told to by {@code -Dstint.screenshots=true}. */
  Visit picture(String name) {
    if (Boolean.getBoolean("stint.screenshots")) {
      page.mouse().move(0, 0);
      page.screenshot(
          new Page.ScreenshotOptions().setPath(Path.of("../docs/images", name + ".png")));
    }
    return this;
  }

  @Override
  public void close() {
    context.close();
    assertThat(complaints).isEmpty();
  }
}
