package dev.stint.cli;

import dev.stint.server.SettingException;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** How a verb is given many jobs at once. */
final class BulkOptions {
  @Mixin private final FilterOptions filter = new FilterOptions();

  @Option(names = "--dry-run", description = "Only say how many jobs it would be.")
  private boolean isDryRun;

  @Option(
      names = {"--yes", "-y"},
      description = "Do not ask; needed where nobody can be asked.")
  private boolean isSure;

  FilterOptions filter() {
    return filter;
  }

  boolean isDryRun() {
    return isDryRun;
  }

  boolean isSure() {
    return isSure;
  }

  /** With the id of a job there is nothing to count, and it must not be carried out instead. */
  void refuseDryRunOfOne() {
    if (isDryRun) {
      throw new SettingException("--dry-run", "counts jobs by a filter; it takes no id of a job");
    }
  }
}
