package dev.stint.engine;

import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a worker can do, and which jobs it wants.
 *
 * @param commandsOnly it runs commands and nothing else
 * @param capabilities what it has to offer to {@link Needs#requirements()}
 * @param tenant it wants this tenant's jobs only, or null: anybody's
 * @param workspace it wants this workspace's jobs only, or null: those of any
 * @param target it delivers to this place and does nothing else, or null: it delivers nothing
 */
public record Skills(
    boolean commandsOnly,
    Set<String> capabilities,
    @Nullable String tenant,
    @Nullable String workspace,
    @Nullable String target) {
  public static final Skills NONE = new Skills(false, Set.of());

  public Skills {
    capabilities = Set.copyOf(capabilities);
  }

  /** Of a worker that takes anybody's jobs. */
  public Skills(boolean commandsOnly, Set<String> capabilities) {
    this(commandsOnly, capabilities, null, null, null);
  }

  /** Of a worker that takes the jobs of one tenant, or of one workspace. */
  public static Skills within(@Nullable String tenant, @Nullable String workspace) {
    return tenant == null && workspace == null
        ? NONE
        : new Skills(false, Set.of(), tenant, workspace, null);
  }

  /** Of who delivers to one place. */
  public static Skills delivery(String target) {
    return new Skills(false, Set.of(), null, null, target);
  }

  /** Whether only one tenant's jobs will do, or only those for one place. */
  public boolean areNarrow() {
    return tenant != null || target != null;
  }

  public boolean satisfy(Needs needs) {
    return (needs.command() || !commandsOnly)
        && Objects.equals(target, needs.target())
        && (tenant == null || tenant.equals(needs.tenant()))
        && (workspace == null || workspace.equals(needs.workspace()))
        && capabilities.containsAll(needs.requirements());
  }

  /** What stays true of the worker from one claim to the next. */
  Skills lasting() {
    return tenant == null && workspace == null && target == null
        ? this
        : new Skills(commandsOnly, capabilities);
  }
}
