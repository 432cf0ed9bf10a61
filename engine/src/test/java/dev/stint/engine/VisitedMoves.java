package dev.stint.engine;

import java.util.HashSet;
import java.util.Objects;
import java.util.Set;

/** The moves that tests have seen, so that none goes untested. */
final class VisitedMoves {
  private static final Set<Transition> SEEN = new HashSet<>();

  private VisitedMoves() {}

  static void note(Event event) {
    if (event.from() != Objects.requireNonNull(event.to())) {
      SEEN.add(new Transition(event.type(), event.from(), Objects.requireNonNull(event.to())));
    }
  }

  static Set<Transition> seen() {
    return Set.copyOf(SEEN);
  }
}
