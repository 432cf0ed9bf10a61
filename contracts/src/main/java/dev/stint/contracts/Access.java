package dev.stint.contracts;

import org.jspecify.annotations.Nullable;

/**
 * Who may call a route. The API token may call everything.
 *
 * @param role the part that the caller must have, or null if anyone may call
 * @param orLocal its document names no credential, so none is needed in the default set-up, where
 *     only this machine can call
 */
public record Access(@Nullable Role role, boolean orLocal) {
  public static final Access ANYONE = new Access(null, false);

  /** The parts that callers play. */
  public enum Role {
    /** May do everything. */
    ADMIN,
    PRODUCER,
    WORKER,
    /** Runs one attempt of one task, and may report on that. */
    TASK
  }

  public static Access to(Role role) {
    return new Access(role, false);
  }

  public static Access orLocal(Role role) {
    return new Access(role, true);
  }
}
