package dev.stint.engine;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a job needs of a worker. Jobs with equal needs form one class, and a claim looks only at the
 * classes that its worker satisfies.
 *
 * @param command it is a command to run, so also workers that only run commands may have it
 * @param requirements capabilities that the worker must have, all of them
 */
public record Needs(boolean command, SortedSet<String> requirements) {
  public static final Needs NOTHING = new Needs(false, Collections.emptySortedSet());

  public Needs {
    requirements = Collections.unmodifiableSortedSet(new TreeSet<>(requirements));
  }

  public static Needs of(Collection<String> requirements) {
    return requirements.isEmpty() ? NOTHING : new Needs(false, new TreeSet<>(requirements));
  }
}
