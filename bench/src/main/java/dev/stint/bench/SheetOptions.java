package dev.stint.bench;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** How sheets are printed, for all commands that have some. */
final class SheetOptions {
  @Option(names = "--json", description = "Print one JSON object instead of tables.")
  private boolean json;

  @Option(
      names = "--out",
      paramLabel = "PAGE",
      description =
          "Write tables and plots to this Markdown page as well, section by section; plots go into"
              + " a folder beside it.")
  private Optional<Path> out = Optional.empty();

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help.")
  @SuppressWarnings("UnusedVariable") // picocli itself acts on it
  private boolean help;

  /** Where a page is to be written, if anywhere. */
  Optional<Path> out() {
    return out;
  }

  /** Prints, and writes the page that is asked for. */
  void tell(CommandSpec spec, Sheet sheet) throws RunFailedException {
    print(spec, List.of(sheet));
    if (out.isPresent()) {
      String words = String.join(" ", spec.root().commandLine().getParseResult().originalArgs());
      String command = words.startsWith("bench ") ? words : "bench " + words;
      new PerformancePage(out.get()).write(sheet, "./stint " + command);
    }
  }

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
      spec.commandLine()
          .getOut()
          .println(JsonReport.ofFailure(String.valueOf(failure.getMessage())));
    }
  }

  /** Tells on standard error what is going on. */
  void say(CommandSpec spec, String text) {
    spec.commandLine().getErr().println("stint bench: " + text);
  }
}
