package dev.stint.engine;

import java.util.Set;

/**
 * What a worker can do.
 *
 * @param commandsOnly it runs commands and nothing else
 * @param capabilities what it has to offer to {@link Needs#requirements()}
 */
public record Skills(boolean commandsOnly, Set<String> capabilities) {
  public static final Skills NONE = new Skills(false, Set.of());

  public Skills {
    capabilities = Set.copyOf(capabilities);
  }

  public boolean satisfy(Needs needs) {
    return (needs.command() || !commandsOnly) && capabilities.containsAll(needs.requirements());
  }
}
