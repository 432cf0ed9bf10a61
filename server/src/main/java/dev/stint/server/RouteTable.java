package dev.stint.server;

import dev.stint.contracts.Access;
import dev.stint.contracts.Contract;
import dev.stint.contracts.Refusal;
import dev.stint.contracts.Route;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Finds the route of a request: paths without names by one look-up, others segment by segment. */
final class RouteTable {
  private final Map<String, Path> fixed = new HashMap<>();
  private final List<Path> named = new ArrayList<>();

  /** A route, and what its path's names stand for in this request. */
  record Match(Route route, Map<String, String> names) {}

  /** A path and the routes on it by method. */
  private record Path(List<String> segments, Map<String, Route> methods) {}

  RouteTable(List<Contract> contracts) {
    for (Contract contract : contracts) {
      contract.routes().forEach(this::add);
    }
  }

  private void add(Route route) {
    Path path =
        route.path().contains("{")
            ? namedPath(route.path())
            : fixed.computeIfAbsent(route.path(), RouteTable::path);
    if (path.methods.putIfAbsent(route.method(), route) != null) {
      throw new IllegalStateException("two routes for " + route.method() + " " + route.path());
    }
  }

  private Path namedPath(String template) {
    Path wanted = path(template);
    for (Path path : named) {
      if (path.segments.equals(wanted.segments)) {
        return path;
      }
    }
    named.add(wanted);
    return wanted;
  }

  private static List<String> segments(String path) {
    return List.of(path.split("/", -1));
  }

  private static Path path(String template) {
    return new Path(segments(template), new TreeMap<>());
  }

  /**
   * The route for a request; what can be got can also be asked for its head alone.
   *
   * @throws Refusal if there is none
   */
  Match find(String method, String rawPath) {
    Path path = fixed.get(rawPath);
    Map<String, String> names = Map.of();
    if (path == null) {
      List<String> segments = segments(rawPath);
      for (Path candidate : named) {
        Map<String, String> found = names(candidate.segments, segments);
        if (found != null) {
          path = candidate;
          names = found;
          break;
        }
      }
    }
    if (path == null) {
      throw Refusal.notFound("unknown_path", "nothing is served under this path");
    }
    Route route = path.methods.get(method.equals("HEAD") ? "GET" : method);
    if (route == null || (method.equals("HEAD") && givesOut(route))) {
      throw new WrongMethodException(String.join(", ", path.methods.keySet()));
    }
    return new Match(route, names);
  }

  private static @Nullable Map<String, String> names(List<String> template, List<String> segments) {
    if (template.size() != segments.size()) {
      return null;
    }
    Map<String, String> names = new HashMap<>();
    for (int i = 0; i < template.size(); i++) {
      String wanted = template.get(i);
      String given = segments.get(i);
      if (wanted.startsWith("{") && !given.isEmpty()) {
        String name = wanted.substring(1, wanted.length() - 1);
        String value = decode(given);
        if (hasControls(value)) {
          // Nothing is called so, and not every database can be asked for it.
          throw Refusal.invalid(name, "must not have control characters");
        }
        names.put(name, value);
      } else if (!wanted.equals(given)) {
        return null;
      }
    }
    return names;
  }

  /** Whether getting it gives a job to a worker, which nobody may do who does not read it. */
  private static boolean givesOut(Route route) {
    return route.access().role() == Access.Role.WORKER;
  }

  private static boolean hasControls(String value) {
    for (int i = 0; i < value.length(); i++) {
      if (Character.isISOControl(value.charAt(i))) {
        return true;
      }
    }
    return false;
  }

  private static String decode(String segment) {
    try {
      // In a path a plus is a plus.
      return URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw Refusal.malformed("the path is not properly encoded");
    }
  }

  /** The path is known, but not with this method. */
  static final class WrongMethodException extends RuntimeException {
    private final String allowed;

    WrongMethodException(String allowed) {
      super(allowed, null, false, false);
      this.allowed = allowed;
    }

    String allowed() {
      return allowed;
    }
  }
}
