package dev.stint.engine;

import java.util.Collection;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What a job needs of a worker. Jobs with equal needs form one class, and a claim looks only at the
 * classes that its worker satisfies.
 *
 * @param command it is a command to run, so also workers that only run commands may have it
 * @param requirements capabilities that the worker must have, all of them
 * @param tenant whose job it is, for workers that work for one tenant only
 * @param workspace in which of its workspaces, likewise
 * @param target the place that it is delivered to; nobody but who delivers there may have it
 */
public record Needs(
    boolean command,
    SortedSet<String> requirements,
    @Nullable String tenant,
    @Nullable String workspace,
    @Nullable String target) {
  public static final Needs NOTHING = new Needs(false, Collections.emptySortedSet());

  public Needs {
    requirements = Collections.unmodifiableSortedSet(new TreeSet<>(requirements));
    if (target != null && (tenant != null || workspace != null)) {
      throw new IllegalArgumentException("what is delivered is nobody's to choose by tenant");
    }
  }

  /** For everybody who can do it. */
  public Needs(boolean command, SortedSet<String> requirements) {
    this(command, requirements, null, null, null);
  }

  public static Needs of(Collection<String> requirements) {
    return requirements.isEmpty() ? NOTHING : new Needs(false, new TreeSet<>(requirements));
  }

  /** Only for who delivers to this place. */
  public static Needs delivery(String target) {
    return new Needs(false, Collections.emptySortedSet(), null, null, target);
  }
}
