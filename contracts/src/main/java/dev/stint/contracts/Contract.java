package dev.stint.contracts;

import java.util.List;

/** One dialect that clients or workers speak: a table of routes. */
public interface Contract {
  List<Route> routes();
}
