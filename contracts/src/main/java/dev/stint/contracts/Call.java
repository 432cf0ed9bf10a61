package dev.stint.contracts;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One request, whatever carried it. */
public interface Call {
  /** What stands in the path for {@code {name}} of the route. */
  String path(String name);

  /** The first value of a query parameter. */
  @Nullable String query(String name);

  /** The first value of a header; names are without regard to case. */
  @Nullable String header(String name);

  byte[] body();

  String requestId();

  /**
   * Begins to watch the connection, and tells from then on whether the client still waits at its
   * other end. To be called before waiting for something to give to it.
   */
  BooleanSupplier watchClient();
}
