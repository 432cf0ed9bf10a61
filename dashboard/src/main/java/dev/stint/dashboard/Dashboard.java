package dev.stint.dashboard;

import dev.stint.contracts.Access;
import dev.stint.contracts.Call;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Digests;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Reply;
import dev.stint.contracts.Route;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The page and its parts, each under one fixed name. They hold no data, so that anyone may load
 * them; the page asks for a token and gets all that it shows from the API.
 */
public final class Dashboard implements Contract {
  /** The whole page may only talk to the server that it came from, and runs no code but its own. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
          + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

  private static final String PAGE = "index.html";

  /** All there is, so that no name out of a path ever reaches the class loader. */
  static final Set<String> PARTS =
      Set.of(
          "api.js",
          "app.js",
          "bulk.js",
          "chart.js",
          "dead.js",
          "dialog.js",
          "dom.js",
          "events.js",
          "format.js",
          "icon.svg",
          "job.js",
          "jobs.js",
          "overview.js",
          "pulse.js",
          "queues.js",
          "said.js",
          "strip.js",
          "style.css",
          "table.js",
          "token.js",
          "workers.js");

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "svg", "image/svg+xml");

  private final Map<String, Reply> loaded = new ConcurrentHashMap<>();

  @Override
  public List<Route> routes() {
    return List.of(
        new Route("GET", "/ui", Access.ANYONE, call -> send(call, PAGE)),
        new Route("GET", "/ui/", Access.ANYONE, _ -> toPage()),
        new Route("GET", "/ui/{part}", Access.ANYONE, this::part));
  }

  /** The page names its parts from where it is itself, also behind a proxy that adds a prefix. */
  private static Reply toPage() {
    return new Reply(308, Map.of("Location", "../ui"), new byte[0]);
  }

  private Reply part(Call call) {
    String name = call.path("part");
    if (!PARTS.contains(name)) {
      throw Refusal.notFound("unknown_path", "nothing is served under this path");
    }
    return send(call, name);
  }

  private Reply send(Call call, String name) {
    Reply whole = loaded.computeIfAbsent(name, Dashboard::load);
    String known = call.header("If-None-Match");
    return known != null && known.contains(Objects.requireNonNull(whole.headers().get("ETag")))
        ? new Reply(304, whole.headers(), new byte[0])
        : whole;
  }

  private static Reply load(String name) {
    try (InputStream in = Dashboard.class.getResourceAsStream(name)) {
      byte[] content = Objects.requireNonNull(in, name).readAllBytes();
      Map<String, String> headers = new LinkedHashMap<>();
      headers.put(
          "Content-Type",
          Objects.requireNonNull(TYPES.get(name.substring(name.lastIndexOf('.') + 1))));
      headers.put("ETag", '"' + Digests.sha256(content).substring(0, 32) + '"');
      // Kept, but asked for each time: after an upgrade nobody sees half of the old page.
      headers.put("Cache-Control", "no-cache");
      headers.put("Content-Security-Policy", POLICY);
      headers.put("X-Content-Type-Options", "nosniff");
      headers.put("Referrer-Policy", "no-referrer");
      headers.put("Cross-Origin-Opener-Policy", "same-origin");
      headers.put("Cross-Origin-Resource-Policy", "same-origin");
      return new Reply(200, Map.copyOf(headers), content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
