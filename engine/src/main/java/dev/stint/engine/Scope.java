package dev.stint.engine;

import org.jspecify.annotations.Nullable;

/** Whose job it is, for contracts that divide their jobs by tenant, workspace and run. */
public record Scope(@Nullable String tenant, @Nullable String workspace, @Nullable String run) {
  public static final Scope NONE = new Scope(null, null, null);
}
