package dev.stint.contracts;

import java.util.List;

/** One dialect that clients or workers speak: a name and a table of routes. */
public interface Contract {
  String name();

  List<Route> routes();
}
