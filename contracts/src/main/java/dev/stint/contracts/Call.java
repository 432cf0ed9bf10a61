package dev.stint.contracts;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One request, whatever carried it. */
public interface Call {
  /** What stands in the path for {@code {name}} of the route. */
  String path(String name);

  /** The first value of a query parameter. */
  @Nullable String query(String name);

  /** The names of all query parameters. */
  Set<String> queryNames();

  /** Like {@link #query}, checked to be a name or an id; null if absent. */
  default @Nullable String queryString(String name) {
    String given = query(name);
    if (given == null || given.isEmpty()) {
      return null;
    }
    return plain(name, given);
  }

  private static String plain(String name, String given) {
    String problem = StrictJson.problemOf(given, Fields.MAX_STRING);
    if (problem != null) {
      throw Refusal.invalid(name, problem);
    }
    return given;
  }

  /** Names or ids with commas between them, at most {@code max}; empty if absent. */
  default List<String> queryStrings(String name, int max) {
    String given = Objects.requireNonNullElse(query(name), "");
    List<String> each =
        Stream.of(given.split(",", -1)).map(String::strip).filter(s -> !s.isEmpty()).toList();
    if (each.size() > max) {
      throw Refusal.invalid(name, "may have at most " + max + " entries");
    }
    each.forEach(one -> plain(name, one));
    return each;
  }

  /** A whole number from {@code min} to {@code max} in the query, or {@code absent}. */
  default long queryInteger(String name, long absent, long min, long max) {
    String given = query(name);
    if (given == null || given.isEmpty()) {
      return absent;
    }
    try {
      long number = Long.parseLong(given);
      if (number >= min && number <= max) {
        return number;
      }
    } catch (NumberFormatException notOne) {
      // as wrong as one out of range
    }
    throw Refusal.invalid(name, "must be a whole number from " + min + " to " + max);
  }

  /** The first value of a header; names are without regard to case. */
  @Nullable String header(String name);

  byte[] body();

  String requestId();

  Caller caller();

  /**
   * The worker in whose name something is done. A worker with a token of its own may only act in
   * its own name; others may name any.
   *
   * @throws Refusal if it is not the caller's to use; that is also kept as an event
   */
  String actingAs(String workerId);

  /**
   * Begins to watch the connection, and tells from then on whether the client still waits at its
   * other end and may be given something. To be called before waiting for that.
   */
  BooleanSupplier watchClient();
}
