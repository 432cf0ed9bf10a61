package dev.stint.contracts.callback;

import dev.stint.contracts.Refusal;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The places that tasks may be delivered to: URLs that begin like one of these, compared as scheme,
 * host, port and whole segments of the path. A name is compared as it is written; what it leads to
 * is for whoever connects to check.
 */
public final class AllowedTargets {
  private static final Set<String> DOTS = Set.of(".", "..");

  private final List<Place> prefixes;

  /** A URL without its query. */
  private record Place(String scheme, String host, int port, List<String> segments) {
    boolean begins(Place other) {
      return scheme.equals(other.scheme)
          && host.equals(other.host)
          && port == other.port
          && segments.size() <= other.segments.size()
          && segments.equals(other.segments.subList(0, segments.size()));
    }

    String target() {
      return scheme + "://" + host + ":" + port;
    }
  }

  private AllowedTargets(List<Place> prefixes) {
    this.prefixes = prefixes;
  }

  /**
   * Reads prefixes.
   *
   * @throws IllegalArgumentException if one is not as it should be; the message tells what is wrong
   */
  public static AllowedTargets of(List<String> prefixes) {
    return new AllowedTargets(prefixes.stream().map(AllowedTargets::prefix).toList());
  }

  /** All that can be a target, as scheme, host and port. */
  public Set<String> targets() {
    return prefixes.stream().map(Place::target).collect(Collectors.toSet());
  }

  /**
   * The target that a URL leads to, as scheme, host and port.
   *
   * @throws Refusal if it is no URL that one may deliver to
   */
  String check(String url) {
    Place place;
    try {
      place = place(url);
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid("dispatchUrl", String.valueOf(e.getMessage()));
    }
    if (!isAllowed(place)) {
      throw Faults.notAllowedTarget();
    }
    return place.target();
  }

  /** Whether a URL that was taken once is still one that tasks may be delivered to. */
  public boolean allow(String url) {
    try {
      return isAllowed(place(url));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private boolean isAllowed(Place place) {
    return prefixes.stream().anyMatch(prefix -> prefix.begins(place));
  }

  private static Place prefix(String text) {
    Place place = place(text);
    if (text.contains("?")) {
      throw new IllegalArgumentException("must have no query: " + text);
    }
    List<String> segments = place.segments;
    return segments.isEmpty() || !segments.getLast().isEmpty()
        ? place
        : new Place(place.scheme, place.host, place.port, segments.subList(0, segments.size() - 1));
  }

  private static Place place(String text) {
    URI uri;
    try {
      uri = new URI(text);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("must be a URL", e);
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (!scheme.equals("http") && !scheme.equals("https")) {
      throw new IllegalArgumentException("must be a URL that begins with http:// or https://");
    }
    if (uri.getHost() == null || uri.getRawUserInfo() != null || uri.getRawFragment() != null) {
      throw new IllegalArgumentException("must be a URL with a host, no user and no fragment");
    }
    int port = uri.getPort() >= 0 ? uri.getPort() : scheme.equals("http") ? 80 : 443;
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("must have a port from 1 to 65535");
    }
    return new Place(
        scheme, uri.getHost().toLowerCase(Locale.ROOT), port, segments(uri.getRawPath()));
  }

  /**
   * What stands between the slashes; a path that another server could read otherwise is refused.
   */
  private static List<String> segments(@Nullable String rawPath) {
    if (rawPath == null || rawPath.isEmpty()) {
      return List.of();
    }
    List<String> segments = List.of(rawPath.substring(1).split("/", -1));
    for (String segment : segments) {
      String lower = segment.toLowerCase(Locale.ROOT);
      // Some servers take what follows a semicolon away before they look for dots.
      String name = lower.replace("%2e", ".").replace("%3b", ";").split(";", 2)[0];
      if (DOTS.contains(name) || lower.contains("%2f") || lower.contains("%5c")) {
        throw new IllegalArgumentException("must have no . or .. and no encoded slash in its path");
      }
    }
    return segments;
  }
}
