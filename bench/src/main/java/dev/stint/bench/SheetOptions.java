package dev.stint.bench;

import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How sheets are printed, for all commands that have some. */
final class SheetOptions {
  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  private boolean help;

  void print(CommandSpec spec, List<Sheet> sheets) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      out.println(SheetJson.of(sheets));
    } else {
      sheets.forEach(new SheetText(out)::print);
    }
  }

  /** Says why there is nothing to print. */
  void printFailure(CommandSpec spec, RunFailedException failure) {
    say(spec, String.valueOf(failure.getMessage()));
    if (json) {
      spec.commandLine().getOut().println(JsonReport.ofFailure(String.valueOf(failure.getMessage())));
    }
  }

  /** Tells on standard error what is going on. */
  void say(CommandSpec spec, String text) {
    spec.commandLine().getErr().println("stint bench: " + text);
  }
}
