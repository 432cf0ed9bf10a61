package dev.stint.cli;

import java.util.Map;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code stint completion}. */
@Command(
    name = "completion",
    description = "Prints a script that lets bash or zsh complete commands and options.",
    mixinStandardHelpOptions = true,
    footerHeading = "%nExamples:%n",
    footer = {
      "  source <(stint completion)                    for this shell",
      "  echo 'source <(stint completion)' >>~/.bashrc  for all to come; zsh: ~/.zshrc",
      "",
      ExitCodes.HEADING,
      ExitCodes.OK_LINE,
      ExitCodes.UNEXPECTED_LINE,
      ExitCodes.BAD_SETTING_LINE
    })
final class CompletionCommand implements Callable<Integer> {
  @Spec
  @SuppressWarnings("NullAway.Init") // set by picocli
  private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().print(AutoComplete.bash("stint", Stint.commandLine(Map.of())));
    spec.commandLine().getOut().flush();
    return ExitCodes.OK;
  }
}
